/**
 * The part of OTLP that is used: OTLP over HTTP, JSON encoding (opentelemetry-proto, OTLP 1.x). The caller provides
 * the body; retries follow the protocol.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './errors.ts';

export interface OtlpTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OtlpLimits {
  readonly attempts: number;
  /** The first delay; each next one is twice as long, up to `maxMs`. */
  readonly firstMs: number;
  readonly maxMs: number;
  readonly timeoutMs: number;
}

export interface OtlpResponse {
  /** Number of records that the collector reports as rejected. */
  readonly rejected: number;
  /** The collector's message. */
  readonly message: string;
}

export type OtlpAttribute = readonly [key: string, value: string | number | boolean | readonly string[] | undefined];

export const otlpDefaults: OtlpLimits = { attempts: 6, firstMs: 500, maxMs: 30_000, timeoutMs: 15_000 };
/** Statuses after which the specification permits a retry. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const maxResponseBytes = 64 * 1024;

/**
 * Sends a body. Rejects with Error, whose message completes a sentence, if the collector refuses or stays unreachable.
 */
export async function postOtlp(body: object, target: OtlpTarget, limits: OtlpLimits): Promise<OtlpResponse> {
  const text = JSON.stringify(body);
  for (let attempt = 1, waitMs = limits.firstMs; ; attempt++, waitMs = Math.min(limits.maxMs, waitMs * 2)) {
    const tried = await tryPost(text, target, limits.timeoutMs);
    if ('rejected' in tried) return tried;
    if (!tried.mayPass || attempt >= limits.attempts) throw new Error(tried.why);
    // Jitter, so that many clients do not retry at once.
    const ownMs = waitMs * (0.5 + Math.random() / 2);
    await sleep(Math.min(limits.maxMs, tried.afterMs ?? ownMs));
  }
}

/** `OTEL_EXPORTER_OTLP_HEADERS`: `key=value,key=value`, values URL-encoded (OpenTelemetry, Protocol Exporter). */
export function parseOtlpHeaders(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return key === undefined || value === undefined ? [] : [[key, decoded(value)] as const];
  });
  return Object.fromEntries(pairs);
}

/** Parses a collector's URL. Throws AppError `bad_request` if it is not an http(s) address. */
export function parseCollectorUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new AppError('bad_request', `${JSON.stringify(text)} is no address of a collector.`, {
    fix: 'Write it like http://127.0.0.1:4318.',
  });
}

/**
 * The collector that the environment sets for a signal; undefined if it sets none. Throws AppError `bad_request` for
 * an invalid address. Source: OpenTelemetry, SDK environment variables and Protocol Exporter.
 */
export function otlpTarget(
  env: Readonly<Record<string, string | undefined>>,
  signal: 'traces' | 'logs',
): OtlpTarget | undefined {
  const name = signal.toUpperCase();
  const own = env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`] ?? '';
  const all = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if ((own === '' && all === '') || env[`OTEL_${name}_EXPORTER`] === 'none' || env['OTEL_SDK_DISABLED'] === 'true')
    return undefined;
  const headers = parseOtlpHeaders(env[`OTEL_EXPORTER_OTLP_${name}_HEADERS`] ?? env['OTEL_EXPORTER_OTLP_HEADERS']);
  // The endpoint of a signal is used verbatim; the common one is extended with the path of the signal.
  if (own !== '') return { url: parseCollectorUrl(own), headers };
  const url = parseCollectorUrl(all);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${signal}`;
  return { url, headers };
}

export function otlpAttributes(attributes: readonly OtlpAttribute[]): readonly object[] {
  return attributes.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: toAnyValue(value) }]));
}

/** 64-bit numbers are texts in protobuf's JSON. */
function toAnyValue(value: NonNullable<OtlpAttribute[1]>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

interface Failed {
  readonly why: string;
  readonly mayPass: boolean;
  /** Delay that the collector requested, in ms. */
  readonly afterMs?: number | undefined;
}

async function tryPost(body: string, { url, headers }: OtlpTarget, timeoutMs: number): Promise<OtlpResponse | Failed> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = (await response.text()).slice(0, maxResponseBytes);
    if (response.ok) return partialSuccess(text);
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    const afterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
    return { why: `it answered ${response.status}`, mayPass: passing.has(response.status), afterMs };
  } catch (error) {
    const { cause, message } = error as Error;
    return { why: cause instanceof Error ? cause.message : message, mayPass: true };
  }
}

/** Logs and traces use different members for rejected records. */
function partialSuccess(text: string): OtlpResponse {
  try {
    const { partialSuccess: partial } = JSON.parse(text) as {
      partialSuccess?: {
        readonly rejectedLogRecords?: string | number;
        readonly rejectedSpans?: string | number;
        readonly errorMessage?: string;
      };
    };
    const rejected = Number(partial?.rejectedLogRecords ?? partial?.rejectedSpans ?? 0) || 0;
    return { rejected, message: String(partial?.errorMessage ?? '') };
  } catch {
    // Some collectors return an empty body.
    return { rejected: 0, message: '' };
  }
}
