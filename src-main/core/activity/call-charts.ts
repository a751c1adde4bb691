/** Chart data about calls: outcomes over time, and response times of servers. Times in ms since the epoch. */
import type { DatabaseSync } from 'node:sqlite';
import { type CallOutcome, callOutcomes, isProblem } from './call-record.ts';
import { hourMs } from './local-time.ts';

export type OutcomeCounts = Readonly<Record<CallOutcome, number>>;

/** Returns counts by start of each hour with calls since then. `shift`: how long before UTC hours they start (`hourOffsetMs`). */
export function outcomesByHour(
  database: DatabaseSync,
  since: number,
  shift: number,
): ReadonlyMap<number, OutcomeCounts> {
  const counts = callOutcomes.map((outcome) => `sum(outcome = '${outcome}') AS ${outcome}`).join(', ');
  const rows = database
    .prepare(`SELECT (startedAt + ?) / ${hourMs} AS hour, ${counts} FROM calls WHERE startedAt >= ? GROUP BY hour`)
    .all(shift, since);
  return new Map(
    rows.map((row) => [Number(row['hour']) * hourMs - shift, outcomeCounts((outcome) => Number(row[outcome]))]),
  );
}

export function outcomeCounts(count: (outcome: CallOutcome) => number): OutcomeCounts {
  const entries = callOutcomes.map((outcome): [CallOutcome, number] => [outcome, count(outcome)]);
  return Object.fromEntries(entries) as Record<CallOutcome, number>;
}

export interface ServerLatency {
  readonly server: string;
  /** Number of measured calls. */
  readonly calls: number;
  /** Number of measured calls that failed; cancelled calls do not count. */
  readonly failures: number;
  /** Percentiles of the duration, in ms. */
  readonly p50: number;
  readonly p95: number;
}

/** Maximum number of measured calls, because sorting more would block. */
export const maxMeasuredCalls = 20_000;

/**
 * Slowest first, over the newest calls in that time, at most `maxMeasuredCalls`. Calls that never reached a server are
 * excluded.
 */
export function latencies(
  database: DatabaseSync,
  since: number,
  until: number,
): { readonly servers: readonly ServerLatency[]; readonly measured: number } {
  const rows = database
    .prepare(
      `SELECT server, durationMs, ${isProblem} AS failed FROM calls WHERE startedAt >= ? AND startedAt < ? AND callMs > 0
       ORDER BY id DESC LIMIT ${maxMeasuredCalls}`,
    )
    .all(since, until);
  const byServer = Map.groupBy(rows, (row) => String(row['server']));
  const servers = [...byServer].map(([server, own]): ServerLatency => {
    const times = own.map((row) => Number(row['durationMs'])).toSorted((a, b) => a - b);
    const failures = own.filter((row) => row['failed'] === 1).length;
    return { server, calls: times.length, failures, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
  });
  return { servers: servers.toSorted((a, b) => b.p95 - a.p95), measured: rows.length };
}

/** The smallest value that is not exceeded by this share of all. `sorted`: ascending. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
