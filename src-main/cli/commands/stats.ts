/** `tooltray stats`: prints the tokens saved and spent by Tooltray. */
import { pluralize } from '../../core/base/text-format.ts';
import type { PricedSavings, SavingsKey, SavingsTotals } from '../../rpc/contract.ts';
import { warnOfStores, withCore } from '../core-access.ts';
import { command, commonFlags, sinceFlag, usageError } from '../command.ts';
import { oneLine, paint, printResult, table } from '../terminal.ts';

const keys: readonly SavingsKey[] = ['app', 'server', 'tool', 'day', 'cause', 'session', 'mode'];
const headers = ['BASELINE', 'OVERHEAD', 'RESULTS', 'RETURNED', 'READ BACK', 'SAVED', 'FROM SERVERS', 'CALLS'];

export const stats = command({
  flags: {
    by: { value: 'KEY', help: 'Group by cause (default), app, server, tool, day, session or mode' },
    since: sinceFlag,
    ...commonFlags,
  },
  notes: [
    'WITHOUT US: lists and instructions without Tooltray. SPENT: Tooltray’s own lists and texts.',
    'ANSWERS: server results as the apps would have read them. GIVEN: what they got. READ BACK: later reads of',
    'spills. SENT: full size of server results, not part of the net, because apps truncate results.',
  ],
  async run({ by: wanted = 'cause', since, config, json }) {
    const by = keys.find((key) => key === wanted);
    if (by === undefined) throw usageError(`--by must be one of: ${keys.join(', ')}`);
    const report = await withCore(config, async (core) => {
      const found = await core.ask('savings', { by, ...(since !== undefined && { since }) });
      await warnOfStores(core, 'activity');
      return found;
    });
    printResult(json, report, () => reportLines(report));
    return 0;
  },
});

export function reportLines(report: PricedSavings): string[] {
  const { by, rows, total, tokenizer } = report;
  if (rows.length === 0) return ['No data for this period.'];
  const lines = rows.map((row) => [nameOf(row.key, row.app, by), ...cells(row)]);
  return [
    ...table([by.toUpperCase(), ...headers], [...lines, ['total', ...cells(total)]]),
    '',
    ...sentences(report),
    paint('quiet', `Counted with ${tokenizer}. For assumptions see: tooltray stats --json`),
  ];
}

/** Sums up the figures; a loss is named as such. */
function sentences({ total, breakEven, price }: PricedSavings): string[] {
  const { net, estimatedShare } = total;
  const worth = price === undefined ? '' : `, ${money(Math.abs(price.net))} ${oneLine(price.currency)}`;
  const verdict =
    net >= 0
      ? `Tooltray saved ${number(net)} ${pluralize(net, 'token')}${worth}.`
      : `Tooltray cost ${number(-net)} ${pluralize(-net, 'token')} more than it saved${worth}.`;
  const estimated = estimatedShare === 0 ? [] : [`${percent(estimatedShare)} estimated.`];
  return [[verdict, ...estimated].join(' '), ...breakEvenSentence(breakEven)];
}

function breakEvenSentence({ searches, affordable }: PricedSavings['breakEven']): string[] {
  if (searches === 0) return [];
  if (affordable === undefined) return ['No savings on lists to offset tool discovery.'];
  const made = searches === 1 ? '1 was made' : `${number(searches)} were made`;
  return [`Break-even: list savings cover ${number(affordable)} tool searches; ${made}.`];
}

function nameOf(key: string, app: string | undefined, by: SavingsKey): string {
  if (by === 'session') return oneLine(`${app ?? ''} ${key.slice(0, 8)}`);
  return key === '' ? '(tooltray)' : oneLine(key);
}

function cells({ baseline, spent, results, given, readBack, net, raw, calls }: SavingsTotals): string[] {
  const sums = [baseline, spent, results, given, readBack].map(number);
  return [...sums, paint(net < 0 ? 'bad' : 'good', number(net)), number(raw), number(calls)];
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function money(amount: number): string {
  return amount < 0.01 ? 'less than 0.01' : `about ${amount.toFixed(2)}`;
}

function percent(share: number): string {
  return share < 0.01 ? '<1%' : `${Math.round(share * 100)}%`;
}
