/** Token budgets of apps: reported once at 80 and at 100 %, by app, user, and day. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TokenBudgets } from '../../../src-main/core/activity/token-budgets.ts';

interface Harness {
  readonly notice: (app?: string, user?: string) => Promise<string | undefined>;
  tokens: number;
  now: number;
}

const hour = 3_600_000;

function harness(budgets: Record<string, number>): Harness {
  const state = { tokens: 0, now: new Date(2026, 10, 28, 9).getTime() };
  const parts = new TokenBudgets({
    budgets: () => budgets,
    activity: { ask: (async () => state.tokens) as never },
    now: () => state.now,
  });
  return Object.assign(state, {
    // The total read by a call applies to the next one.
    notice: async (app = 'cursor', user?: string) => {
      state.now += 5000;
      const first = parts.notice(app, user);
      await setImmediate();
      return first ?? parts.notice(app, user);
    },
  });
}

test('is told once at 80 % and once at 100 %, and again on the next day', async () => {
  const own = harness({ cursor: 1000 });
  const noticeAt = async (tokens: number): Promise<boolean> => {
    own.tokens = tokens;
    return (await own.notice()) !== undefined;
  };
  expect(await noticeAt(799)).toBe(false);
  expect(await noticeAt(800)).toBe(true);
  expect(await noticeAt(900)).toBe(false);
  expect(await noticeAt(1000)).toBe(true);
  expect(await noticeAt(2000)).toBe(false);
  own.now += 24 * hour;
  expect(await noticeAt(900)).toBe(true);
});

test('is told at 100 % alone if both shares are passed at once', async () => {
  const own = harness({ '*': 100 });
  own.tokens = 5000;
  expect(await own.notice()).toContain('used up');
  expect(await own.notice()).toBeUndefined();
});

test('says nothing without a budget, and uses that of the app first', async () => {
  const own = harness({ cursor: 10_000, other: 10 });
  own.tokens = 100;
  expect(await own.notice('cursor')).toBeUndefined();
  expect(await own.notice('constructor')).toBeUndefined();
  expect(await own.notice('other')).toBeDefined();
  expect(await own.notice('other', 'anna')).toBeDefined();
});
