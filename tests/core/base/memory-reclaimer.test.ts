/** Memory of large results or many calls is released even without further activity. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryReclaimer } from '../../../src-main/core/base/memory-reclaimer.ts';

const megabyte = 1024 * 1024;

/** Allocates and drops buffers. */
function letGo(megabytes: number): number {
  const chunks = Array.from({ length: megabytes }, () => Buffer.alloc(megabyte, 1));
  return chunks.length * megabyte;
}

async function heldAfter(megabytes: number): Promise<number> {
  const memory = new MemoryReclaimer(50);
  onTestFinished(() => memory.close());
  const before = process.memoryUsage().arrayBuffers;
  memory.noteReleased(letGo(megabytes));
  await sleep(400);
  return (process.memoryUsage().arrayBuffers - before) / megabyte;
}

test('releases buffers of 200 MB after a moment', async () => {
  expect(await heldAfter(200)).toBeLessThan(20);
});

test('releases the memory of many small objects once there are enough of them', async () => {
  const memory = new MemoryReclaimer(50);
  onTestFinished(() => memory.close());
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < 100; at++) memory.noteReleased(letGo(1));
  await sleep(400);
  expect((process.memoryUsage().arrayBuffers - before) / megabyte).toBeLessThan(20);
});
