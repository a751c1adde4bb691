/** Runs a test in another time zone. */
import { vi } from 'vitest';

/** Runs `work` in that IANA zone at that time (ms since the epoch); timers are unaffected. */
export async function inZone<T>(zone: string, now: number, work: () => T | Promise<T>): Promise<T> {
  const before = process.env['TZ'];
  vi.useFakeTimers({ now, toFake: ['Date'] });
  process.env['TZ'] = zone;
  try {
    return await work();
  } finally {
    vi.useRealTimers();
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}
