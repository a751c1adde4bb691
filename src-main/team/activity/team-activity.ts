/**
 * Queries of a team's dashboard over the record of all replicas: sums, lists and savings; of one user, or of all users
 * for an admin.
 */
import type { Sql } from 'postgres';
import {
  type Cause,
  type CauseSum,
  isProblem,
  type SavingsRow,
  type SavingsTotals,
  toRows,
  totalSavings,
} from '../../core/edition.ts';
import { databaseError } from '../database/database.ts';

/** Owner of the rows in a query: one user, by principal name, or everybody. Every query names it. */
export type RowScope = { readonly person: string } | 'everybody';

export interface TeamCallFilter {
  /** ms since 1970; begun then or later, and before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly app?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly session?: string | undefined;
  readonly outcome?: string | undefined;
  /** One of these. */
  readonly outcomes?: readonly string[] | undefined;
  /** Only calls whose result was spilled. */
  readonly kept?: boolean | undefined;
  /** Stands in the name of the server or tool, the reason given or the error. */
  readonly text?: string | undefined;
}

export type SumGrouping = 'hour' | 'day' | 'server' | 'tool' | 'person' | 'app' | 'replica' | 'outcome';

export interface CallSum {
  /** For hours and days: their start, in ms since 1970 (UTC); for a tool: `server:tool`. */
  readonly key: string;
  readonly calls: number;
  readonly failed: number;
  readonly people: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly resultBytes: number;
  readonly givenBytes: number;
  readonly averageMs: number;
}

export interface RecordedCall {
  /** ms since 1970. */
  readonly at: number;
  /** Goes on behind it, as `after`. */
  readonly cursor: string;
  readonly replica: string;
  readonly person: string | undefined;
  readonly session: string;
  readonly app: string;
  readonly server: string;
  readonly tool: string;
  readonly outcome: string;
  readonly errorText: string | undefined;
  readonly durationMs: number;
  readonly resultBytes: number;
  readonly givenBytes: number;
  readonly tokensOut: number | undefined;
}

export type SavingsBy = 'app' | 'server' | 'tool' | 'person' | 'session' | 'hour' | 'day' | 'cause' | 'mode';

/** Rows of one answer. */
const maxRows = 500;

const keys: Readonly<Record<SumGrouping, string>> = {
  hour: `(extract(epoch FROM date_trunc('hour', written, 'UTC')) * 1000)::bigint::text`,
  day: `(extract(epoch FROM date_trunc('day', written, 'UTC')) * 1000)::bigint::text`,
  server: 'server',
  tool: `server || ':' || tool`,
  person: `coalesce(person, '')`,
  app: 'app',
  replica: 'replica',
  outcome: 'outcome',
};

