/** The table of calls: inserts within the bounds, token counts, and the questions people ask. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import {
  type ActivityEntry,
  type ActivityFilter,
  type ActivityStats,
  type CallOutcome,
  callOutcomes,
  type CallRow,
  columns,
  type SparseFields,
  type ToolActivity,
  isProblem,
} from './call-record.ts';
import type { CallTokens } from './token-backlog.ts';
import { prepareCached, runInTransaction } from '../base/private-database.ts';
import { deleteOldest, queryNumber } from './size-limit.ts';

export interface RetentionLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

export interface CountedTokens extends CallTokens {
  readonly id: number;
}

const columnNames = columns.map(({ name }) => name);
const insertSql = `INSERT INTO calls (${columnNames.join(', ')}) VALUES (${columnNames.map(() => '?').join(', ')})`;

/** Inserts the rows, with what few of them have, in one transaction and returns their ids, in order. */
export function insertRows(database: DatabaseSync, rows: readonly CallRow[], rare: readonly SparseFields[]): number[] {
  return runInTransaction(database, () => {
    const insert = prepareCached(database, insertSql);
    const ids = rows.map((row) => Number(insert.run(...row).lastInsertRowid));
    noteRare(database, ids, rare);
    return ids;
  });
}

function noteRare(database: DatabaseSync, ids: readonly number[], rare: readonly SparseFields[]): void {
  const keep = (table: 'callUnkept' | 'callPassed', rows: readonly (string | number | null)[][]): void => {
    if (rows.length === 0) return;
    const insert = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${rows[0]?.map(() => '?').join(', ')})`);
    for (const row of rows) insert.run(...row);
    database.exec(`DELETE FROM ${table} WHERE id < (SELECT min(id) FROM calls)`);
  };
  const unkept: (string | number)[][] = [];
  const passed: (string | number | null)[][] = [];
  for (const [at, id] of ids.entries()) {
    const facts = rare[at];
    if (facts?.unkept !== undefined) unkept.push([id, facts.unkept]);
    if (facts?.passed !== undefined) passed.push([id, facts.passed, facts.limitBytes ?? null]);
  }
  keep('callUnkept', unkept);
  keep('callPassed', passed);
}

/** Fills in token counts; those of records deleted meanwhile are dropped. */
export function updateTokens(database: DatabaseSync, counts: readonly CountedTokens[]): void {
  if (counts.length === 0) return;
  runInTransaction(database, () => {
    const update = prepareCached(
      database,
      'UPDATE calls SET tokensIn = ?, tokensSent = ?, tokensOut = ?, tokensEstimated = ? WHERE id = ?',
    );
    for (const { id, tokensIn, tokensSent, tokensOut, estimated } of counts)
      update.run(tokensIn, tokensSent, tokensOut, Number(estimated), id);
  });
}

/** Fills in what was found in answers; that of records deleted meanwhile is dropped. */
export function updateLabels(
  database: DatabaseSync,
  labelled: readonly { readonly id: number; readonly labels: string }[],
): void {
  if (labelled.length === 0) return;
  runInTransaction(database, () => {
    const insert = database.prepare('INSERT OR REPLACE INTO callLabels SELECT id, ? FROM calls WHERE id = ?');
    for (const { id, labels } of labelled) insert.run(labels, id);
    database.exec('DELETE FROM callLabels WHERE id < (SELECT min(id) FROM calls)');
  });
}

/** Deletes the oldest records that are too many or take too much room; their pages are used again or given back. */
export function trimCalls(database: DatabaseSync, { maxRows, maxBytes }: RetentionLimits): void {
  prepareCached(database, 'DELETE FROM calls WHERE id <= (SELECT max(id) FROM calls) - ?').run(maxRows);
  deleteOldest(database, ['calls', 'steps'], maxBytes);
}

/** Whole records, up to their conditions. */
export const selectCalls = `SELECT *, (SELECT labels FROM callLabels WHERE callLabels.id = calls.id) AS labels,
  (SELECT why FROM callUnkept WHERE callUnkept.id = calls.id) AS unkept,
  (SELECT why FROM callPassed WHERE callPassed.id = calls.id) AS passed,
  (SELECT limitBytes FROM callPassed WHERE callPassed.id = calls.id) AS limitBytes FROM calls`;

/** The newest records first. */
export function recentCalls(database: DatabaseSync, filter: ActivityFilter, limit: number): ActivityEntry[] {
  const { beforeId, since, ...equal } = filter;
  const conditions = Object.entries(equal).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const clauses = ['id < ?', 'startedAt >= ?', ...conditions.map(([column]) => `${knownColumn(column)} = ?`)];
  const rows = database
    .prepare(`${selectCalls} WHERE ${clauses.join(' AND ')} ORDER BY id DESC LIMIT ?`)
    .all(beforeId ?? Number.MAX_SAFE_INTEGER, since ?? 0, ...conditions.map(([, value]) => value), limit);
  return rows.map(toEntry);
}

export function callStats(database: DatabaseSync): ActivityStats {
  const tools = database.prepare(toolSql).all() as unknown as ToolActivity[];
  const counts = database.prepare('SELECT outcome, count(*) AS n FROM calls GROUP BY outcome').all();
  const countOf = (outcome: string) => Number(counts.find((row) => row['outcome'] === outcome)?.['n'] ?? 0);
  const sum = (field: 'calls' | 'tokensIn' | 'tokensOut' | 'resultBytes' | 'givenBytes') =>
    tools.reduce((total, tool) => total + tool[field], 0);
  return {
    calls: sum('calls'),
    outcomes: Object.fromEntries(callOutcomes.map((each) => [each, countOf(each)])) as Record<CallOutcome, number>,
    tokensIn: sum('tokensIn'),
    tokensOut: sum('tokensOut'),
    resultBytes: sum('resultBytes'),
    givenBytes: sum('givenBytes'),
    since: queryNumber(database, 'SELECT min(startedAt) AS n FROM calls') || undefined,
    tools: tools.map((tool) => ({ ...tool })),
  };
}

const toolSql = `SELECT server, tool, count(*) AS calls, sum(${isProblem}) AS failures,
  avg(durationMs) AS averageMs, max(durationMs) AS maxMs, max(startedAt) AS lastUsedAt,
  sum(resultBytes) AS resultBytes, sum(givenBytes) AS givenBytes,
  coalesce(sum(tokensIn), 0) AS tokensIn, coalesce(sum(tokensOut), 0) AS tokensOut
  FROM calls GROUP BY server, tool ORDER BY calls DESC, server, tool`;

/** Names of columns go into the SQL itself, so only ours may. */
function knownColumn(name: string): string {
  const column = columnNames.find((each) => each === name);
  if (column === undefined) throw new TypeError(`no such filter: ${name}`);
  return column;
}

export function toEntry(row: Record<string, SQLOutputValue>): ActivityEntry {
  const { tokensEstimated, ...rest } = row;
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return { ...(present as unknown as ActivityEntry), tokensEstimated: tokensEstimated === 1 };
}
