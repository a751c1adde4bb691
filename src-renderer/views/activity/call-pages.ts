/** Pages of calls put together to one list, the newest first. Pure. */
import type { ActivityPage, CallSummary } from '../../../src-main/rpc/contract.ts';

export type Totals = Pick<ActivityPage, 'total' | 'failed' | 'tokens'>;

/** Tokens are counted after a call is shown; after this long nobody waits for them any more, in ms. */
const countedWithinMs = 60_000;
/** Only rows near the top can be that young. */
const looksAt = 60;

/** Calls that came later, or know more than they did, in front of those we have. */
export function withNewer(newer: readonly CallSummary[], calls: readonly CallSummary[]): readonly CallSummary[] {
  const last = newer.at(-1);
  return last === undefined ? calls : [...newer, ...calls.filter(({ id }) => id < last.id)];
}

export function withOlder(calls: readonly CallSummary[], older: readonly CallSummary[]): readonly CallSummary[] {
  const last = calls.at(-1)?.id ?? Infinity;
  return [...calls, ...older.filter(({ id }) => id < last)];
}

/** Calls after this one are worth asking for: they are newer than `newest`, or their tokens were not counted yet. */
export function askAfter(calls: readonly CallSummary[], newest: number, now: number): number {
  const uncounted = calls
    .slice(0, looksAt)
    .findLast(({ tokens, at }) => tokens.modelResult === undefined && now - at < countedWithinMs);
  return uncounted === undefined ? newest : Math.min(newest, uncounted.id - 1);
}

export function totalsOf({ total, failed, tokens }: ActivityPage): Totals {
  return { total, failed, tokens };
}
