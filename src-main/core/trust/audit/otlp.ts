/**
 * Sends records to a collector as OpenTelemetry logs: OTLP over HTTP, JSON encoding (opentelemetry-proto, OTLP 1.x). Names of attributes
 * follow the conventions of GenAI and MCP where they have one. Whole lines go along, so that the chain can be checked there.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import { type AuditRecord, type Digest } from './entries.ts';
import type { RecordLine } from './read.ts';
import { tellRecord } from './tell.ts';

export interface OtlpTarget {
  /** Of the collector; without a path the one that OTLP says, `/v1/logs`. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly version: string;
}

export interface OtlpOutcome {
  readonly sent: number;
  /** What the collector took and did not keep, by its own word. */
  readonly rejected: number;
  /** What it said about that. */
  readonly message: string;
  /** The last record that was sent. */
  readonly last: number;
}

export interface OtlpLimits {
  readonly attempts: number;
  /** The first wait; each one after is twice as long, up to `longestMs`. */
  readonly firstMs: number;
  readonly longestMs: number;
  readonly timeoutMs: number;
}

const defaults: OtlpLimits = { attempts: 6, firstMs: 500, longestMs: 30_000, timeoutMs: 15_000 };
const batchRecords = 500;
/** Those that the specification has tried again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const longestAnswer = 64 * 1024;

/** Rejects with AppError call_failed where the collector refuses, or cannot be reached in so many attempts; `data.last`: what had arrived. */
export async function sendRecords(
  lines: AsyncIterable<RecordLine>,
  target: OtlpTarget,
  limits: Partial<OtlpLimits> = {},
): Promise<OtlpOutcome> {
  const bounds = { ...defaults, ...limits };
  let outcome: OtlpOutcome = { sent: 0, rejected: 0, message: '', last: 0 };
  let batch: RecordLine[] = [];
  const send = async (): Promise<void> => {
    if (batch.length === 0) return;
    const { rejected, message } = await post(batch, target, bounds, outcome.last);
    outcome = {
      sent: outcome.sent + batch.length,
      rejected: outcome.rejected + rejected,
      message: message === '' ? outcome.message : message,
      last: batch.at(-1)?.record.seq ?? 0,
    };
    batch = [];
  };
  for await (const line of lines) {
    batch.push(line);
    if (batch.length === batchRecords) await send();
  }
  await send();
  return outcome;
}

/** `OTEL_EXPORTER_OTLP_HEADERS`: `key=value,key=value`, values URL-encoded (OpenTelemetry, Protocol Exporter). */
export function readHeaders(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return key === undefined || value === undefined ? [] : [[key, decoded(value)] as const];
  });
  return Object.fromEntries(pairs);
}

/** Throws AppError bad_request for what is no http(s) address. */
export function logsUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError('bad_request', `${JSON.stringify(text)} is no address of a collector.`, {
      fix: 'Write it like http://127.0.0.1:4318.',
    });
  }
  if (url.pathname === '/') url.pathname = '/v1/logs';
  return url;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

interface Answered {
  readonly rejected: number;
  readonly message: string;
}

async function post(
  batch: readonly RecordLine[],
  target: OtlpTarget,
  limits: OtlpLimits,
  last: number,
): Promise<Answered> {
  const body = JSON.stringify(toLogs(batch, target.version));
  for (let attempt = 1, waitMs = limits.firstMs; ; attempt++, waitMs = Math.min(limits.longestMs, waitMs * 2)) {
    const tried = await tryPost(body, target, limits.timeoutMs);
    if ('rejected' in tried) return tried;
    if (!tried.mayPass || attempt >= limits.attempts) {
      throw new AppError('call_failed', `The collector did not take the records: ${tried.why}.`, {
        fix: `Records up to ${last} arrived; go on with --after ${last}.`,
        data: { last },
      });
    }
    // Spread out, so that many that wait do not come back at once.
    const ownMs = waitMs * (0.5 + Math.random() / 2);
    await sleep(Math.min(limits.longestMs, tried.afterMs ?? ownMs));
  }
}

interface Failed {
  readonly why: string;
  readonly mayPass: boolean;
  /** What the collector asked to wait. */
  readonly afterMs?: number | undefined;
}

async function tryPost(body: string, { url, headers }: OtlpTarget, timeoutMs: number): Promise<Answered | Failed> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = (await response.text()).slice(0, longestAnswer);
    if (response.ok) return partialSuccess(text);
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    const afterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
    return { why: `it answered ${response.status}`, mayPass: passing.has(response.status), afterMs };
  } catch (error) {
    const { cause, message } = error as Error;
    return { why: cause instanceof Error ? cause.message : message, mayPass: true };
  }
}

function partialSuccess(text: string): Answered {
  try {
    const { partialSuccess: partial } = JSON.parse(text) as {
      partialSuccess?: { rejectedLogRecords?: string | number; errorMessage?: string };
    };
    return { rejected: Number(partial?.rejectedLogRecords ?? 0) || 0, message: String(partial?.errorMessage ?? '') };
  } catch {
    // Some answer nothing at all.
    return { rejected: 0, message: '' };
  }
}

type Attribute = readonly [key: string, value: string | number | boolean | readonly string[] | undefined];

function toLogs(batch: readonly RecordLine[], version: string): object {
  const attributes = toAttributes([
    ['service.name', 'tooltray'],
    ['service.version', version],
  ]);
  const scope = { name: 'tooltray.audit', version };
  return { resourceLogs: [{ resource: { attributes }, scopeLogs: [{ scope, logRecords: batch.map(toLogRecord) }] }] };
}

function toLogRecord({ record, text }: RecordLine): object {
  const nanos = `${record.at}000000`;
  const isOdd = record.kind === 'refusal' || record.kind === 'cut' || record.kind === 'lost';
  return {
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    ...(isOdd ? { severityNumber: 13, severityText: 'WARN' } : { severityNumber: 9, severityText: 'INFO' }),
    eventName: `tooltray.audit.${record.kind}`,
    body: { stringValue: tellRecord(record) },
    attributes: toAttributes([...attributesOf(record), ['log.record.original', text]]),
  };
}

function attributesOf(record: AuditRecord): readonly Attribute[] {
  const members = Object.entries(record) as [string, unknown][];
  return members.flatMap(([key, value]): readonly Attribute[] => {
    if (key === 'at') return [];
    if (isDigest(value)) {
      return [
        [`tooltray.audit.${key}.bytes`, value.bytes],
        [`tooltray.audit.${key}.hmac`, value.hmac],
      ];
    }
    return [[conventional.get(key) ?? `tooltray.audit.${key}`, value as Attribute[1]]];
  });
}

/** As the conventions call them (semantic-conventions, GenAI and MCP). */
const conventional: ReadonlyMap<string, string> = new Map([
  ['tool', 'gen_ai.tool.name'],
  ['session', 'mcp.session.id'],
  ['code', 'error.type'],
]);

function isDigest(value: unknown): value is Digest {
  return typeof value === 'object' && value !== null && 'hmac' in value;
}

function toAttributes(attributes: readonly Attribute[]): readonly object[] {
  return attributes.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: toAnyValue(value) }]));
}

/** 64 bits are texts in protobuf's JSON. */
function toAnyValue(value: NonNullable<Attribute[1]>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
