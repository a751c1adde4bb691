/** Calls as a file: everything that fits the filter, as JSON or as a table for a spreadsheet. */
import type { ActivityPage, ActivityQuery, CallSummary } from '../../../src-main/rpc/contract.ts';
import { csvText } from '../../lib/csv.ts';

export type ExportFormat = 'json' | 'csv';

/** The user column exists only if the calls belong to several users. */
const columns = [
  ...([
    'id',
    'at',
    'user',
    'app',
    'mode',
    'server',
    'tool',
    'via',
    'reason',
    'outcome',
    'error',
    'durationMs',
  ] as const),
  ...([
    'tokensIn',
    'tokensSent',
    'tokensOut',
    'estimated',
    'argumentBytes',
    'resultBytes',
    'givenBytes',
    'spillId',
  ] as const),
];

/** Page by page; those that come meanwhile are left out. */
export async function readAllCalls(
  ask: (query: ActivityQuery) => Promise<ActivityPage>,
  search: ActivityQuery,
  onprogress: (read: number, total: number) => void,
): Promise<readonly CallSummary[]> {
  const calls: CallSummary[] = [];
  for (let beforeId = Number.MAX_SAFE_INTEGER; ;) {
    const page = await ask({ ...search, beforeId, limit: 1000 });
    calls.push(...page.calls);
    onprogress(calls.length, page.total);
    const last = page.calls.at(-1);
    if (!page.more || last === undefined) return calls;
    beforeId = last.id;
  }
}

export function exportText(calls: readonly CallSummary[], format: ExportFormat): string {
  const rows = calls.map((call) => ({ ...call, at: new Date(call.at).toISOString() }));
  if (format === 'json') return `${JSON.stringify(rows, undefined, 2)}\n`;
  const shown = columns.filter((column) => column !== 'user' || calls.some(({ user }) => user !== undefined));
  return csvText([shown, ...rows.map((row) => shown.map((column) => row[column]))]);
}
