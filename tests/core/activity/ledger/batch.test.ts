import { expect, test, vi } from 'vitest';
import { Batch } from '../../../../src-main/core/activity/ledger/payload-counter.ts';

test('what is put off is done in its order, by itself, and with what comes of it', async () => {
  const batch = new Batch();
  const done: number[] = [];
  batch.add(() => {
    done.push(1);
    batch.add(() => done.push(3));
  });
  batch.add(() => done.push(2));
  expect(done).toEqual([]);
  await expect.poll(() => done).toEqual([1, 2, 3]);
});

test('no more than 500 are held', () => {
  const batch = new Batch();
  let done = 0;
  for (let n = 0; n < 501; n++) batch.add(() => done++);
  expect(done).toBe(501);
});

test('one that fails does not keep the others from being done', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const batch = new Batch();
  const done: string[] = [];
  batch.add(() => {
    throw new Error('broken');
  });
  batch.add(() => done.push('next'));
  batch.run();
  expect([done, warned.mock.calls.length]).toEqual([['next'], 1]);
  warned.mockRestore();
});
