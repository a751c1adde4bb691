/** Slots are given to waiters in order, except aborted ones. */
import { expect, test } from 'vitest';
import { Semaphore } from '../../../src-main/core/base/semaphore.ts';

test('serves waiters in order, and removes those that abort', async () => {
  const slots = new Semaphore(1);
  const giveUp = new AbortController();
  const order: string[] = [];
  await slots.acquire();
  const taken = ['a', 'gone', 'b'].map(async (name) => {
    const held = await slots.acquire(name === 'gone' ? giveUp.signal : undefined);
    order.push(`${name} ${held}`);
    if (held) slots.release();
  });
  giveUp.abort();
  await taken[1];
  expect(slots.waiting).toBe(2);
  slots.release();
  await Promise.all(taken);
  expect([order, slots.waiting, await slots.acquire()]).toEqual([['gone false', 'a true', 'b true'], 0, true]);
});

test('takes a free slot even if the signal is aborted, but does not wait then', async () => {
  const slots = new Semaphore(1);
  expect([await slots.acquire(AbortSignal.abort()), await slots.acquire(AbortSignal.abort())]).toEqual([true, false]);
});
