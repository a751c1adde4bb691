/** Sums over the calls on record, put together from those of stretches. Times in ms since the epoch. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { type CallOutcome, isProblem } from './call-record.ts';

export interface CallTotals {
  /** Totals over all matching calls. */
  readonly total: number;
  readonly failed: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface ServerTotals {
  readonly server: string;
  readonly calls: number;
  readonly failures: number;
  /** Median over the latest calls; undefined if none of them went to this server. */
  readonly medianMs: number | undefined;
  /** Arguments and answers together. */
  readonly tokens: number;
}

type Row = Record<string, SQLOutputValue>;

/** Newest calls that medians are taken of: ordering a day's hundred thousand would hold everybody up. */
const medianSampleSize = 2000;

export function callTotals(database: DatabaseSync, search: CallSearch, stretches: AggregateCache): CallTotals {
  const { clauses, values } = whereClauses(search);
  const read = reader(
    database,
    `SELECT count(*) AS total, coalesce(sum(${isProblem}), 0) AS failed,
     coalesce(sum(tokensIn), 0) AS tokensIn, coalesce(sum(tokensOut), 0) AS tokensOut
     FROM calls WHERE ${[...clauses, 'id BETWEEN ? AND ?'].join(' AND ')}`,
    values,
  );
  const rows = stretches.mapRanges(database, `sums ${JSON.stringify([clauses, values])}`, read).flat();
  const of = (name: string): number => rows.reduce((sum, row) => sum + Number(row[name]), 0);
  return { total: of('total'), failed: of('failed'), tokensIn: of('tokensIn'), tokensOut: of('tokensOut') };
}

/** Calls started at `since` or later, the most expensive servers first. */
export function callsByServer(database: DatabaseSync, since: number, stretches: AggregateCache): ServerTotals[] {
  const sums = `server, count(*) AS calls, sum(${isProblem}) AS failures,
    sum(coalesce(tokensIn, 0) + coalesce(tokensOut, 0)) AS tokens`;
  const where = `FROM calls WHERE server <> '' AND id BETWEEN ? AND ?`;
  const whole = reader(
    database,
    `SELECT ${sums}, min(startedAt) AS since, max(startedAt) AS until ${where} GROUP BY server`,
  );
  const late = reader(database, `SELECT ${sums} ${where} AND startedAt >= ? GROUP BY server`, [], [since]);
  const read = (from: number, to: number): Stretch => ({ from, to, rows: whole(from, to) });
  const rows = stretches.mapRanges(database, 'servers', read).flatMap((one) => {
    if (one.rows.every((row) => Number(row['since']) >= since)) return one.rows;
    return one.rows.every((row) => Number(row['until']) < since) ? [] : late(one.from, one.to);
  });
  const medians = recentMedians(database);
  return [...Map.groupBy(rows, (row) => String(row['server']))]
    .map(([server, own]): ServerTotals => {
      const of = (name: string): number => own.reduce((sum, row) => sum + Number(row[name]), 0);
      return {
        server,
        calls: of('calls'),
        failures: of('failures'),
        tokens: of('tokens'),
        medianMs: medians.get(server),
      };
    })
    .toSorted((a, b) => b.tokens - a.tokens || (a.server < b.server ? -1 : 1));
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly Row[];
}

/** The ids stand between the two lists of values. */
function reader(
  database: DatabaseSync,
  sql: string,
  before: readonly SQLInputValue[] = [],
  after: readonly SQLInputValue[] = [],
): (from: number, to: number) => Row[] {
  const statement = database.prepare(sql);
  return (from, to) => statement.all(...before, from, to, ...after);
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

// Sums over the table of calls, kept by stretches of ids: a window that looks on asks five times a second, and reading
// a hundred thousand records for it each time would hold every call up. Only stretches that changed are read again.

/** Ids from `from` to `to`, both included. */
type ReadStretch<T> = (from: number, to: number) => T;

interface Known {
  readonly change: number;
  readonly from: number;
  readonly value: unknown;
}

const rangeLength = 1000;
/** Filters that are typed letter by letter make as many questions. */
const maxCachedQueries = 20;

export class AggregateCache {
  /** Results keyed by query, least recently used first. */
  readonly #known = new Map<string, Map<number, Known>>();
  /** Change count at the last change of each range. */
  readonly #changed = new Map<number, number>();
  #changes = 0;
  #file = '';

  /** Records were added, or know more than they did. */
  invalidate(ids: Iterable<number>): void {
    this.#changes++;
    for (const id of ids) this.#changed.set(stretchOf(id), this.#changes);
  }

  /** Forgets everything when it is another file, or when another process has written in it. */
  syncWith(database: DatabaseSync, generation: number): void {
    const file = `${generation}.${numberOf(database, 'PRAGMA data_version', 'data_version')}`;
    if (file !== this.#file) this.#known.clear();
    this.#file = file;
  }

  /** Maps each range with `read`, oldest first. `question` identifies the query: equal ones are read once. */
  mapRanges<T>(database: DatabaseSync, question: string, read: ReadStretch<T>): T[] {
    const first = numberOf(database, 'SELECT min(id) AS id FROM calls', 'id');
    const last = numberOf(database, 'SELECT max(id) AS id FROM calls', 'id');
    const known = this.#knownOf(question);
    // Records that are gone are asked about no more.
    for (const map of [known, this.#changed])
      for (const stretch of map.keys()) if (stretch < stretchOf(first)) map.delete(stretch);
    const values: T[] = [];
    for (let stretch = stretchOf(first); first > 0 && stretch <= stretchOf(last); stretch++) {
      values.push(this.#valueOf(known, stretch, Math.max(first, stretch * rangeLength), read));
    }
    return values;
  }

  #valueOf<T>(known: Map<number, Known>, stretch: number, from: number, read: ReadStretch<T>): T {
    const change = this.#changed.get(stretch) ?? 0;
    const before = known.get(stretch);
    // The oldest records are deleted: the first stretch grows shorter.
    if (before?.change === change && before.from === from) return before.value as T;
    const value = read(from, (stretch + 1) * rangeLength - 1);
    known.set(stretch, { change, from, value });
    return value;
  }

  #knownOf(question: string): Map<number, Known> {
    const known = this.#known.get(question) ?? new Map<number, Known>();
    this.#known.delete(question);
    this.#known.set(question, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxCachedQueries && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

function stretchOf(id: number): number {
  return Math.floor(id / rangeLength);
}

function numberOf(database: DatabaseSync, sql: string, column: string): number {
  return Number(database.prepare(sql).get()?.[column] ?? 0);
}

/** Which calls are looked for, and the same as conditions in SQL. */
export interface CallSearch {
  /** Stands in the name of the server or tool, in the reason given, or in the error. */
  readonly text?: string | undefined;
  /** These as well, whatever the text is: it was found in what was said. */
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
    // instr() knows no wildcards: what a person types is looked for as it stands.
    const named = `instr(lower(server || ':' || tool || ' ' || coalesce(why, '') || ' ' || coalesce(errorText, '')), lower(?)) > 0`;
    if (found.length === 0) add(named, text);
    else add(`(${named} OR id IN (SELECT value FROM json_each(?)))`, text, JSON.stringify(found));
  }
  return { clauses, values };
}
