/** What Tooltray saved, over the periods that the dashboard shows. */
import type { SavingsReport } from '../../core/activity/ledger/savings.ts';
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
