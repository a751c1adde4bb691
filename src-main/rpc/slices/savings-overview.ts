/** What Tooltray saved, over the periods that the dashboard shows. */
import { callsByServer, type ServerCalls } from '../../core/activity/call-sums.ts';
import type { SavingsQuestion, SavingsReport } from '../../core/activity/ledger/ledger-table.ts';
import { dayBegins } from '../../core/activity/local-time.ts';
import type { Aggregator } from '../../core/aggregator.ts';
import type { SavingsOverview, SavingsPeriod, SavingsSummary } from '../contract.ts';

const dayMs = 86_400_000;

/** `savings`: of what is on record since then, wherever that lies. */
export async function savingsOverview(
  { options }: Pick<Aggregator, 'options'>,
  savings: (question: Pick<SavingsQuestion, 'since'>) => Promise<SavingsReport>,
): Promise<SavingsOverview> {
  const { perMillionTokens, currency } = options.config.current.price;
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

/** From when on, in ms since the epoch: whole days, as the charts have them. */
export function savingsPeriods(now = Date.now()): Readonly<Record<SavingsPeriod, number | undefined>> {
  return { today: dayBegins(now), week: dayBegins(now, -6), month: dayBegins(now, -29), all: undefined };
}

export function savingsSummary({ total, causes }: SavingsReport): Omit<SavingsSummary, 'since'> {
  const { baseline, answers, raw, spent, given, readBack, net, estimatedShare } = total;
  return {
    without: baseline + answers,
    uncapped: baseline + Math.max(answers, raw),
    with: spent + given + readBack,
    net,
    estimatedShare,
    causes: causes.map(({ key, net: saved }) => ({ cause: key, net: saved })),
  };
}

// The last day's calls in sums, worked out anew every two seconds at the most: a busy day has a hundred thousand of them.

const freshMs = 2000;

export class DayOfCalls {
  readonly #activity: Aggregator['activity'];
  #servers: readonly ServerCalls[] = [];
  #at = 0;

  constructor(activity: Aggregator['activity']) {
    this.#activity = activity;
  }

  /** Those that cost most first. */
  get servers(): readonly ServerCalls[] {
    this.#refresh();
    return this.#servers;
  }

  #refresh(): void {
    const now = Date.now();
    if (now - this.#at < freshMs) return;
    this.#at = now;
    this.#activity.query((database, stretches) => {
      this.#servers = callsByServer(database, now - dayMs, stretches);
    });
  }
}
