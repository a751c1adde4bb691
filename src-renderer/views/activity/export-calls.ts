/** Exports calls that match the filter, as JSON or CSV. */
import type { ActivityPage, ActivityQuery, CallSummary } from '../../../src-main/rpc/contract.ts';
import { csvText } from '../../lib/csv.ts';

export type ExportFormat = 'json' | 'csv';

type Cell = (call: Omit<CallSummary, 'at'> & { readonly at: string }) => string | number | boolean | undefined;

const columns: readonly (readonly [name: string, cell: Cell])[] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['user', ({ user }) => user],
  ['app', ({ app }) => app],
  ['mode', ({ mode }) => mode],
  ['server', ({ server }) => server],
  ['tool', ({ tool }) => tool],
  ['via', ({ via }) => via],
  ['reason', ({ declared }) => declared.reason],
  ['outcome', ({ outcome }) => outcome],
  ['error', ({ error }) => error],
  ['durationMs', ({ durationMs }) => durationMs],
  ['requestTokens', ({ tokens }) => tokens.request],
  ['serverResultTokens', ({ tokens }) => tokens.serverResult],
  ['modelResultTokens', ({ tokens }) => tokens.modelResult],
  ['estimated', ({ tokens }) => tokens.estimated],
  ['requestBytes', ({ bytes }) => bytes.request],
  ['serverResultBytes', ({ bytes }) => bytes.serverResult],
  ['modelResultBytes', ({ bytes }) => bytes.modelResult],
  ['spillId', ({ spillId }) => spillId],
];

/** Page by page; calls recorded meanwhile are excluded. */
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
  // The user column exists only if the calls belong to several users.
  const shown = columns.filter(([name]) => name !== 'user' || calls.some(({ user }) => user !== undefined));
  return csvText([shown.map(([name]) => name), ...rows.map((row) => shown.map(([, cellOf]) => cellOf(row)))]);
}
