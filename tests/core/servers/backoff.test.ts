/** Retry delays. */
import { expect, test } from 'vitest';
import { backoffMs } from '../../../src-main/core/servers/shared-connection.ts';

const middle = (): number => 0.5;

test('doubles the delay from 1 second up to 5 minutes', () => {
  const failures = [1, 2, 3, 4, 9, 10, 50, 5000];
  expect(failures.map((count) => backoffMs(count, middle))).toEqual([
    1000, 2000, 4000, 8000, 256_000, 300_000, 300_000, 300_000,
  ]);
});

test('varies each delay by up to 25 percent either way', () => {
  expect([backoffMs(1, () => 0), backoffMs(1, () => 1)]).toEqual([750, 1250]);
  expect([backoffMs(20, () => 0), backoffMs(20, () => 1)]).toEqual([225_000, 375_000]);
});
