import { expect, test } from 'vitest';
import { RateLimiter } from '../../../src-main/core/base/semaphore.ts';

test('allows a burst, then a number per second, and never more than the first burst', () => {
  let now = 0;
  const limit = new RateLimiter({ atOnce: 3, perSecond: 2 }, () => now);
  const takes = (times: number): number =>
    Array.from({ length: times }, () => limit.tryAcquire()).filter(Boolean).length;
  expect(takes(10)).toBe(3);
  now += 1000;
  expect(takes(10)).toBe(2);
  now += 3_600_000;
  expect(takes(10)).toBe(3);
});
