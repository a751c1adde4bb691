/** Dashboard queries on the table of calls. Times in ms since the epoch. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type ActivityEntry, isProblem } from '../call-record.ts';
import { type CallSearch, type CallTotals, callTotals, whereClauses } from './call-totals.ts';
import { selectCalls, toEntry } from './call-table.ts';
import { maxRecentTools } from '../recent-tools.ts';
import { queryNumber } from './size-limit.ts';

export interface CallPage extends CallTotals {
  readonly calls: readonly ActivityEntry[];
  /** Id of the newest record, matching or not; 0 if there is none. */
  readonly lastId: number;
  /** Number of matching calls that are newer than `afterId`. */
  readonly newer?: { readonly calls: number; readonly problems: number };
}

export interface PageRange {
  readonly beforeId?: number | undefined;
  readonly afterId?: number | undefined;
  readonly limit: number;
}

/** Newest matches first. */
export function searchCalls(
  database: DatabaseSync,
  search: CallSearch,
  { beforeId, afterId, limit }: PageRange,
): CallPage {
  const { clauses, values } = whereClauses(search);
  const where = clauses.length === 0 ? 'TRUE' : clauses.join(' AND ');
  const calls = database
    .prepare(`${selectCalls} WHERE ${where} AND id < ? AND id > ? ORDER BY id DESC LIMIT ?`)
    .all(...values, beforeId ?? Number.MAX_SAFE_INTEGER, afterId ?? 0, limit);
  return {
    calls: calls.map(toEntry),
    lastId: queryNumber(database, 'SELECT max(id) AS n FROM calls'),
    ...(afterId !== undefined && { newer: newerThan(database, afterId, where, values) }),
    ...callTotals(database, search),
  };
}

/** IDs of the results that the newest matching calls spilled. */
export function spillsOfCalls(database: DatabaseSync, search: CallSearch, limit: number): string[] {
  const { clauses, values } = whereClauses({ ...search, spilled: true });
  return database
    .prepare(`SELECT spillId FROM calls WHERE ${clauses.join(' AND ')} ORDER BY id DESC LIMIT ?`)
    .all(...values, limit)
    .map(({ spillId }) => String(spillId));
}

function newerThan(
  database: DatabaseSync,
  id: number,
  where: string,
  values: readonly SQLInputValue[],
): { readonly calls: number; readonly problems: number } {
  const row = database
    .prepare(
      `SELECT count(*) AS calls, coalesce(sum(${isProblem}), 0) AS problems FROM calls WHERE ${where} AND id > ?`,
    )
    .get(...values, id);
  return { calls: Number(row?.['calls'] ?? 0), problems: Number(row?.['problems'] ?? 0) };
}

/** The record of one call; undefined if it was deleted. */
export function findCall(database: DatabaseSync, id: number): ActivityEntry | undefined {
  const row = database.prepare(`${selectCalls} WHERE id = ?`).get(id);
  return row === undefined ? undefined : toEntry(row);
}

/** Returns the record of the call whose result was spilled under this ID; undefined if it was deleted. */
export function findCallBySpill(database: DatabaseSync, spillId: string): number | undefined {
  const row = database.prepare('SELECT id FROM calls WHERE spillId = ? ORDER BY id DESC LIMIT 1').get(spillId);
  return row === undefined ? undefined : Number(row['id']);
}

/** The oldest recorded call of a client app other than the user. */
export function firstAppCall(database: DatabaseSync): { app: string; tool: string; at: number } | undefined {
  const row = database
    .prepare(
      "SELECT app, server, tool, startedAt FROM calls WHERE sessionId <> 'command-line' AND outcome = 'ok' ORDER BY id LIMIT 1",
    )
    .get();
  if (row === undefined) return undefined;
  return {
    app: String(row['app']),
    tool: `${String(row['server'])}:${String(row['tool'])}`,
    at: Number(row['startedAt']),
  };
}

/** Ids of the tools that the newest calls used successfully, the most recent last. */
export function recentlyUsedTools(database: DatabaseSync): string[] {
  const rows = database
    .prepare(
      `SELECT server, tool, max(id) AS latest FROM (SELECT id, server, tool, outcome FROM calls ORDER BY id DESC LIMIT ?)
       WHERE outcome = 'ok' GROUP BY server, tool ORDER BY latest DESC LIMIT ?`,
    )
    .all(maxScannedCalls, maxRecentTools);
  return rows.map((row) => `${String(row['server'])}:${String(row['tool'])}`).toReversed();
}

const maxScannedCalls = 5_000;
