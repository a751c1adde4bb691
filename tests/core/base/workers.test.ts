/** The environment, priority and throttling of worker threads. */
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  createThrottle,
  raiseUrgency,
  type UrgencyFlag,
  createUrgencyFlag,
  startWorkerThread,
} from '../../../src-main/core/base/workers.ts';

const code = 'import { parentPort } from "node:worker_threads"; parentPort.postMessage({ ...process.env });';
const entry = new URL(`data:text/javascript,${encodeURIComponent(code)}`);

const folder = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

async function environment(): Promise<unknown> {
  const thread = startWorkerThread(entry, { memory: 32 });
  const [said] = (await once(thread, 'message')) as [unknown];
  await thread.terminate();
  return said;
}

test('gives a thread no environment variable except NODE_COMPILE_CACHE', async () => {
  vi.stubEnv('API_TOKEN', 'secret');
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  expect(await environment()).toEqual({});
  vi.stubEnv('NODE_COMPILE_CACHE', folder);
  expect(await environment()).toEqual({ NODE_COMPILE_CACHE: folder });
  vi.unstubAllEnvs();
});

const giving = `import { parentPort } from "node:worker_threads";
import { readlinkSync } from "node:fs";
import { getPriority } from "node:os";
const { lowerThreadPriority } = await import(${JSON.stringify(new URL('../../../src-main/core/base/workers.ts', import.meta.url))});
lowerThreadPriority();
parentPort.postMessage(getPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1))));`;

test.runIf(process.platform === 'linux')('lowers the priority of its own thread only', async () => {
  const before = getPriority();
  const thread = startWorkerThread(new URL(`data:text/javascript,${encodeURIComponent(giving)}`), { memory: 64 });
  const [priority] = (await once(thread, 'message')) as [number];
  await thread.terminate();
  expect(priority).toBe(Math.max(before, 10));
  expect(getPriority()).toBe(before);
});

test('sleeps as long as it worked, after each third of a millisecond, until the urgency flag is raised', () => {
  const hurry = createUrgencyFlag();
  let now = 0;
  const sleeps: number[] = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const wait = (array: UrgencyFlag, at: number, value: number, ms: number): string => {
    if (array[at] !== value) return 'not-equal';
    sleeps.push(now);
    now += ms;
    return 'timed-out';
  };
  vi.spyOn(Atomics, 'wait').mockImplementation(wait as unknown as typeof Atomics.wait);
  onTestFinished(() => void vi.restoreAllMocks());
  const rest = createThrottle(hurry);
  for (let piece = 0; piece < 16; piece++) {
    now += 0.125;
    if (piece === 12) raiseUrgency(hurry);
    rest();
  }
  expect(sleeps).toEqual([0.375, 0.375 * 2 + 0.3, 0.375 * 3 + 0.6, 0.375 * 4 + 0.9]);
});
