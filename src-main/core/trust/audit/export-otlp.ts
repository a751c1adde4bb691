/**
 * Sends records to a collector as OpenTelemetry logs: OTLP over HTTP, JSON encoding (opentelemetry-proto, OTLP 1.x).
 * Attribute names follow the conventions for GenAI and MCP where they exist. Records include their line, so that the
 * chain can be verified there.
 */
import { AppError } from '../../base/errors.ts';
import {
  parseCollectorUrl,
  type OtlpResponse,
  type OtlpAttribute,
  otlpAttributes,
  otlpDefaults,
  type OtlpLimits,
  type OtlpTarget,
  postOtlp,
} from '../../base/otlp.ts';
import { type AuditRecord, type Digest } from './audit-entries.ts';
import type { RecordLine } from './read-audit-log.ts';
import { describeRecord } from './describe-record.ts';

/** A collector's `url` as returned by `logsUrl`, with our version. */
export interface LogTarget extends OtlpTarget {
  readonly version: string;
}

export interface OtlpOutcome {
  readonly sent: number;
  /** The number of records that the collector reports as rejected. */
  readonly rejected: number;
  /** The collector's message about rejected records. */
  readonly message: string;
  /** The last record that was sent. */
  readonly last: number;
}

const batchRecords = 500;

/**
 * Rejects with AppError `call_failed` if the collector refuses or stays unreachable;
 * `data.last` is the last record that arrived.
 */
export async function exportRecords(
  lines: AsyncIterable<RecordLine>,
  target: LogTarget,
  limits: Partial<OtlpLimits> = {},
): Promise<OtlpOutcome> {
  const bounds = { ...otlpDefaults, ...limits };
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

/** Throws AppError `bad_request` for anything except an http(s) address. */
export function logsUrl(text: string): URL {
  const url = parseCollectorUrl(text);
  if (url.pathname === '/') url.pathname = '/v1/logs';
  return url;
}

async function post(
  batch: readonly RecordLine[],
  target: LogTarget,
  limits: OtlpLimits,
  last: number,
): Promise<OtlpResponse> {
  try {
    return await postOtlp(toLogs(batch, target.version), target, limits);
  } catch (error) {
    throw new AppError('call_failed', `The collector did not accept the records: ${(error as Error).message}.`, {
      fix: `Records up to ${last} arrived; continue with --after ${last}.`,
      data: { last },
    });
  }
}

function toLogs(batch: readonly RecordLine[], version: string): object {
  const attributes = otlpAttributes([
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
    body: { stringValue: describeRecord(record) },
    attributes: otlpAttributes([...attributesOf(record), ['log.record.original', text]]),
  };
}

function attributesOf(record: AuditRecord): readonly OtlpAttribute[] {
  const members = Object.entries(record) as [string, unknown][];
  return members.flatMap(([key, value]): readonly OtlpAttribute[] => {
    if (key === 'at') return [];
    if (isDigest(value)) {
      return [
        [`tooltray.audit.${key}.bytes`, value.bytes],
        [`tooltray.audit.${key}.hmac`, value.hmac],
      ];
    }
    return [[conventional.get(key) ?? `tooltray.audit.${key}`, value as OtlpAttribute[1]]];
  });
}

/** Names of the semantic conventions (GenAI and MCP). */
const conventional: ReadonlyMap<string, string> = new Map([
  ['tool', 'gen_ai.tool.name'],
  ['session', 'mcp.session.id'],
  ['code', 'error.type'],
]);

function isDigest(value: unknown): value is Digest {
  return typeof value === 'object' && value !== null && 'hmac' in value;
}
