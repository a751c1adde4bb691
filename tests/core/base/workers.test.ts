/** Worker threads and processes: environment and lifecycle. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type WorkerEnd, type WorkerEvents, WorkerHandle } from '../../../src-main/core/base/workers.ts';

const folder = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

type Start = (entry: URL, events: WorkerEvents<unknown>) => WorkerHandle<object | string, unknown>;

const kinds: readonly (readonly [kind: string, start: Start])[] = [
  ['thread', (entry, events) => WorkerHandle.thread(entry, { memory: 32 }, events)],
  ['process', (entry, events) => WorkerHandle.process(entry, { memory: 32 }, events)],
];

/** The code receives `post` and `receive`, whether it is a thread or a process. */
function entryOf(code: string): URL {
  const place = mkdtempSync(join(tmpdir(), 'tooltray-worker-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const file = join(place, 'entry.mjs');
  const channel = `import { parentPort } from 'node:worker_threads';
    const post = (message) => parentPort === null ? process.send(message) : parentPort.postMessage(message);
    const receive = (take) => (parentPort ?? process).on('message', take);`;
  writeFileSync(file, `${channel}\n${code}`);
  return pathToFileURL(file);
}

function open(start: Start, code: string) {
  const messages: unknown[] = [];
  const ends: WorkerEnd[] = [];
  const first = Promise.withResolvers<unknown>();
  const ended = Promise.withResolvers<WorkerEnd>();
  const handle = start(entryOf(code), {
    onMessage: (message) => {
      messages.push(message);
      first.resolve(message);
    },
    onEnd: (end) => {
      ends.push(end);
      ended.resolve(end);
    },
  });
  return { handle, messages, ends, first: first.promise, ended: ended.promise };
}

test('gives a thread no environment variable except NODE_COMPILE_CACHE', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const environment = async (): Promise<unknown> => {
    const { handle, first } = open(kinds[0]?.[1] as Start, 'post({ ...process.env });');
    const found = await first;
    await handle.end();
    return found;
  };
  vi.stubEnv('API_TOKEN', 'secret');
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  expect(await environment()).toEqual({});
  vi.stubEnv('NODE_COMPILE_CACHE', folder);
  expect(await environment()).toEqual({ NODE_COMPILE_CACHE: folder });
});

describe.each(kinds)('a %s', (_kind, start) => {
  test('replies to messages, and is ended while it waits', async () => {
    const { handle, first, ends } = open(start, 'receive((message) => post({ echo: message }));');
    handle.post({ a: 1 });
    expect(await first).toEqual({ echo: { a: 1 } });
    await handle.end();
    expect([handle.isAlive, ends.length]).toEqual([false, 1]);
    handle.post('too late');
    await handle.end();
    expect(ends).toHaveLength(1);
  });

  test('is ended while it computes', async () => {
    const { handle, first, ends } = open(start, `receive(() => { for (;;); }); post('ready');`);
    await first;
    handle.post('compute');
    await handle.end();
    expect([handle.isAlive, ends.length]).toEqual([false, 1]);
  });

  test('reports an end by itself once', async () => {
    const { handle, ended, ends } = open(start, 'process.exit(3);');
    expect(await ended).toMatchObject({ error: undefined, code: 3 });
    await handle.end();
    expect(ends).toHaveLength(1);
  });
});

test('reports the error that ended a thread', async () => {
  const { ended } = open(kinds[0]?.[1] as Start, `throw new Error('broken on purpose');`);
  expect((await ended).error?.message).toBe('broken on purpose');
});
