/** Sums over the recorded calls. Times in ms since the epoch. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type CallOutcome, isProblem, type PerPayload } from '../call-record.ts';

export interface CallTotals {
  /** Totals over all matching calls. */
  readonly total: number;
  readonly failed: number;
  readonly tokens: Pick<PerPayload<number>, 'request' | 'modelResult'>;
}

export interface ServerTotals {
  readonly server: string;
  readonly calls: number;
  readonly failures: number;
  /** Median over the latest calls; undefined if none used this server. */
  readonly medianMs: number | undefined;
  /** Arguments and results together. */
  readonly tokens: number;
}

/** Number of newest calls for medians. */
const medianSampleSize = 2000;

export function callTotals(database: DatabaseSync, search: CallSearch): CallTotals {
  const { clauses, values } = whereClauses(search);
  const row = database
    .prepare(
      `SELECT count(*) AS total, coalesce(sum(${isProblem}), 0) AS failed,
       coalesce(sum(requestTokens), 0) AS request, coalesce(sum(modelResultTokens), 0) AS modelResult
       FROM calls WHERE ${['TRUE', ...clauses].join(' AND ')}`,
    )
    .get(...values);
  const of = (name: string): number => Number(row?.[name] ?? 0);
  return {
    total: of('total'),
    failed: of('failed'),
    tokens: { request: of('request'), modelResult: of('modelResult') },
  };
}

/** Tokens sent to an app since then, including lists and searches; `user` undefined: the user of a desktop. */
export function tokensSent(database: DatabaseSync, app: string, user: string | undefined, since: number): number {
  const sum = 'SELECT coalesce(sum(given), 0) AS n FROM steps WHERE app = ? AND user IS ? AND startedAt >= ?';
  return Number(database.prepare(sum).get(app, user ?? null, since)?.['n']);
}

/** Calls started at `since` or later, the most expensive servers first. */
export function callsByServer(database: DatabaseSync, since: number): ServerTotals[] {
  const rows = database
    .prepare(
      `SELECT server, count(*) AS calls, sum(${isProblem}) AS failures,
       sum(coalesce(requestTokens, 0) + coalesce(modelResultTokens, 0)) AS tokens
       FROM calls WHERE server <> '' AND startedAt >= ? GROUP BY server ORDER BY tokens DESC, server`,
    )
    .all(since);
  const medians = recentMedians(database);
  return rows.map((row): ServerTotals => {
    const server = String(row['server']);
    const of = (name: string): number => Number(row[name]);
    return {
      server,
      calls: of('calls'),
      failures: of('failures'),
      tokens: of('tokens'),
      medianMs: medians.get(server),
    };
  });
}

/** Returns the median duration per server over the newest calls, in ms. */
function recentMedians(database: DatabaseSync): ReadonlyMap<string, number> {
  const rows = database.prepare('SELECT server, durationMs FROM calls ORDER BY id DESC LIMIT ?').all(medianSampleSize);
  const byServer = Map.groupBy(rows, (row) => String(row['server']));
  return new Map(
    [...byServer].map(([server, calls]) => [server, median(calls.map((row) => Number(row['durationMs'])))]),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** The filters of a search, and their conditions in SQL. */
export interface CallSearch {
  /** Text in the name of the server or tool, the reason, or the error. */
  readonly text?: string | undefined;
  /** These calls match as well: their payloads contain the text. */
  readonly found?: readonly number[] | undefined;
  readonly outcomes?: readonly CallOutcome[] | undefined;
  readonly spilled?: boolean | undefined;
  readonly app?: string | undefined;
  readonly server?: string | undefined;
  /** Only calls started at `since` or later and before `until`, in ms since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export function whereClauses({ text, found = [], outcomes, spilled, app, server, since, until }: CallSearch): {
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
  if (since !== undefined) add('startedAt >= ?', since);
  if (until !== undefined) add('startedAt < ?', until);
  if (text !== undefined && text !== '') {
    // instr() has no wildcards, so the user's text is matched literally.
    const named = `instr(lower(server || ':' || tool || ' ' || coalesce(reason, '') || ' ' || coalesce(errorText, '')), lower(?)) > 0`;
    if (found.length === 0) add(named, text);
    else add(`(${named} OR id IN (SELECT value FROM json_each(?)))`, text, JSON.stringify(found));
  }
  return { clauses, values };
}
