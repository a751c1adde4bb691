/** Slots are shared fairly among owners, however often one of them asks. */
import { expect, test } from 'vitest';
import { FairSemaphore } from '../../../src-main/core/base/semaphore.ts';

const never = new AbortController().signal;

test('alternates between owners, and gives one owner at most half the slots', async () => {
  const slots = new FairSemaphore<string>(2);
  const entered: string[] = [];
  const ask = (owner: string, name: string): void => void slots.acquire(owner, never).then(() => entered.push(name));
  for (const name of ['a1', 'a2', 'a3']) ask('a', name);
  ask('b', 'b1');
  ask('c', 'c1');
  await Promise.resolve();
  expect(entered).toEqual(['a1', 'b1']);
  expect([slots.waiting, slots.waitingFor('a'), slots.waitingFor('b')]).toEqual([3, 2, 0]);
  slots.release('b');
  await Promise.resolve();
  expect(entered).toEqual(['a1', 'b1', 'c1']);
  slots.release('a');
  slots.release('c');
  await Promise.resolve();
  expect(entered).toEqual(['a1', 'b1', 'c1', 'a2']);
});

test('removes an aborted waiter without losing a slot', async () => {
  const slots = new FairSemaphore<string>(1);
  expect(await slots.acquire('a', never)).toBe(true);
  const controller = new AbortController();
  const left = slots.acquire('b', controller.signal);
  const next = slots.acquire('c', never);
  controller.abort();
  expect(await left).toBe(false);
  slots.release('a');
  expect(await next).toBe(true);
  expect(await slots.acquire('d', AbortSignal.abort())).toBe(false);
  expect(slots.waiting).toBe(0);
});
