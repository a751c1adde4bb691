/** Lifecycle of a worker thread: started by a message, ended when idle, abandoned after repeated crashes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { RequestThread, WorkerThread } from '../../../src-main/core/base/worker-thread.ts';
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

const replying = join(folder, 'replying.mjs');
writeFileSync(
  replying,
  `import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ number, text }) => {
  if (text === 'die') throw new Error('told to die');
  if (text === 'wait') return;
  parentPort.postMessage({ notice: text });
  setTimeout(() => parentPort.postMessage({ number, text }), text === 'slow' ? 20 : 0);
});`,
);

function openRequests(idleTimeoutMs = 60_000) {
  const notices: string[] = [];
  const thread = new RequestThread<{ text: string }, { number: number; text: string }, { notice: string }>(
    { entry: pathToFileURL(replying), memory: 64, idleTimeoutMs },
    ({ notice }) => notices.push(notice),
  );
  onTestFinished(() => thread.close());
  return { thread, notices };
}

test('resolves each request with its own reply, passes notices on, and ends when idle', async () => {
  const { thread, notices } = openRequests(1);
  const replies = await Promise.all([thread.request({ text: 'slow' }), thread.request({ text: 'fast' })]);
  expect(replies.map(({ text }) => text)).toEqual(['slow', 'fast']);
  expect([notices, thread.pending]).toEqual([['slow', 'fast'], 0]);
  await until(() => !thread.isRunning);
});

test('rejects pending requests when the thread dies or is closed, and later ones too', async () => {
  const { thread } = openRequests();
  const waiting = thread.request({ text: 'wait' });
  await Promise.all([
    expect(waiting).rejects.toThrow('told to die'),
    expect(thread.request({ text: 'die' })).rejects.toThrow('told to die'),
  ]);
  expect(await thread.request({ text: 'again' })).toMatchObject({ text: 'again' });
  const last = thread.request({ text: 'wait' });
  await Promise.all([expect(last).rejects.toThrow(), thread.close()]);
  await expect(thread.request({ text: 'late' })).rejects.toThrow();
  await expect(openRequests().thread.request({ text: (() => 1) as unknown as string })).rejects.toThrow();
});
