/**
 * Queries over the steps of all replicas: a page with totals and calls, a single step, and sessions. Steps are
 * numbered in order of arrival, like calls.
 */
import type { Sql } from 'postgres';
import {
  type CallOutcome,
  displayNameOf,
  isProblemIn,
  type StepKind,
  type StepSearch,
  type StepTotals,
} from '../../core/edition.ts';
import type { StepSummary, TimelineSession } from '../../rpc/contract.ts';
import { databaseError } from '../database/database.ts';
import { callColumns, callOf, type TeamCall } from './call-queries.ts';
import type { RowScope } from './call-conditions.ts';

interface StepRange {
  readonly beforeId?: number | undefined;
  readonly afterId?: number | undefined;
  /** Maximum number of rows. */
  readonly limit: number;
}

/** A step with its owner's name, if known. */
export type TeamStep = Omit<StepSummary, 'calls' | 'user'> & {
  readonly user: string | undefined;
  readonly calls: readonly TeamCall[];
};

export type TeamSession = Omit<TimelineSession, 'isLive' | 'limitBytes' | 'user'> & {
  readonly user: string | undefined;
};

interface StepPage {
  /** Newest first. */
  readonly steps: readonly TeamStep[];
  /** Totals of all matching steps. */
  readonly sums: StepTotals;
  readonly all: number;
  readonly more: boolean;
  readonly lookedThrough?: number;
}

