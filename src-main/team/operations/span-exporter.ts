/**
 * Exports calls as OpenTelemetry spans to the collector configured in the environment (OpenTelemetry SDK environment
 * variables, Protocol Exporter). Names follow the conventions of MCP and GenAI. Spans contain no payloads.
 */
import type { ActivityLog, CallRecord } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import {
  type OtlpAttribute,
  otlpAttributes,
  otlpDefaults,
  type OtlpLimits,
  type OtlpTarget,
  postOtlp,
} from '../../core/base/otlp.ts';
import { startTrace } from '../../core/base/trace-context.ts';
import { settleWithin } from '../../core/base/settle-within.ts';

interface SpanExporterDeps {
  readonly activity: Pick<ActivityLog, 'recorded'>;
  readonly target: OtlpTarget;
  /** `service.name`. */
  readonly service: string;
  /** `service.instance.id`. */
  readonly replica: string;
  readonly version: string;
  readonly log: Pick<Log, 'warn'>;
  readonly limits?: Partial<OtlpLimits>;
  /** Time for the remaining spans at shutdown, in ms. */
  readonly endMs?: number;
}

/** Limits as in OpenTelemetry's batch processor: maximum queued spans, spans per request, and delay in ms. */
const maxQueueSize = 2_048;
const batchSpans = 512;
const scheduleDelayMs = 5_000;
const defaultShutdownTimeoutMs = 3_000;

const kinds = { server: 2, client: 3 } as const;
const failed = 2;

export class SpanExporter {
  readonly #parts: SpanExporterDeps;
  readonly #limits: OtlpLimits;
  readonly #stop: () => void;
  #waiting: object[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;

  constructor(parts: SpanExporterDeps) {
    this.#parts = parts;
    // If the collector is unavailable for long, spans are dropped.
    this.#limits = { ...otlpDefaults, ...parts.limits };
    this.#stop = parts.activity.recorded.on((call) => this.#note(call));
  }

  /** Dropped spans: the collector was unavailable or too slow. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Sends the remaining spans, within a time limit. */
  async close(): Promise<void> {
    this.#stop();
    await settleWithin(this.#drained(), this.#parts.endMs ?? defaultShutdownTimeoutMs);
    clearTimeout(this.#timer);
  }

  #note(call: CallRecord): void {
    const spans = spansOf(call);
    if (spans.length === 0) return;
    if (this.#waiting.length + spans.length > maxQueueSize) {
      this.#dropped += spans.length;
      return;
    }
    this.#waiting.push(...spans);
    if (this.#waiting.length >= batchSpans) void this.#send();
    else this.#timer ??= setTimeout(() => void this.#send(), scheduleDelayMs).unref();
  }

  async #drained(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending !== undefined) await this.#send();
  }

  /** Sends sequentially. Never rejects. */
  #send(): Promise<void> {
    if (this.#sending !== undefined) return this.#sending;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const spans = this.#waiting.splice(0, batchSpans);
    this.#sending = this.#post(spans).finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length >= batchSpans) void this.#send();
      else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.#send(), scheduleDelayMs).unref();
    });
    return this.#sending;
  }

  async #post(scopeSpans: readonly object[]): Promise<void> {
    const { log, replica, service, target, version } = this.#parts;
    const attributes = otlpAttributes([
      ['service.name', service],
      ['service.version', version],
      ['service.instance.id', replica],
    ]);
    const scope = { name: 'tooltray.calls', version };
    const body = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans: scopeSpans }] }] };
    try {
      const { rejected, message } = await postOtlp(body, target, this.#limits);
      this.#dropped += rejected;
      if (rejected > 0) log.warn(`The collector rejected ${rejected} spans: ${message || 'no reason given'}.`);
    } catch (error) {
      this.#dropped += scopeSpans.length;
      log.warn(`Could not export ${scopeSpans.length} spans: ${errorText(error)}.`);
    }
  }
}

/**
 * The span of the client request, with that of the server request if there was one; empty if the app disabled sampling.
 */
function spansOf(call: CallRecord): readonly object[] {
  const { traceId, parentId, callId, serverId, isSampled } = call.trace ?? startTrace(undefined);
  if (!isSampled) return [];
  const about: readonly OtlpAttribute[] = [
    ['mcp.method.name', 'tools/call'],
    ['gen_ai.operation.name', 'execute_tool'],
    ['gen_ai.tool.name', call.tool],
    ['tooltray.server', call.server],
  ];
  const isFailed = call.outcome !== 'ok';
  const requestSpan = {
    traceId,
    spanId: callId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name: `tools/call ${call.tool}`,
    kind: kinds.server,
    ...times(call.startedAt, call.durationMs),
    attributes: otlpAttributes([
      ...about,
      ['user.id', call.user],
      ['tooltray.session', call.sessionId],
      ['tooltray.app', call.app],
      ['tooltray.mode', call.mode],
      ['tooltray.via', call.via],
      ['tooltray.outcome', call.outcome],
      ['tooltray.spill.id', call.spillId],
      ['tooltray.server_result.bytes', call.bytes.serverResult],
      ['tooltray.model_result.bytes', call.bytes.modelResult],
      ['error.type', isFailed ? (call.error?.code ?? call.outcome) : undefined],
    ]),
    ...(isFailed && { status: { code: failed } }),
  };
  if (call.stages.call <= 0) return [requestSpan];
  const startedAt = call.startedAt + call.stages.resolve + call.stages.allow;
  const server = {
    traceId,
    spanId: serverId,
    parentSpanId: callId,
    name: `tools/call ${call.tool}`,
    kind: kinds.client,
    ...times(startedAt, call.stages.call),
    attributes: otlpAttributes(about),
    ...(isFailed && { status: { code: failed } }),
  };
  return [requestSpan, server];
}

function times(startMs: number, ms: number): object {
  return { startTimeUnixNano: nanos(startMs), endTimeUnixNano: nanos(startMs + ms) };
}

/** Protobuf's JSON encodes 64-bit integers as strings. */
function nanos(ms: number): string {
  return `${Math.floor(ms)}${String(Math.round((ms % 1) * 1e6) % 1e6).padStart(6, '0')}`;
}
