/**
 * Metrics of a replica for Prometheus: usage, outcomes of calls, and health. Label values are a fixed set; who called
 * what is in the activity and audit logs, never in a metric.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type ActivityLog, callOutcomes, type HttpListener } from '../../core/edition.ts';
import type { ConfigProblems } from '../config/config-problems.ts';
import type { PoolCounts } from '../placement/personal-processes.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { observeRequests } from './request-durations.ts';

export interface MetricsDeps {
  readonly version: string;
  readonly activity: Pick<ActivityLog, 'recorded' | 'counted'>;
  readonly listener: () => Pick<HttpListener, 'counts'> | undefined;
  /** The port of the endpoints; undefined before it is open. */
  readonly port: () => number | undefined;
  /** Connections to the database; undefined if it does not respond. */
  readonly connections: () => Promise<number | undefined>;
  readonly isReady: () => Promise<boolean>;
  readonly config: Pick<ConfigProblems, 'version' | 'counts'>;
  readonly personal: () => PoolCounts;
  readonly quotas: Pick<Quotas, 'refused'>;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
}

/** Gauges of prom-client with the suffix of counters, which promtool rejects; the same counts exist by type. */
const misnamed = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/** Bounds for tool calls, in seconds. */
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export class Metrics {
  readonly #deps: MetricsDeps;
  readonly #registry = new Registry();
  readonly #stops: readonly (() => void)[];

  constructor(deps: MetricsDeps) {
    this.#deps = deps;
    this.#addState();
    this.#addUserProcesses();
    this.#stops = [...this.#followCalls(), observeRequests(this.#registry, deps.port)];
    collectDefaultMetrics({ register: this.#registry });
    for (const name of misnamed) this.#registry.removeSingleMetric(name);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Returns the Prometheus text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** All metrics, for the documentation. */
  definitions(): readonly MetricDefinition[] {
    return this.#registry.getMetricsAsArray().map((metric) => {
      // The types of prom-client omit the label names.
      const { name, help, type, labelNames } = metric as unknown as MetricDefinition;
      return { name, help, type, labelNames };
    });
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#registry.clear();
  }

  #followCalls(): (() => void)[] {
    const { activity } = this.#deps;
    const registers = [this.#registry];
    const calls = new Counter({
      name: 'tooltray_calls_total',
      help: 'Tool calls by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of callOutcomes) calls.inc({ outcome }, 0);
    const durations = new Histogram({
      name: 'tooltray_call_duration_seconds',
      help: 'Duration of tool calls.',
      buckets: callBuckets,
      registers,
    });
    const spills = new Counter({ name: 'tooltray_spills_total', help: 'Results that were spilled.', registers });
    const tokens = new Counter({
      name: 'tooltray_saved_tokens_total',
      help: 'Result tokens that were not sent to models.',
      registers,
    });
    return [
      activity.recorded.on(({ outcome, durationMs, spillId }) => {
        calls.inc({ outcome });
        durations.observe(durationMs / 1000);
        if (spillId !== undefined) spills.inc();
      }),
      activity.counted.on(({ serverResult, modelResult }) => tokens.inc(Math.max(0, serverResult - modelResult))),
    ];
  }

  #addState(): void {
    const { config, version, listener, connections, isReady, quotas } = this.#deps;
    const registers = [this.#registry];
    info(registers, 'tooltray_info', 'Version of this replica.', () => ({ version }));
    info(registers, 'tooltray_config_info', 'Hash of the configuration in use.', () => ({ hash: config.version }));
    const gauges: Gauges = [
      ['tooltray_config_problems', 'Problems in the configuration.', () => config.counts.problems],
      ['tooltray_config_refused_overrides', 'Settings that a layer may not override.', () => config.counts.refused],
      ['tooltray_ready', 'Whether this replica accepts new requests.', async () => Number(await isReady())],
      ['tooltray_sessions', 'Open sessions of the stateful protocol.', () => listener()?.counts.sessions ?? 0],
      ['tooltray_streams', 'Open streams.', () => listener()?.counts.streams ?? 0],
      ['tooltray_requests_in_flight', 'Requests in flight.', () => listener()?.counts.requests ?? 0],
    ];
    for (const [name, help, read] of gauges) gauge(registers, name, help, read);
    // A scrape asks for the metrics in this order, so that one query answers both.
    let open: Promise<number | undefined> | undefined;
    gauge(registers, 'tooltray_database_connections', 'Open connections to PostgreSQL.', async () => {
      open = connections();
      return (await open) ?? 0;
    });
    gauge(registers, 'tooltray_database_up', 'Whether PostgreSQL responds.', async () =>
      Number((await open) !== undefined),
    );
    counter(registers, 'tooltray_quota_rejections_total', 'Calls rejected by a quota.', () => quotas.refused);
  }

  #addUserProcesses(): void {
    const { personal } = this.#deps;
    const registers = [this.#registry];
    gauge(registers, 'tooltray_user_processes', 'Running per-user processes.', () => personal().running);
    gauge(registers, 'tooltray_user_processes_limit', 'Limit of per-user processes.', () => personal().limit);
    const refused = new Counter({
      name: 'tooltray_user_process_rejections_total',
      help: 'Per-user processes that were not started, by limit.',
      labelNames: ['limit'],
      registers,
      collect: () => {
        refused.reset();
        for (const [limit, count] of Object.entries(personal().refused)) refused.inc({ limit }, count);
      },
    });
  }
}

type Gauges = readonly (readonly [name: string, help: string, read: () => number | Promise<number>])[];

function gauge(registers: Registry[], name: string, help: string, read: () => number | Promise<number>): void {
  const one: Gauge = new Gauge({ name, help, registers, collect: async () => one.set(await read()) });
}

/** A gauge that is always 1 and carries labels. */
function info(registers: Registry[], name: string, help: string, read: () => Record<string, string>): void {
  const one: Gauge = new Gauge({
    name,
    help,
    labelNames: Object.keys(read()),
    registers,
    collect: () => {
      one.reset();
      one.set(read(), 1);
    },
  });
}

/** A counter whose value is kept elsewhere. */
function counter(registers: Registry[], name: string, help: string, read: () => number): void {
  const one: Counter = new Counter({
    name,
    help,
    registers,
    collect: () => {
      one.reset();
      one.inc(read());
    },
  });
}
