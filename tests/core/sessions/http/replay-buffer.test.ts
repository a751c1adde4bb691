/** Keeps events for a client with a broken stream. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReplayBudget, ReplayBuffer } from '../../../../src-main/core/sessions/http/replay-buffer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('keeps events until a minute after the last one', () => {
  const budget = new ReplayBudget();
  const buffer = new ReplayBuffer(budget);
  const expired = vi.fn();
  buffer.add(1, ['one']);
  vi.advanceTimersByTime(3_600_000);
  buffer.add(2, ['tw', Buffer.from('ö')]);
  buffer.expire(expired);
  vi.advanceTimersByTime(59_999);
  expect([buffer.after(0), buffer.after(1), buffer.after(2)]).toEqual([['one', 'twö'], ['twö'], []]);
  expect(expired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect([buffer.after(0), budget.bytes, expired.mock.calls.length]).toEqual([[], 0, 1]);
});

test('keeps no event of a megabyte, and drops the oldest ones of a stream that has many', () => {
  const budget = new ReplayBudget();
  const buffer = new ReplayBuffer(budget);
  buffer.add(1, ['x'.repeat(1_000_000)]);
  expect(buffer.after(0)).toEqual([]);
  for (let number = 2; number <= 1000; number++) buffer.add(number, [`${number}${'x'.repeat(9_000)}`]);
  buffer.add(1001, ['the result']);
  const kept = buffer.after(0);
  expect([kept.at(-1), kept.length > 200, budget.bytes <= 2_000_000]).toEqual(['the result', true, true]);
  expect(kept[0]?.startsWith(String(1001 - kept.length + 1))).toBe(true);
});

test('keeps no more than the limit for all streams together', () => {
  const budget = new ReplayBudget();
  const buffers = Array.from({ length: 9 }, () => new ReplayBuffer(budget));
  for (const buffer of buffers) for (const number of [1, 2]) buffer.add(number, ['x'.repeat(999_999)]);
  expect(buffers.map((buffer) => buffer.after(0).length)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 0]);
  buffers[0]?.clear();
  buffers[8]?.add(3, ['y']);
  expect([buffers[8]?.after(0), budget.bytes]).toEqual([['y'], 14 * 999_999 + 1]);
});