interface Conditions {
  readonly where: string;
  readonly values: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

/** Maximum number of rows scanned, newest first, by queries over the calls of steps or sessions. */
const maxScannedRows = 20_000;
const maxSessions = 100;
/** Number of calls returned with a step of a page; all are returned with a single step. */
const maxCallsInPage = 5;
const maxCallsInDetail = 1000;

/**
 * Calls of the step `s`, limited to its time, which is part of their key, so that no index is needed. With a margin of
 * one second, since the times of a step and its calls may be rounded differently.
 */
const callsOfStep = `tooltray.calls c WHERE c.book = s.book AND c.step = s.id
  AND c.written >= s.written - interval '1 second'
  AND c.written <= s.written + s.duration_ms * interval '1 millisecond' + interval '1 second'`;

/** All methods reject with AppError `store_unreachable`. */
export class StepQueries {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async page(scope: RowScope, search: StepSearch, { beforeId, afterId, limit }: StepRange): Promise<StepPage> {
    const place = placed(scope, search);
    const isLookedThrough = isFiltered(search);
    const lowest = isLookedThrough ? await this.#lowest(place) : undefined;
    const wanted = isLookedThrough ? filtered(place, search, lowest) : place;
    const range = [String(beforeId ?? Number.MAX_SAFE_INTEGER), String(afterId ?? 0)];
    const [before, after] = [`$${wanted.values.length + 1}::bigint`, `$${wanted.values.length + 2}::bigint`];
    const [rows, [sums = {}], [all]] = await Promise.all([
      // One more than the limit, to detect whether more follow.
      this.#ask(
        `SELECT ${columns} FROM tooltray.steps s WHERE ${wanted.where} AND s.number < ${before} AND s.number > ${after}
        ORDER BY s.number DESC LIMIT ${limit + 1}`,
        [...wanted.values, ...range],
      ),
      this.#ask(
        `SELECT count(*) AS steps, count(*) FILTER (WHERE ${isProblemIn('s.outcome')}) AS problems, sum(s.given) AS given, sum(s.raw) AS raw,
          sum(s.baseline) AS baseline, sum(s.loaded) AS loaded
        FROM tooltray.steps s WHERE ${wanted.where}`,
        wanted.values,
      ),
      isLookedThrough
        ? this.#ask(`SELECT count(*) AS steps FROM tooltray.steps s WHERE ${place.where}`, place.values)
        : [],
    ]);
    return {
      steps: await this.#withCalls(rows.slice(0, limit), maxCallsInPage),
      sums: sumsOf(sums),
      all: Number((all ?? sums)['steps'] ?? 0),
      more: rows.length > limit,
      ...(lowest !== undefined && { lookedThrough: maxScannedRows }),
    };
  }

  /** Includes up to a thousand of its calls. Resolves to undefined for a step of another user, too. */
  async find(scope: RowScope, number: number): Promise<TeamStep | undefined> {
    const { where, values } = placed(scope, {});
    const rows = await this.#ask(
      `SELECT ${columns} FROM tooltray.steps s WHERE ${where} AND s.number = $${values.length + 1}::bigint`,
      [...values, String(number)],
    );
    const [step] = await this.#withCalls(rows, maxCallsInDetail);
    return step;
  }

  /** Number of the newest step; 0 if there is none. */
  async last(scope: RowScope): Promise<number> {
    const { where, values } = placed(scope, {});
    const [row] = await this.#ask(
      `SELECT s.number FROM tooltray.steps s WHERE ${where} ORDER BY s.number DESC LIMIT 1`,
      values,
    );
    return Number(row?.['number'] ?? 0);
  }

  /** Sessions with the newest steps first, at most 100. */
  async sessions(scope: RowScope): Promise<readonly TeamSession[]> {
    const { where, values } = placed(scope, {});
    const rows = await this.#ask(
      `WITH newest AS (
        SELECT s.session, s.number FROM tooltray.steps s WHERE ${where} ORDER BY s.number DESC LIMIT ${maxScannedRows}
      ), chosen AS (
        SELECT session, max(number) AS last FROM newest GROUP BY session ORDER BY last DESC LIMIT ${maxSessions}
      )
      SELECT chosen.session, told.* FROM chosen CROSS JOIN LATERAL (
        SELECT count(*) AS steps, sum(s.given) AS given, extract(epoch FROM min(s.written)) * 1000 AS first,
          extract(epoch FROM max(s.written)) * 1000 AS latest, (array_agg(s.app ORDER BY s.number DESC))[1] AS app,
          (array_agg(s.mode ORDER BY s.number DESC))[1] AS mode, (array_agg(s.person ORDER BY s.number DESC))[1] AS person
        FROM tooltray.steps s WHERE ${where} AND s.session = chosen.session
      ) told ORDER BY chosen.last DESC`,
      values,
    );
    return rows.map((row) => ({
      id: String(row['session']),
      app: String(row['app']),
      appName: displayNameOf(String(row['app'])),
      mode: String(row['mode']),
      user: optional(row['person']),
      from: Math.round(Number(row['first'])),
      to: Math.round(Number(row['latest'])),
      steps: Number(row['steps']),
      given: Number(row['given'] ?? 0),
    }));
  }

  /** undefined if there are no more than may be scanned. */
  async #lowest({ where, values }: Conditions): Promise<number | undefined> {
    const [row] = await this.#ask(
      `SELECT s.number FROM tooltray.steps s WHERE ${where} ORDER BY s.number DESC OFFSET ${maxScannedRows} LIMIT 1`,
      values,
    );
    return row && Number(row['number']);
  }

  async #withCalls(rows: readonly Row[], most: number): Promise<readonly TeamStep[]> {
    const numbers = rows.filter((row) => Number(row['calls']) > 0).map((row) => String(row['number']));
    const calls =
      numbers.length === 0
        ? []
        : await this.#ask(
            `SELECT s.number AS of, own.* FROM tooltray.steps s CROSS JOIN LATERAL (
              SELECT ${callColumns} FROM ${callsOfStep} ORDER BY c.id LIMIT ${most}
            ) own WHERE s.number = ANY(string_to_array($1, ' ')::bigint[])`,
            [numbers.join(' ')],
          );
    const bySteps = Map.groupBy(calls, (row) => Number(row['of']));
    return rows.map((row) => stepOf(row, (bySteps.get(Number(row['number'])) ?? []).map(callOf)));
  }

  async #ask(sql: string, values: readonly string[]): Promise<readonly Row[]> {
    return this.#sql.unsafe<Row[]>(sql, [...values], { prepare: true }).catch((error: unknown) => {
      throw databaseError(error);
    });
  }
}

const columns = `s.number, extract(epoch FROM s.written) * 1000 AS at, s.person, s.session, s.app, s.mode, s.kind, s.name, s.what, s.calls,
  s.duration_ms, s.outcome, s.error_text, s.request_bytes, s.model_result_bytes, s.given, s.raw, s.baseline, s.loaded`;