const savingsKeys: Readonly<Record<SavingsBy, string>> = {
  app: 'app',
  server: 'server',
  person: `coalesce(person, '')`,
  cause: 'cause',
  mode: 'mode',
  session: 'session',
  hour: `(extract(epoch FROM written) * 1000)::bigint::text`,
  tool: `CASE WHEN server = '' THEN tool ELSE server || ':' || tool END`,
  day: `to_char(written AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
};

/** All reject with AppError `store_unreachable`. */
export class TeamActivity {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Sums of calls; hours and days in order, other keys by calls, most first, up to a limit. */
  async sums(
    whose: RowScope,
    by: SumGrouping,
    filter: TeamCallFilter = {},
    most = maxRows,
  ): Promise<readonly CallSum[]> {
    const { where, values } = conditionsOf(whose, filter);
    const order = by === 'hour' || by === 'day' ? 'min(written)' : 'count(*) DESC, 1';
    const rows = await this.#ask(
      `SELECT ${keys[by]} AS key, count(*) AS calls, count(*) FILTER (WHERE ${isProblem}) AS failed, count(DISTINCT person) AS people,
        coalesce(sum(tokens_in), 0) AS tokens_in, coalesce(sum(tokens_out), 0) AS tokens_out, sum(result_bytes) AS result_bytes,
        sum(given_bytes) AS given_bytes, avg(duration_ms) AS average_ms
      FROM tooltray.calls WHERE ${where} GROUP BY 1 ORDER BY ${order} LIMIT ${bounded(most)}`,
      values,
    );
    return rows.map((row) => {
      const number = (name: string): number => Number(row[name]);
      return {
        key: String(row['key']),
        calls: number('calls'),
        failed: number('failed'),
        people: number('people'),
        tokensIn: number('tokens_in'),
        tokensOut: number('tokens_out'),
        averageMs: number('average_ms'),
        resultBytes: number('result_bytes'),
        givenBytes: number('given_bytes'),
      };
    });
  }

  /** The newest first, from behind `after` on. */
  async calls(
    whose: RowScope,
    filter: TeamCallFilter = {},
    most = 100,
    after?: string,
  ): Promise<readonly RecordedCall[]> {
    const { where, values } = conditionsOf(whose, filter);
    const [written, book, id] = after === undefined ? [] : (JSON.parse(after) as [string, string, string]);
    const behind =
      written === undefined
        ? ''
        : ` AND (written, book, id) < ($${values.length + 1}::timestamptz, $${values.length + 2}, $${values.length + 3}::bigint)`;
    const rows = await this.#ask(
      `SELECT *, written::text AS place, extract(epoch FROM written) * 1000 AS at FROM tooltray.calls WHERE ${where}${behind}
      ORDER BY written DESC, book DESC, id DESC LIMIT ${bounded(most)}`,
      written === undefined ? values : [...values, written, book ?? '', id ?? ''],
    );
    return rows.map((row): RecordedCall => {
      const text = (name: string): string => String(row[name]);
      const optional = (name: string): string | undefined => (row[name] === null ? undefined : text(name));
      return {
        at: Math.round(Number(row['at'])),
        cursor: JSON.stringify([row['place'], row['book'], row['id']]),
        replica: text('replica'),
        person: optional('person'),
        session: text('session'),
        app: text('app'),
        server: text('server'),
        tool: text('tool'),
        outcome: text('outcome'),
        errorText: optional('error_text'),
        durationMs: Number(row['duration_ms']),
        resultBytes: Number(row['result_bytes']),
        givenBytes: Number(row['given_bytes']),
        tokensOut: row['tokens_out'] === null ? undefined : Number(row['tokens_out']),
      };
    });
  }

  /** Savings over all replicas, as `Ledger.savings` of a home. `since`: to the hour, in ms since 1970. */
  async savings(
    whose: RowScope,
    by: SavingsBy,
    since = 0,
  ): Promise<{ readonly rows: readonly SavingsRow[]; readonly total: SavingsTotals }> {
    const sums = await this.savingsSums(whose, by, { since });
    return { rows: toRows(sums, by === 'person' ? 'app' : by).slice(0, maxRows), total: totalSavings(sums) };
  }

  /** Sums behind the savings, by key and cause. Only the time and app of a filter apply. */
  async savingsSums(
    whose: RowScope,
    by: SavingsBy,
    { since, app }: Pick<TeamCallFilter, 'since' | 'app'>,
  ): Promise<readonly CauseSum[]> {
    const { where, values } = conditionsOf(whose, { since, app });
    const rows = await this.#ask(
      `SELECT ${savingsKeys[by]} AS key, ${by === 'session' ? 'min(app)' : 'NULL'} AS app, cause, sum(times) AS times, sum(sent) AS sent,
        sum(loaded) AS loaded, sum(baseline) AS baseline, sum(raw) AS raw, sum(estimated) AS estimated
      FROM tooltray.savings WHERE ${where} GROUP BY 1, cause`,
      values,
    );
    return rows.map((row) => {
      const number = (name: string): number => Number(row[name]);
      const app = typeof row['app'] === 'string' ? row['app'] : undefined;
      return {
        key: String(row['key']),
        app,
        cause: row['cause'] as Cause,
        times: number('times'),
        sent: number('sent'),
        loaded: number('loaded'),
        baseline: number('baseline'),
        raw: number('raw'),
        estimated: number('estimated'),
      };
    });
  }

  async #ask(sql: string, values: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    return this.#sql.unsafe<Record<string, unknown>[]>(sql, [...values], { prepare: true }).catch((error: unknown) => {
      throw databaseError(error);
    });
  }
}

/** Conditions of a query over calls or savings, with their values. */
export function conditionsOf(
  whose: RowScope,
  filter: TeamCallFilter,
): { readonly where: string; readonly values: readonly string[] } {
  const values: string[] = [];
  const clauses = ['true'];
  const add = (clause: (place: string) => string, value: string | undefined): void => {
    if (value === undefined) return;
    values.push(value);
    clauses.push(clause(`$${values.length}`));
  };
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : String(Math.round(ms)));
  const at = (place: string): string => `timestamptz 'epoch' + ${place}::bigint * interval '1 millisecond'`;
  if (whose !== 'everybody') add((place) => `person = ${place}`, whose.person);
  add((place) => `written >= ${at(place)}`, time(filter.since));
  add((place) => `written < ${at(place)}`, time(filter.until));
  for (const name of ['app', 'server', 'tool', 'session', 'outcome'] as const)
    add((place) => `${name} = ${place}`, filter[name]);
  add((place) => `outcome = ANY(string_to_array(${place}, ' '))`, filter.outcomes?.join(' '));
  if (filter.kept === true) clauses.push('spill IS NOT NULL');
  const told = `lower(server || ':' || tool || ' ' || coalesce(why, '') || ' ' || coalesce(error_text, ''))`;
  add((place) => `position(lower(${place}) IN ${told}) > 0`, filter.text === '' ? undefined : filter.text);
  return { where: clauses.join(' AND '), values };
}

function bounded(most: number): number {
  return Math.max(1, Math.min(maxRows, Math.floor(most)));
}
