/**
 * Sends stored audit records to stdout and to an OpenTelemetry collector, according to the setting
 * `audit.push`. Each replica sends the records that it wrote.
 */
import { Readable, type Writable } from 'node:stream';
import { exportRecords, type LogTarget, parseRecord, type RecordLine } from '../../core/edition.ts';
import { errorText, toAppError } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import { otlpTarget, type OtlpLimits } from '../../core/base/otlp.ts';
import { settleWithin } from '../../core/base/settle-within.ts';

export interface AuditPushDeps {
  readonly sinks: () => readonly ('stdout' | 'otlp')[];
  readonly stdout: Writable;
  /** Configures the collector. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of this program, reported to the collector. */
  readonly version: string;
  readonly log: Pick<Log, 'warn' | 'info'>;
  readonly limits?: Partial<OtlpLimits>;
}

/**
 * Maximum number of lines waiting for an unavailable collector, about 20 MB. Older ones are dropped here, but remain
 * in the log.
 */
const maxWaiting = 20_000;
/** Maximum unread bytes on stdout. */
const maxUnreadBytes = 16 * 1024 * 1024;
const retryMs = 30_000;
/** Maximum time for the final flush, in ms. */
const closeTimeoutMs = 3000;

export class AuditPush {
  readonly #parts: AuditPushDeps;
  readonly #target: LogTarget | undefined;
  #waiting: RecordLine[] = [];
  #sending: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #hasWarned = false;

  /** Throws AppError `bad_request` if the collector's URL in the environment is invalid. */
  constructor(parts: AuditPushDeps) {
    this.#parts = parts;
    const target = otlpTarget(parts.env, 'logs');
    this.#target = target && { ...target, version: parts.version };
    // A closed pipe must not end the replica.
    parts.stdout.on('error', () => undefined);
  }

  /** `lines`: each with its line feed. Returns immediately and never throws. */
  send(lines: readonly string[]): void {
    const sinks = this.#parts.sinks();
    // A slow reader must not use unlimited memory.
    const isRead = this.#parts.stdout.writableLength < maxUnreadBytes;
    if (sinks.includes('stdout') && isRead) this.#parts.stdout.write(lines.join(''));
    else if (sinks.includes('stdout')) this.#warn('Audit records were not written to stdout: its reader is too slow.');
    if (!sinks.includes('otlp')) return;
    if (this.#target === undefined)
      return this.#warn('audit.push names otlp, but OTEL_EXPORTER_OTLP_ENDPOINT is not set.');
    this.#waiting.push(...recordsOf(lines));
    const dropped = this.#waiting.splice(0, this.#waiting.length - maxWaiting);
    if (dropped.length > 0)
      this.#warn('Audit records were not sent to the collector. Use: tooltray audit export --team');
    if (this.#retry === undefined) this.#start(this.#target);
  }

  /** Waits up to three seconds for the collector. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#target !== undefined && this.#waiting.length > 0) this.#start(this.#target);
    if (this.#sending !== undefined) await settleWithin(this.#sending, closeTimeoutMs);
    clearTimeout(this.#retry);
  }

  #start(target: LogTarget): void {
    this.#sending ??= this.#drain(target).finally(() => {
      this.#sending = undefined;
    });
  }

  async #drain(target: LogTarget): Promise<void> {
    while (this.#waiting.length > 0) {
      const records = this.#waiting;
      this.#waiting = [];
      try {
        await exportRecords(Readable.from(records), target, this.#parts.limits);
        this.#hasWarned = false;
      } catch (error) {
        const last = Number(toAppError(error).data?.['last'] ?? 0);
        this.#waiting = [...records.filter(({ record }) => record.seq > last), ...this.#waiting];
        this.#warn(`The collector of the audit log does not accept records: ${errorText(error)}`);
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          this.#start(target);
        }, retryMs).unref();
        return;
      }
    }
  }

  #warn(message: string): void {
    if (!this.#hasWarned) this.#parts.log.warn(message);
    this.#hasWarned = true;
  }
}

function recordsOf(lines: readonly string[]): readonly RecordLine[] {
  return lines.flatMap((line) => {
    const text = line.slice(0, -1);
    const record = parseRecord(text);
    return record === undefined ? [] : [{ record, text }];
  });
}
