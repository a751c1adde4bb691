/** Has a test be somewhere else, where it is another time of day. */
import { vi } from 'vitest';

/** Runs `work` as if this machine were in that IANA zone, at that time (ms since the epoch); timers go on as they do. */
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