function stepOf(row: Row, calls: readonly TeamCall[]): TeamStep {
  const text = (name: string): string => String(row[name]);
  const number = (name: string): number => Number(row[name]);
  const counted = (name: string): number | undefined => (row[name] === null ? undefined : number(name));
  return {
    id: number('number'),
    at: Math.round(number('at')),
    user: optional(row['person']),
    sessionId: text('session'),
    app: text('app'),
    appName: displayNameOf(text('app')),
    mode: text('mode'),
    kind: text('kind') as StepKind,
    name: text('name'),
    what: text('what'),
    callCount: number('calls'),
    durationMs: number('duration_ms'),
    outcome: text('outcome') as CallOutcome,
    error: optional(row['error_text']),
    requestBytes: number('request_bytes'),
    modelBytes: number('model_result_bytes'),
    given: counted('given'),
    raw: counted('raw'),
    baseline: counted('baseline'),
    loaded: counted('loaded'),
    calls,
  };
}

function optional(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function sumsOf(row: Row): StepTotals {
  const of = (name: keyof StepTotals): number => Number(row[name] ?? 0);
  return {
    steps: of('steps'),
    problems: of('problems'),
    given: of('given'),
    raw: of('raw'),
    baseline: of('baseline'),
    loaded: of('loaded'),
  };
}

/** Whether the query filters by more than owner and time. */
function isFiltered({ app, server, problems, spilled, blocked, text }: StepSearch): boolean {
  const isOnly = problems === true || spilled === true || blocked === true;
  return app !== undefined || server !== undefined || isOnly || wordsOf(text).length > 0;
}

function placed(scope: RowScope, { sessionId, since, until }: StepSearch): Conditions {
  const at = (ms: number): string => String(Math.round(ms));
  const time = (place: string): string => `timestamptz 'epoch' + ${place}::bigint * interval '1 millisecond'`;
  let all: Conditions = { where: 'true', values: [] };
  if (scope !== 'everybody') all = and(all, (place) => `s.person = ${place}`, scope.person);
  if (sessionId !== undefined) all = and(all, (place) => `s.session = ${place}`, sessionId);
  if (since !== undefined) all = and(all, (place) => `s.written >= ${time(place)}`, at(since));
  return until === undefined ? all : and(all, (place) => `s.written < ${time(place)}`, at(until));
}

/** `lowest`: excludes steps with a lower number. */
function filtered(place: Conditions, search: StepSearch, lowest: number | undefined): Conditions {
  const ofCalls = (condition: string): string => `EXISTS (SELECT FROM ${callsOfStep} AND (${condition}))`;
  let all = place;
  if (lowest !== undefined) all = and(all, (number) => `s.number > ${number}::bigint`, String(lowest));
  if (search.app !== undefined) all = and(all, (app) => `s.app = ${app}`, search.app);
  if (search.server !== undefined) all = and(all, (server) => ofCalls(`c.server = ${server}`), search.server);
  const columns = [
    ...(search.problems === true ? [`(${isProblemIn('s.outcome')} OR ${ofCalls(isProblemIn('c.outcome'))})`] : []),
    ...(search.blocked === true ? [`(s.outcome = 'blocked' OR ${ofCalls("c.outcome = 'blocked'")})`] : []),
    ...(search.spilled === true ? [ofCalls('c.spill_id IS NOT NULL')] : []),
  ];
  all = { ...all, where: [all.where, ...columns].join(' AND ') };
  for (const word of wordsOf(search.text)) {
    const has = (place: string, text: string): string => `position(lower(${place}) IN lower(${text})) > 0`;
    const own = `s.name || ' ' || s.what || ' ' || s.app || ' ' || coalesce(s.error_text, '')`;
    all = and(all, (at) => `(${has(at, own)} OR ${ofCalls(has(at, `c.server || ' ' || c.tool`))})`, word);
  }
  return all;
}

/** The words that must all be present. */
function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

function and({ where, values }: Conditions, clause: (place: string) => string, value: string): Conditions {
  return { where: `${where} AND ${clause(`$${values.length + 1}`)}`, values: [...values, value] };
}
