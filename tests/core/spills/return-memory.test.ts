/** What a big answer held is given back, though nothing else happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ReturnMemory } from '../../../src-main/core/spills/keep-answer.ts';

const megabyte = 1024 * 1024;

/** The buffers of an answer that nobody holds any more. */
function letGo(megabytes: number): number {
  const chunks = Array.from({ length: megabytes }, () => Buffer.alloc(megabyte, 1));
  return chunks.length * megabyte;
}

async function heldAfter(megabytes: number): Promise<number> {
  const memory = new ReturnMemory(50);
  onTestFinished(() => memory.close());
  const before = process.memoryUsage().arrayBuffers;
  memory.released(letGo(megabytes));
  await sleep(400);
  return (process.memoryUsage().arrayBuffers - before) / megabyte;
}

test('the buffers of 200 MB are gone a moment later', async () => {
  expect(await heldAfter(200)).toBeLessThan(20);
});
