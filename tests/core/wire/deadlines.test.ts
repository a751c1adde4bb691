import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from '../../../src-main/core/wire/peer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('each limit is called once, when its time is up, in whatever order they were set', () => {
  const deadlines = new Deadlines();
  const expired: string[] = [];
  for (const ms of [300, 100, 200, 100])
    deadlines.watch(ms, () => expired.push(`${ms} at ${performance.now() - begun}`));
  const begun = performance.now();
  vi.advanceTimersByTime(1000);
  expect(expired).toEqual(['100 at 100', '100 at 100', '200 at 200', '300 at 300']);
});

test('one that is forgotten is never called, and one that is touched has its whole time again', () => {
  const deadlines = new Deadlines();
  const expired: string[] = [];
  const forgotten = deadlines.watch(100, () => expired.push('forgotten'));
  const touched = deadlines.watch(100, () => expired.push('touched'));
  vi.advanceTimersByTime(90);
  deadlines.forget(forgotten);
  deadlines.touch(touched);
  vi.advanceTimersByTime(90);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(expired).toEqual(['touched']);
});

test('a limit set after the last one has passed is kept, too', () => {
  const deadlines = new Deadlines();
  const expired: string[] = [];
  deadlines.watch(50, () => expired.push('first'));
  vi.advanceTimersByTime(50);
  deadlines.watch(50, () => expired.push('second'));
  vi.advanceTimersByTime(50);
  expect(expired).toEqual(['first', 'second']);
});

test('a thousand requests that are answered in time set one timer', () => {
  const deadlines = new Deadlines();
  for (let i = 0; i < 1000; i++) deadlines.forget(deadlines.watch(60_000, () => undefined));
  expect(vi.getTimerCount()).toBe(1);
  deadlines.stop();
  expect(vi.getTimerCount()).toBe(0);
});
