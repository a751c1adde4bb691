/** Events that are kept for a client whose stream broke. */
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

test('keeps no event of a megabyte, and nothing beyond what all streams may hold together', () => {
  const budget = new ReplayBudget();
  const [one, other] = [new ReplayBuffer(budget), new ReplayBuffer(budget)];
  one.add(1, ['x'.repeat(1_000_000)]);
  expect(one.after(0)).toEqual([]);
  for (let number = 1; number <= 20; number++) one.add(number, ['x'.repeat(900_000)]);
  other.add(1, ['x'.repeat(900_000)]);
  expect([one.after(0).length, other.after(0)]).toEqual([17, []]);
  one.clear();
  other.add(2, ['y']);
  expect([other.after(0), budget.bytes]).toEqual([['y'], 1]);
});
