/** Slots limit how many starts run at once, and a failure releases its slot. */
import { expect, test } from 'vitest';
import { StartLimiter } from '../../../src-main/core/servers/connection-opener.ts';

test('runs at most as many tasks as slots, and the others in order', async () => {
  const slots = new StartLimiter(3);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      slots.run(async () => {
        order.push(index);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
      }),
    ),
  );
  expect([most, order]).toEqual([3, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
});

test('releases the slot of a failed task and rejects for its caller', async () => {
  const slots = new StartLimiter(1);
  const failed = slots.run(() => Promise.reject(new Error('no')));
  const next = slots.run(() => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('no');
  expect([await next, await slots.run(() => Promise.resolve('later'))]).toEqual(['next', 'later']);
});

test('runs an urgent task at once, without taking or releasing a slot', async () => {
  const slots = new StartLimiter(1);
  let end: () => void = () => undefined;
  const holding = slots.run(() => new Promise<void>((resolve) => (end = resolve)));
  const hurry = new AbortController();
  const order: string[] = [];
  const waiting = slots.run(async () => void order.push('waiting'));
  const hurried = slots.run(async () => void order.push('hurried'), hurry.signal);
  const late = slots.run(async () => void order.push('late'), AbortSignal.abort());
  hurry.abort();
  await Promise.all([hurried, late]);
  expect(order).toEqual(['late', 'hurried']);
  end();
  await Promise.all([holding, waiting]);
  expect(order.at(-1)).toBe('waiting');
});
