/** No test runs at midnight, wherever and whenever CI runs. */
import { expect, test } from 'vitest';
import { zoneOfNoon } from '../../scripts/test/noon.ts';

test('returns a zone in which it is noon at every hour', () => {
  const hours = Array.from({ length: 24 }, (_, hour) => {
    const words = { timeZone: zoneOfNoon(hour), hour: 'numeric', hourCycle: 'h23' } as const;
    return new Intl.DateTimeFormat('en', words).format(Date.UTC(2026, 10, 24, hour, 30));
  });
  expect(new Set(hours)).toEqual(new Set(['12']));
});
