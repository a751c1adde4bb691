/** Tooltray's savings in the periods shown by the dashboard. */
import type { ServerTotals } from '../../core/activity/activity-worker/call-totals.ts';
import type { SavingsQuery, SavingsReport } from '../../core/activity/ledger/ledger-table.ts';
import { startOfDay } from '../../core/activity/local-time.ts';
import type { CoreGroups } from '../../core/core-groups.ts';
import type { SavingsOverview, SavingsPeriod, SavingsSummary } from '../contract.ts';

const dayMs = 86_400_000;

/** `savings` returns the savings since a time, from the activity log of a user or a team. */
export async function savingsOverview(
  { context }: Pick<CoreGroups, 'context'>,
  savings: (question: Pick<SavingsQuery, 'since'>) => Promise<SavingsReport>,
): Promise<SavingsOverview> {
  const { perMillionTokens, currency } = context.config.current.price;
  const reports = await Promise.all(
    Object.entries(savingsPeriods()).map(async ([period, since]) => [period, since, await savings({ since })] as const),
  );
  const [, , { tokenizer, assumptions }] = reports[0] as (typeof reports)[number];
  return {
    periods: Object.fromEntries(
      reports.map(([period, since, report]) => [period, { since, ...savingsSummary(report) }]),
    ) as SavingsOverview['periods'],
    tokenizer,
    assumptions,
    pricePerMillion: perMillionTokens,
    currency,
  };
}

/** Start of each period, in ms since the epoch: whole days, as in the charts. */
export function savingsPeriods(now = Date.now()): Readonly<Record<SavingsPeriod, number | undefined>> {
  return { today: startOfDay(now), week: startOfDay(now, -6), month: startOfDay(now, -29), all: undefined };
}

export function savingsSummary({ total, causes }: SavingsReport): Omit<SavingsSummary, 'since'> {
  const { baseline, results, raw, spent, given, readBack, net, estimatedShare } = total;
  return {
    withoutTooltray: baseline + results,
    uncapped: baseline + Math.max(results, raw),
    withTooltray: spent + given + readBack,
    net,
    estimatedShare,
    causes: causes.map(({ key, net: saved }) => ({ cause: key, net: saved })),
  };
}

// How long the sums of the last day are cached, in ms, because a busy day has a hundred thousand calls.

const freshMs = 2000;

export class DayOfCalls {
  readonly #activity: CoreGroups['activity']['log'];
  #servers: Promise<readonly ServerTotals[]> = Promise.resolve([]);
  #at = 0;

  constructor(activity: CoreGroups['activity']['log']) {
    this.#activity = activity;
  }

  /** Servers by cost, highest first. */
  servers(): Promise<readonly ServerTotals[]> {
    const now = Date.now();
    if (now - this.#at < freshMs) return this.#servers;
    this.#at = now;
    this.#servers = this.#activity.ask('callsByServer', now - dayMs);
    return this.#servers;
  }
}
