/**
 * Metrics of a replica for Prometheus: usage, outcomes of calls, and health. Label values are a fixed vocabulary; who
 * called what is in the activity and the audit, never in a metric.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { type ActivityLog, type CallOutcome, callOutcomes, type HttpListener } from '../../core/edition.ts';
import type { ConfigDriftMonitor } from '../config/config-drift-monitor.ts';
import type { PoolCounts } from '../placement/personal-processes.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { byLabel, type Metric, prometheusText, single } from './prometheus-text.ts';

export interface MetricsDeps {
  readonly version: string;
  readonly activity: Pick<ActivityLog, 'recorded' | 'counted'>;
  readonly listener: () => Pick<HttpListener, 'counts'> | undefined;
  /** Connections to the database; undefined if it does not say. */
  readonly connections: () => Promise<number | undefined>;
  readonly isReady: () => Promise<boolean>;
  readonly config: Pick<ConfigDriftMonitor, 'version' | 'counts'>;
  /** Spans that no collector has; undefined: none is told. */
  readonly droppedSpans: () => number | undefined;
  readonly personal: () => PoolCounts;
  readonly quotas: Pick<Quotas, 'refused'>;
}

const delaySampleMs = 20;
const perSecond = 1e9;

export class Metrics {
  readonly #parts: MetricsDeps;
  readonly #outcomes = new Map<CallOutcome, number>(callOutcomes.map((outcome) => [outcome, 0]));
  readonly #delay = monitorEventLoopDelay({ resolution: delaySampleMs });
  readonly #stops: readonly (() => void)[];
  #spills = 0;
  #savedTokens = 0;
  #seconds = 0;

  constructor(parts: MetricsDeps) {
    this.#parts = parts;
    this.#delay.enable();
    this.#stops = [
      parts.activity.recorded.on(({ outcome, durationMs, spillId }) => {
        this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
        this.#seconds += durationMs / 1000;
        if (spillId !== undefined) this.#spills++;
      }),
      parts.activity.counted.on(({ tokensSent, tokensOut }) => {
        this.#savedTokens += Math.max(0, tokensSent - tokensOut);
      }),
    ];
  }

  /** Returns the Prometheus text format. Delays are since the last scrape. */
  async text(): Promise<string> {
    const { config, version, listener, connections, isReady, quotas } = this.#parts;
    const { problems, refused } = config.counts;
    const { requests = 0, streams = 0, sessions = 0 } = listener()?.counts ?? {};
    const [open, ready] = await Promise.all([connections(), isReady()]);
    const text = prometheusText([
      byLabel('tooltray_info', 'gauge', 'Version of this replica.', 'version', [[version, 1]]),
      byLabel('tooltray_config_info', 'gauge', 'Hash of the configuration in use.', 'hash', [[config.version, 1]]),
      single('tooltray_config_problems', 'gauge', 'Problems in the configuration.', problems),
      single('tooltray_config_refused_overrides', 'gauge', 'Settings that a layer may not override.', refused),
      single('tooltray_ready', 'gauge', 'Whether this replica accepts new requests.', Number(ready)),
      single('tooltray_sessions', 'gauge', 'Open sessions of the stateful protocol.', sessions),
      single('tooltray_streams', 'gauge', 'Open streams.', streams),
      single('tooltray_requests_in_flight', 'gauge', 'Requests in flight.', requests),
      byLabel('tooltray_calls_total', 'counter', 'Tool calls by outcome.', 'outcome', this.#outcomes),
      single('tooltray_call_seconds_total', 'counter', 'Total duration of tool calls.', this.#seconds),
      single('tooltray_spills_total', 'counter', 'Results that were spilled.', this.#spills),
      single(
        'tooltray_saved_tokens_total',
        'counter',
        'Result tokens that were not sent to models.',
        this.#savedTokens,
      ),
      single('tooltray_quota_rejections_total', 'counter', 'Calls rejected by a quota.', quotas.refused),
      single('tooltray_database_connections', 'gauge', 'Open connections to PostgreSQL.', open ?? 0),
      single('tooltray_database_up', 'gauge', 'Whether PostgreSQL responds.', Number(open !== undefined)),
      ...spanMetrics(this.#parts.droppedSpans()),
      ...userProcessMetrics(this.#parts.personal()),
      this.#delays(),
      ...processMetrics(),
    ]);
    this.#delay.reset();
    return text;
  }

  stop(): void {
    this.#delay.disable();
    for (const stop of this.#stops) stop();
  }

  #delays(): Metric {
    // It measures from one look to the next, which are so far apart when nothing is late.
    const late = (ns: number): number => Math.max(0, ns / perSecond - delaySampleMs / 1000);
    const at = (percentile: number): number => late(this.#delay.percentile(percentile));
    const help = 'Event loop delay since the last scrape.';
    const quantiles = [
      ['0.5', at(50)],
      ['0.99', at(99)],
      ['1', late(this.#delay.max)],
    ] as const;
    return byLabel(
      'tooltray_event_loop_delay_seconds',
      'gauge',
      help,
      'quantile',
      this.#delay.count > 0 ? quantiles : [],
    );
  }
}

function userProcessMetrics({ running, limit, refused }: PoolCounts): readonly Metric[] {
  const help = 'Per-user processes that were not started, by limit.';
  return [
    single('tooltray_user_processes', 'gauge', 'Running per-user processes.', running),
    single('tooltray_user_processes_limit', 'gauge', 'Limit of per-user processes.', limit),
    byLabel('tooltray_user_process_rejections_total', 'counter', help, 'limit', Object.entries(refused)),
  ];
}

function spanMetrics(dropped: number | undefined): readonly Metric[] {
  if (dropped === undefined) return [];
  return [single('tooltray_spans_dropped_total', 'counter', 'Spans that no collector accepted.', dropped)];
}

/** Process metrics, under the names that every Prometheus client library uses. */
function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  const started = Date.now() / 1000 - process.uptime();
  return [
    single('process_cpu_seconds_total', 'counter', 'CPU time of this process.', (user + system) / 1e6),
    single('process_resident_memory_bytes', 'gauge', 'Resident memory of this process.', process.memoryUsage.rss()),
    single('process_start_time_seconds', 'gauge', 'Start time of this process, in Unix time.', started),
  ];
}
