/** Promises of the back-off. */
import { expect, test } from 'vitest';
import { backoffMs } from '../../../src-main/core/servers/shared-connection.ts';

const middle = (): number => 0.5;

test('pauses double from one second and end at five minutes', () => {
  const failures = [1, 2, 3, 4, 9, 10, 50, 5000];
  expect(failures.map((count) => backoffMs(count, middle))).toEqual([
    1000, 2000, 4000, 8000, 256_000, 300_000, 300_000, 300_000,
  ]);
});

test('each pause varies by a quarter to either side', () => {
  expect([backoffMs(1, () => 0), backoffMs(1, () => 1)]).toEqual([750, 1250]);
  expect([backoffMs(20, () => 0), backoffMs(20, () => 1)]).toEqual([225_000, 375_000]);
});
