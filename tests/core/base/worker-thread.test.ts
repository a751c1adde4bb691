/** The life of a worker thread: started by a message, ended when idle, given up when it keeps crashing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { WorkerThread } from '../../../src-main/core/base/worker-thread.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-worker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'worker.mjs');
writeFileSync(
  file,
  `import { parentPort } from 'node:worker_threads';
parentPort.on('message', (message) => {
  if (message === 'die') throw new Error('told to die');
  parentPort.postMessage(message);
});`,
);

function start(idleTimeoutMs = 60_000) {
  const heard: string[] = [];
  const lost: string[] = [];
  const thread = new WorkerThread<string, string>({
    entry: pathToFileURL(file),
    memory: 64,
    idleTimeoutMs,
    onMessage: (message) => heard.push(message),
    onLost: ({ message }) => lost.push(message),
  });
  onTestFinished(() => thread.close());
  return { thread, heard, lost };
}

test('starts with the first message, and ends when idle', async () => {
  const { thread, heard, lost } = start(1);
  expect(thread.isRunning).toBe(false);
  thread.post('one');
  await until(() => heard.length === 1);
  expect(thread.isRunning).toBe(true);
  thread.rest();
  await until(() => !thread.isRunning);
  thread.post('two');
  await until(() => heard.length === 2);
  expect([heard, lost]).toEqual([['one', 'two'], []]);
});

test('reports a thread that died, and is not usable after three in a row', async () => {
  const { thread, heard, lost } = start();
  for (const count of [1, 2]) {
    thread.post('die');
    await until(() => lost.length === count);
  }
  thread.post('fine');
  await until(() => heard.length === 1);
  for (const count of [3, 4, 5]) {
    expect(thread.isUsable).toBe(true);
    thread.post('die');
    await until(() => lost.length === count);
  }
  expect([thread.isUsable, new Set(lost)]).toEqual([false, new Set(['told to die'])]);
});

test('does not report an ended thread as lost, and is not usable after closing', async () => {
  const { thread, heard, lost } = start();
  thread.post('one');
  await until(() => heard.length === 1);
  await thread.end();
  expect(thread.isUsable).toBe(true);
  await thread.close();
  expect([thread.isUsable, thread.isRunning, lost]).toEqual([false, false, []]);
});
