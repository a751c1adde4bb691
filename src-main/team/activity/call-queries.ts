/**
 * Queries over the calls of all replicas: a page with totals of all matches, a single call, and chart data. Calls are
 * numbered in order of arrival, so that polling for newer ones misses none that a replica sent late.
 */
import type { Sql } from 'postgres';
import {
  type CallOutcome,
  describeLabels,
  displayNameOf,
  hourMs,
  hourOffsetMs,
  isProblem,
  maxMeasuredCalls,
  outcomeCounts,
  type OutcomeCounts,
  type ServerLatency,
} from '../../core/edition.ts';
import type { ActivityPage, CallSummary } from '../../rpc/contract.ts';
import { databaseError } from '../database/database.ts';
import { conditionsOf, type TeamCallFilter, type RowScope } from './call-conditions.ts';

interface PageRange {
  readonly beforeId?: number | undefined;
  readonly afterId?: number | undefined;
  /** Maximum number of rows. */
  readonly limit: number;
}

/** A call with its owner's ID and name, if known. */
export type TeamCall = Omit<CallSummary, 'user'> & { readonly user: string | undefined; readonly callMs: number };

export interface ServerDay {
  readonly server: string;
  readonly calls: number;
  readonly failures: number;
  readonly medianMs: number;
  /** Arguments and results together. */
  readonly tokens: number;
}

type Row = Readonly<Record<string, unknown>>;

/** All methods reject with AppError `store_unreachable`. */
export class CallQueries {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async page(
    scope: RowScope,
    filter: TeamCallFilter,
    { beforeId, afterId, limit }: PageRange,
  ): Promise<Omit<ActivityPage, 'calls'> & { readonly calls: readonly TeamCall[] }> {
    const { where, values } = conditionsOf(scope, filter);
    const own = conditionsOf(scope, {});
    const [before, after] = [`$${values.length + 1}::bigint`, `$${values.length + 2}::bigint`];
    const range = [...values, String(beforeId ?? Number.MAX_SAFE_INTEGER), String(afterId ?? 0)];
    const isNewer = `number > $${values.length + 1}::bigint`;
    const [rows, [sums = {}], [newest = {}]] = await Promise.all([
      // One more than the limit, to detect whether more follow.
      this.#select(
        `SELECT ${callColumns} FROM tooltray.calls WHERE ${where} AND number < ${before} AND number > ${after}
        ORDER BY number DESC LIMIT ${limit + 1}`,
        range,
      ),
      this.#select(
        `SELECT count(*) AS total, count(*) FILTER (WHERE ${isProblem}) AS failed, coalesce(sum(request_tokens), 0) AS request_tokens,
          coalesce(sum(model_result_tokens), 0) AS model_result_tokens, count(*) FILTER (WHERE ${isNewer}) AS newer,
          count(*) FILTER (WHERE ${isNewer} AND ${isProblem}) AS problems
        FROM tooltray.calls WHERE ${where}`,
        [...values, String(afterId ?? 0)],
      ),
      this.#select(`SELECT max(number) AS last FROM tooltray.calls WHERE ${own.where}`, own.values),
    ]);
    const sum = (name: string): number => Number(sums[name] ?? 0);
    return {
      calls: rows.slice(0, limit).map(callOf),
      more: rows.length > limit,
      lastId: Number(newest['last'] ?? 0),
      total: sum('total'),
      failed: sum('failed'),
      tokens: { request: sum('request_tokens'), modelResult: sum('model_result_tokens') },
      ...(afterId !== undefined && { newer: { calls: sum('newer'), problems: sum('problems') } }),
    };
  }

  /** The newest, without totals. */
  async newest(scope: RowScope, limit: number): Promise<readonly TeamCall[]> {
    const { where, values } = conditionsOf(scope, {});
    const rows = await this.#select(
      `SELECT ${callColumns} FROM tooltray.calls WHERE ${where} ORDER BY number DESC LIMIT ${limit}`,
      values,
    );
    return rows.map(callOf);
  }

  /** Resolves to undefined for a call of another user, too. */
  async find(scope: RowScope, number: number): Promise<TeamCall | undefined> {
    const { where, values } = conditionsOf(scope, {});
    const [row] = await this.#select(
      `SELECT ${callColumns} FROM tooltray.calls WHERE ${where} AND number = $${values.length + 1}::bigint`,
      [...values, String(number)],
    );
    return row && callOf(row);
  }

  /** Servers by cost, highest first. `since`: ms since 1970. */
  async servers(scope: RowScope, since: number): Promise<readonly ServerDay[]> {
    const { where, values } = conditionsOf(scope, { since });
    const rows = await this.#select(
      `SELECT server, count(*) AS calls, count(*) FILTER (WHERE ${isProblem}) AS failures,
        sum(coalesce(request_tokens, 0) + coalesce(model_result_tokens, 0)) AS tokens,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS median
      FROM tooltray.calls WHERE ${where} AND server <> '' GROUP BY server ORDER BY tokens DESC, server`,
      values,
    );
    return rows.map((row) => ({
      server: String(row['server']),
      calls: Number(row['calls']),
      failures: Number(row['failures']),
      medianMs: Number(row['median']),
      tokens: Number(row['tokens']),
    }));
  }

  /** Outcomes per hour with calls, keyed by its start in the replica's time zone. */
  async outcomes(scope: RowScope, since: number): Promise<ReadonlyMap<number, OutcomeCounts>> {
    const { where, values } = conditionsOf(scope, { since });
    const shift = hourOffsetMs(since);
    const rows = await this.#select(
      `SELECT (floor((extract(epoch FROM written) * 1000 + ${shift}) / ${hourMs}) * ${hourMs} - ${shift})::bigint AS hour, outcome, count(*) AS calls
      FROM tooltray.calls WHERE ${where} GROUP BY 1, 2`,
      values,
    );
    const hours = Map.groupBy(rows, (row) => Number(row['hour']));
    const count = (own: readonly Row[], outcome: CallOutcome): number =>
      Number(own.find((row) => row['outcome'] === outcome)?.['calls'] ?? 0);
    return new Map([...hours].map(([hour, own]) => [hour, outcomeCounts((outcome) => count(own, outcome))]));
  }

  /** The same data as `latencies` for a single user. */
  async latencies(
    scope: RowScope,
    since: number,
    until: number,
  ): Promise<{ readonly servers: readonly ServerLatency[]; readonly measured: number }> {
    const { where, values } = conditionsOf(scope, { since, until });
    const rows = await this.#select(
      `SELECT server, count(*) AS calls, count(*) FILTER (WHERE ${isProblem}) AS failures, percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS p50,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95
      FROM (
        SELECT server, duration_ms, outcome FROM tooltray.calls WHERE ${where} AND call_ms > 0 ORDER BY written DESC LIMIT ${maxMeasuredCalls}
      ) newest GROUP BY server ORDER BY p95 DESC, server`,
      values,
    );
    const servers = rows.map((row): ServerLatency => ({
      server: String(row['server']),
      calls: Number(row['calls']),
      failures: Number(row['failures']),
      p50: Number(row['p50']),
      p95: Number(row['p95']),
    }));
    return { servers, measured: servers.reduce((sum, { calls }) => sum + calls, 0) };
  }

  async #select(sql: string, values: readonly string[]): Promise<readonly Row[]> {
    return this.#sql.unsafe<Row[]>(sql, [...values], { prepare: true }).catch((error: unknown) => {
      throw databaseError(error);
    });
  }
}

