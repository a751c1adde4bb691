/**
 * Exports calls as OpenTelemetry spans to the collector configured in the environment (OpenTelemetry SDK environment
 * variables, Protocol Exporter). Names follow the conventions of MCP and GenAI. Spans contain no payloads. If the
 * collector is unavailable for long, spans are dropped.
 */
import {
  type Attributes,
  type HrTime,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ActivityLog, CallRecord } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { OtlpTarget } from '../../core/base/otlp.ts';
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
  /** Time for the remaining spans at shutdown, in ms. */
  readonly endMs?: number;
}

interface SpanFields {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly kind: SpanKind;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attributes: Attributes;
}

const defaultShutdownTimeoutMs = 3_000;

export class SpanExporter {
  readonly #parts: SpanExporterDeps;
  readonly #provider: TracerProvider;
  readonly #stop: () => void;
  /** Ids of the span that is created: the server has already been told them. */
  #ids = { traceId: '', spanId: '' };

  constructor(parts: SpanExporterDeps) {
    this.#parts = parts;
    const { activity, log, replica, service, target, version } = parts;
    const exporter = new OTLPTraceExporter({ url: target.url.href, headers: { ...target.headers } });
    const processor = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) =>
          exporter.export(spans, (result) => {
            if (result.error !== undefined)
              log.warn(`Could not export ${spans.length} spans: ${errorText(result.error)}.`);
            done(result);
          }),
        shutdown: () => exporter.shutdown(),
      },
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': service,
        'service.version': version,
        'service.instance.id': replica,
      }),
      spanProcessors: [processor],
      idGenerator: { generateTraceId: () => this.#ids.traceId, generateSpanId: () => this.#ids.spanId },
    });
    this.#stop = activity.recorded.on((call) => this.#note(call));
  }

  /** Sends the remaining spans, within a time limit. */
  async close(): Promise<void> {
    this.#stop();
    await settleWithin(this.#provider.shutdown(), this.#parts.endMs ?? defaultShutdownTimeoutMs);
  }

  /**
   * Creates the span of the client request, with that of the server request if there was one; none if the app disabled
   * sampling.
   */
  #note(call: CallRecord): void {
    const { traceId, parentId, callId, serverId, isSampled } = call.trace ?? startTrace(undefined);
    if (!isSampled) return;
    const about: Attributes = {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.tool,
      'tooltray.server': call.server,
    };
    const attributes: Attributes = {
      ...about,
      'user.id': call.user,
      'tooltray.session': call.sessionId,
      'tooltray.app': call.app,
      'tooltray.mode': call.mode,
      'tooltray.via': call.via,
      'tooltray.outcome': call.outcome,
      'tooltray.spill.id': call.spillId,
      'tooltray.server_result.bytes': call.bytes.serverResult,
      'tooltray.model_result.bytes': call.bytes.modelResult,
      'error.type': call.outcome === 'ok' ? undefined : (call.error?.code ?? call.outcome),
    };
    const { startedAt, durationMs, stages } = call;
    this.#add(call, { traceId, spanId: callId, parentId, kind: SpanKind.SERVER, startedAt, durationMs, attributes });
    if (stages.call <= 0) return;
    const server = { traceId, spanId: serverId, parentId: callId, kind: SpanKind.CLIENT, attributes: about };
    const calledAt = startedAt + stages.resolve + stages.allow;
    this.#add(call, { ...server, startedAt: calledAt, durationMs: stages.call });
  }

  #add({ outcome, tool }: CallRecord, fields: SpanFields): void {
    const { traceId, spanId, parentId, kind, startedAt, durationMs, attributes } = fields;
    this.#ids = { traceId, spanId };
    const parent = parentId && { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    const span = this.#provider
      .getTracer('tooltray.calls', this.#parts.version)
      .startSpan(
        `tools/call ${tool}`,
        { kind, attributes, startTime: hrTime(startedAt) },
        parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
      );
    if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(hrTime(startedAt + durationMs));
  }
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
