/** Memory of large results or many calls is released even without further activity. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryReclaimer } from '../../../src-main/core/base/memory-reclaimer.ts';

const megabyte = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setFlagsFromString('--no-expose-gc');

/** Objects of about a megabyte. V8 does not free them in an idle process; buffers it frees by itself. */
const objectsOfMegabyte = (): object[] => Array.from({ length: 22_000 }, (_, at) => ({ at }));

/** Resolves once most of 100 MB of objects are freed that `release` is called for and that are dropped afterwards. */
async function released(release: (memory: MemoryReclaimer) => void): Promise<void> {
  const memory = new MemoryReclaimer(50);
  onTestFinished(() => memory.close());
  const results = Array.from({ length: 100 }, objectsOfMegabyte);
  // Ends a collection that V8 began for the allocation.
  collect();
  const before = process.memoryUsage().heapUsed;
  release(memory);
  results.length = 0;
  const freed = (): number => before - process.memoryUsage().heapUsed;
  // V8 itself may collect after ten seconds; ours takes less than one.
  await expect.poll(freed, { timeout: 7000 }).toBeGreaterThan(50 * megabyte);
}

test('releases the memory of a large result after a moment', () =>
  released((memory) => memory.noteReleased(100 * megabyte)));

test('releases the memory of many small results once there are enough of them', () =>
  released((memory) => {
    for (let at = 0; at < 100; at++) memory.noteReleased(megabyte);
  }));
