import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DeferredQueue } from '../../../src-main/core/base/scheduling/deferred-queue.ts';

test('runs deferred work in order by itself, including work that it adds', async () => {
  const putOff = new DeferredQueue();
  const done: number[] = [];
  putOff.add(() => {
    done.push(1);
    putOff.add(() => done.push(3));
  });
  putOff.add(() => done.push(2));
  expect(done).toEqual([]);
  await expect.poll(() => done).toEqual([1, 2, 3]);
});

test('holds at most 3000 tasks', () => {
  const putOff = new DeferredQueue();
  let done = 0;
  for (let n = 0; n < 3001; n++) putOff.add(() => done++);
  expect(done).toBe(3001);
});

test('runs the remaining tasks when one fails', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const putOff = new DeferredQueue();
  const done: string[] = [];
  putOff.add(() => {
    throw new Error('broken');
  });
  putOff.add(() => done.push('next'));
  putOff.drain();
  expect([done, warned.mock.calls.length]).toEqual([['next'], 1]);
  warned.mockRestore();
});

/** Work of 0.2 ms. */
function busy(): void {
  for (const until = performance.now() + 0.2; performance.now() < until;);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('starts at once when too much waits, and yields between slices', async () => {
  const putOff = new DeferredQueue();
  let done = 0;
  const parts: boolean[] = [];
  putOff.sliceDone.on((followsSoon) => parts.push(followsSoon));
  for (let n = 0; n < 1200; n++)
    putOff.add(() => {
      busy();
      done++;
    });
  await turn();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(1200);
  await expect.poll(() => putOff.isEmpty).toBe(true);
  expect(parts.length).toBeGreaterThan(5);
  expect(parts.at(-1)).toBe(false);
});

describe('while calls follow each other', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A call every 2 ms, each with deferred work. */
  async function callsFor(ms: number, putOff: DeferredQueue, work: () => void): Promise<void> {
    for (let at = 0; at < ms; at += 2) {
      putOff.add(work);
      await vi.advanceTimersByTimeAsync(2);
    }
  }

  test('waits until they pause', async () => {
    const putOff = new DeferredQueue();
    let done = 0;
    await callsFor(600, putOff, () => done++);
    expect(done).toBe(0);
    await vi.advanceTimersByTimeAsync(20);
    expect(done).toBe(300);
  });

  test('waits two seconds at most', async () => {
    const putOff = new DeferredQueue();
    let done = 0;
    const slow = (): void => void done++;
    for (let at = 0; at < 3000; at += 7) {
      putOff.add(slow);
      await vi.advanceTimersByTimeAsync(7);
    }
    expect(done).toBeGreaterThan(280);
  });
});

test('runs work beyond the limit as it comes, a few tasks at a time', async () => {
  // The clock does not move: no call is long ago, and no slice takes too long.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
  onTestFinished(() => clock.mockRestore());
  const putOff = new DeferredQueue();
  let done = 0;
  for (let n = 0; n < 1203; n++) putOff.add(() => done++);
  await turn();
  expect(done).toBe(4);
  await turn();
  expect(done).toBe(4);
  putOff.add(() => done++);
  await turn();
  expect(done).toBe(5);
});

test('does not wait with work that holds much memory', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
  onTestFinished(() => clock.mockRestore());
  const putOff = new DeferredQueue();
  let done = 0;
  const megabyte = 1024 * 1024;
  for (let n = 0; n < 10; n++) putOff.add(() => done++, megabyte);
  await turn();
  expect(done).toBe(3);
  putOff.add(() => done++, 30 * megabyte);
  expect(done).toBe(11);
});
