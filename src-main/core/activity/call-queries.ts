/** What the dashboard asks of the table of calls. Times in ms since the epoch. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { ActivityEntry, CallOutcome } from './call-record.ts';
import { toEntry } from './call-table.ts';

export interface CallSearch {
  /** Stands in the name of the server or tool, in the reason given, or in the error. */
  readonly text?: string | undefined;
  readonly outcomes?: readonly CallOutcome[] | undefined;
  readonly spilled?: boolean | undefined;
  readonly app?: string | undefined;
  readonly server?: string | undefined;
}

export interface CallPage {
  readonly calls: readonly ActivityEntry[];
  /** Of everything that fits, not of the page alone. */
  readonly total: number;
  readonly failed: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface PageRange {
  readonly beforeId?: number | undefined;
  readonly afterId?: number | undefined;
  readonly limit: number;
}

/** The newest that fit first. */
export function searchCalls(
  database: DatabaseSync,
  search: CallSearch,
  { beforeId, afterId, limit }: PageRange,
): CallPage {
  const { clauses, values } = conditionsOf(search);
  const where = clauses.length === 0 ? 'TRUE' : clauses.join(' AND ');
  const calls = database
    .prepare(`SELECT * FROM calls WHERE ${where} AND id < ? AND id > ? ORDER BY id DESC LIMIT ?`)
    .all(...values, beforeId ?? Number.MAX_SAFE_INTEGER, afterId ?? 0, limit);
  const sums = database
    .prepare(
      `SELECT count(*) AS total, coalesce(sum(outcome <> 'ok'), 0) AS failed,
       coalesce(sum(tokensIn), 0) AS tokensIn, coalesce(sum(tokensOut), 0) AS tokensOut FROM calls WHERE ${where}`,
    )
    .get(...values);
  const of = (name: string): number => Number(sums?.[name] ?? 0);
  const [total, failed, tokensIn, tokensOut] = [of('total'), of('failed'), of('tokensIn'), of('tokensOut')];
  return { calls: calls.map(toEntry), total, failed, tokensIn, tokensOut };
}

function conditionsOf({ text, outcomes, spilled, app, server }: CallSearch): {
  clauses: string[];
  values: SQLInputValue[];
} {
  const clauses: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (clause: string, ...more: SQLInputValue[]): void => {
    clauses.push(clause);
    values.push(...more);
  };
  if (outcomes !== undefined && outcomes.length > 0) {
    add(`outcome IN (${outcomes.map(() => '?').join(', ')})`, ...outcomes);
  }
  if (spilled === true) add('spillId IS NOT NULL');
  if (app !== undefined) add('app = ?', app);
  if (server !== undefined) add('server = ?', server);
  if (text !== undefined && text !== '') {
    // instr() knows no wildcards: what a person types is looked for as it stands.
    add(
      `instr(lower(server || ':' || tool || ' ' || coalesce(why, '') || ' ' || coalesce(errorText, '')), lower(?)) > 0`,
      text,
    );
  }
  return { clauses, values };
}

/** The record of one call; undefined where it is gone. */
export function findCall(database: DatabaseSync, id: number): ActivityEntry | undefined {
  const row = database.prepare('SELECT * FROM calls WHERE id = ?').get(id);
  return row === undefined ? undefined : toEntry(row);
}

/** The record of the call whose answer was kept under this id; undefined where it is gone. */
export function callOfSpill(database: DatabaseSync, spillId: string): number | undefined {
  const row = database.prepare('SELECT id FROM calls WHERE spillId = ? ORDER BY id DESC LIMIT 1').get(spillId);
  return row === undefined ? undefined : Number(row['id']);
}

export interface HourOfCalls {
  /** Start of the hour. */
  readonly from: number;
  readonly ok: number;
  readonly failed: number;
}

const hourMs = 3_600_000;

/**
 * An id that all calls begun at `since` or later come after: found from the newest on, so that a table of a hundred thousand is
 * not read for a day's calls. Calls are written when they end; hardly one takes an hour.
 */
function idBefore(database: DatabaseSync, since: number): number {
  const row = database.prepare('SELECT id FROM calls WHERE startedAt < ? ORDER BY id DESC LIMIT 1').get(since - hourMs);
  return Number(row?.['id'] ?? 0);
}

/** The last `hours` hours up to `now`, oldest first, those without a call included. */
export function callsPerHour(database: DatabaseSync, now: number, hours: number): HourOfCalls[] {
  const first = Math.floor(now / hourMs) - hours + 1;
  const rows = database
    .prepare(
      `SELECT startedAt / ${hourMs} AS hour, sum(outcome = 'ok') AS ok, sum(outcome <> 'ok') AS failed
       FROM calls WHERE id > ? AND startedAt >= ? GROUP BY hour`,
    )
    .all(idBefore(database, first * hourMs), first * hourMs);
  const byHour = new Map(rows.map((row) => [Number(row['hour']), row]));
  return Array.from({ length: hours }, (_, index) => {
    const row = byHour.get(first + index);
    return { from: (first + index) * hourMs, ok: Number(row?.['ok'] ?? 0), failed: Number(row?.['failed'] ?? 0) };
  });
}

export interface ServerCalls {
  readonly server: string;
  readonly calls: number;
  readonly failures: number;
  /** Of the latest calls; undefined where none of them is this server's. */
  readonly medianMs: number | undefined;
  /** Arguments and answers together. */
  readonly tokens: number;
}

/** Newest calls that medians are taken of: ordering a day's hundred thousand would hold everybody up. */
const medianOf = 2000;

/** Calls begun at `since` or later, the servers that cost most first. */
export function callsByServer(database: DatabaseSync, since: number): ServerCalls[] {
  const medians = recentMedians(database);
  return database
    .prepare(
      `SELECT server, count(*) AS calls, sum(outcome <> 'ok') AS failures,
         sum(coalesce(tokensIn, 0) + coalesce(tokensOut, 0)) AS tokens
       FROM calls WHERE id > ? AND startedAt >= ? AND server <> '' GROUP BY server ORDER BY tokens DESC, server`,
    )
    .all(idBefore(database, since), since)
    .map((row) => ({
      server: String(row['server']),
      calls: Number(row['calls']),
      failures: Number(row['failures']),
      tokens: Number(row['tokens']),
      medianMs: medians.get(String(row['server'])),
    }));
}

/** By server, of its calls among the newest, in ms. */
function recentMedians(database: DatabaseSync): ReadonlyMap<string, number> {
  const rows = database.prepare('SELECT server, durationMs FROM calls ORDER BY id DESC LIMIT ?').all(medianOf);
  const byServer = Map.groupBy(rows, (row) => String(row['server']));
  return new Map(
    [...byServer].map(([server, calls]) => [server, median(calls.map((row) => Number(row['durationMs'])))]),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** The oldest call on record that a client app made, not the person. */
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
