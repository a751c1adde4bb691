/** Merges pages of calls into one list, newest first. Pure. */
import type { ActivityPage, CallSummary } from '../../../src-main/rpc/contract.ts';

export type Totals = Pick<ActivityPage, 'total' | 'failed' | 'tokens'>;

/** Tokens are counted after a call is shown; later ones are not polled for, in ms. */
const countedWithinMs = 60_000;
/** Only rows near the top can be that young. */
const looksAt = 60;

/** Prepends new calls, and replaces those that were updated. */
export function withNewer(newer: readonly CallSummary[], calls: readonly CallSummary[]): readonly CallSummary[] {
  const last = newer.at(-1);
  return last === undefined ? calls : [...newer, ...calls.filter(({ id }) => id < last.id)];
}

export function withOlder(calls: readonly CallSummary[], older: readonly CallSummary[]): readonly CallSummary[] {
  const last = calls.at(-1)?.id ?? Infinity;
  return [...calls, ...older.filter(({ id }) => id < last)];
}

/** ID after which to poll: newer calls than `newest`, and those without token counts yet. */
export function askAfter(calls: readonly CallSummary[], newest: number, now: number): number {
  const uncounted = calls
    .slice(0, looksAt)
    .findLast(({ tokens, at }) => tokens.modelResult === undefined && now - at < countedWithinMs);
  return uncounted === undefined ? newest : Math.min(newest, uncounted.id - 1);
}

export function totalsOf({ total, failed, tokens }: ActivityPage): Totals {
  return { total, failed, tokens };
}