/** Columns of one table, as read by `callOf`. */
export const callColumns = `number, extract(epoch FROM written) * 1000 AS at, person, app, mode, server, tool, via, reason, sensitivity, outcome,
  error_text, duration_ms, call_ms, request_bytes, server_result_bytes, model_result_bytes, request_tokens, server_result_tokens, model_result_tokens, estimated, spill_id, labels, preview`;

export function callOf(row: Row): TeamCall {
  const text = (name: string): string => String(row[name]);
  const optional = (name: string): string | undefined => (row[name] === null ? undefined : text(name));
  const number = (name: string): number => Number(row[name]);
  const counted = (name: string): number | undefined => (row[name] === null ? undefined : number(name));
  return {
    id: number('number'),
    at: Math.round(number('at')),
    user: optional('person'),
    app: text('app'),
    appName: displayNameOf(text('app')),
    mode: text('mode'),
    server: text('server'),
    tool: text('tool'),
    via: optional('via'),
    preview: optional('preview') ?? '',
    declared: { reason: optional('reason'), sensitivity: optional('sensitivity') },
    outcome: text('outcome') as CallOutcome,
    error: optional('error_text'),
    durationMs: number('duration_ms'),
    callMs: number('call_ms'),
    bytes: {
      request: number('request_bytes'),
      serverResult: number('server_result_bytes'),
      modelResult: number('model_result_bytes'),
    },
    tokens: {
      request: counted('request_tokens'),
      serverResult: counted('server_result_tokens'),
      modelResult: counted('model_result_tokens'),
      estimated: number('estimated') !== 0,
    },
    spillId: optional('spill_id'),
    // Replicas do not send why a large result was not spilled.
    unspilled: undefined,
    repeats: undefined,
    labels: describeLabels(optional('labels')?.split(' ') ?? []),
  };
}
