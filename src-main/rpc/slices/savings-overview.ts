/** What Tooltray saved, over the periods that the dashboard shows. */
import { callsByServer, callsPerHour, type HourOfCalls, type ServerCalls } from '../../core/activity/call-sums.ts';
import type { SavingsReport } from '../../core/activity/ledger/ledger-table.ts';
import type { Aggregator } from '../../core/aggregator.ts';
import type { SavingsOverview, SavingsPeriod, SavingsSummary } from '../contract.ts';

const dayMs = 86_400_000;

export async function savingsOverview({ ledger, options }: Aggregator): Promise<SavingsOverview> {
  const { perMillionTokens, currency } = options.config.current.price;
  const midnight = new Date().setHours(0, 0, 0, 0);
  const since: Readonly<Record<SavingsPeriod, number | undefined>> = {
    today: midnight,
    week: midnight - 6 * dayMs,
    month: midnight - 29 * dayMs,
    all: undefined,
  };
  const reports = await Promise.all(
    Object.entries(since).map(async ([period, from]) => [period, await ledger.savings({ since: from })] as const),
  );
  const [, { tokenizer, assumptions }] = reports[0] as (typeof reports)[number];
  return {
    periods: Object.fromEntries(
      reports.map(([period, report]) => [period, summary(report)]),
    ) as SavingsOverview['periods'],
    tokenizer,
    assumptions,
    pricePerMillion: perMillionTokens,
    currency,
  };
}

function summary({ total, causes }: SavingsReport): SavingsSummary {
  const { baseline, raw, spent, given, readBack, net, estimatedShare } = total;
  return {
    without: baseline + raw,
    with: spent + given + readBack,
    net,
    estimatedShare,
    causes: causes.map(({ key, net: saved }) => ({ cause: key, net: saved })),
  };
}

// The last day's calls in sums, worked out anew every two seconds at the most: a busy day has a hundred thousand of them.

const freshMs = 2000;
const hours = 24;

export class DayOfCalls {
  readonly #activity: Aggregator['activity'];
  #servers: readonly ServerCalls[] = [];
  #hours: readonly HourOfCalls[] = [];
  #at = 0;

  constructor(activity: Aggregator['activity']) {
    this.#activity = activity;
  }

  /** Those that cost most first. */
  get servers(): readonly ServerCalls[] {
    this.#refresh();
    return this.#servers;
  }

  /** Oldest first. */
  get hours(): readonly HourOfCalls[] {
    this.#refresh();
    return this.#hours;
  }

  #refresh(): void {
    const now = Date.now();
    if (now - this.#at < freshMs) return;
    this.#at = now;
    this.#activity.query((database, stretches) => {
      this.#servers = callsByServer(database, now - dayMs, stretches);
      this.#hours = callsPerHour(database, now, hours, stretches);
    });
  }
}
