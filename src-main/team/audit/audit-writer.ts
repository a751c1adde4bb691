/**
 * Writes a replica's audit records to the team's audit log: asynchronously, in batches, buffered while the database is
 * unavailable.
 */
import { randomBytes } from 'node:crypto';
import {
  AuditBatch,
  type AuditEntry,
  type AuditKeys,
  type AuditRecorder,
  type Digest,
  maxUnsigned,
  PendingEntries,
  type PendingEntry,
} from '../../core/edition.ts';
import { Emitter } from '../../core/base/emitter.ts';
import type { JsonDocument } from '../../core/base/json-document.ts';
import type { Log } from '../../core/base/log.ts';
import type { Masker } from '../../core/base/mask.ts';
import type { AuditPush } from './audit-push.ts';
import type { AuditTable, Lines, ChainTail } from './audit-table.ts';

export interface TeamAuditOptions {
  readonly rows: AuditTable;
  readonly keys: AuditKeys;
  readonly seen: JsonDocument;
  readonly masker: Pick<Masker, 'maskText' | 'matchers'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** Current time in ms since 1970. */
  readonly now: () => number;
  /**
   * Buffer limit while the database is unavailable; beyond it, call records are dropped first and their number is
   * recorded.
   */
  readonly maxPendingRecords?: number;
  /** Receives the lines of each batch once it is stored. */
  readonly push?: Pick<AuditPush, 'send' | 'close'> | undefined;
}

/** About 20 MB, and more than a minute at 300 calls a second. */
const maxPending = 20_000;
const batchMs = 200;
/** Keeps each write short, because the other replicas wait for it. */
const batchSize = 2000;
const minRetryDelayMs = 500;
const maxRetryDelayMs = 5000;
/** Interval at which unsigned records are signed. */
const signIntervalMs = 60_000;
/** Maximum time for the final flush, in ms. */
const closeTimeoutMs = 5000;

/** A batch in flight, retried unchanged until the write is confirmed. */
interface Sent {
  readonly notes: readonly PendingEntry[];
  readonly lost: number;
  readonly wantsHead: boolean;
  readonly batch: number;
  /** The lines of the last attempt: if its response was lost, they may be stored. */
  lines: readonly string[];
}

export class TeamAuditWriter implements AuditRecorder {
  readonly changed = new Emitter();
  readonly log: AuditTable;
  readonly seen: JsonDocument;
  readonly configName = 'team';
  readonly #options: TeamAuditOptions;
  readonly #waiting: PendingEntries;
  readonly #writer = randomBytes(9).toString('base64url');
  #sent: Sent | undefined;
  #batches = 0;
  #wantsHead = false;
  #hasUnsigned = false;
  #writing: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #signTimer: NodeJS.Timeout | undefined;
  #retryMs = 0;
  #isClosed = false;

  constructor(options: TeamAuditOptions) {
    this.#options = options;
    this.log = options.rows;
    this.seen = options.seen;
    this.#waiting = new PendingEntries(options.maxPendingRecords ?? maxPending, options.masker);
  }

  note(entry: AuditEntry): void {
    if (this.#isClosed) return;
    this.#waiting.add({ at: this.#options.now(), entry });
    if (entry.kind !== 'call') this.#wantsHead = true;
    this.#schedule(this.#wantsHead || this.#waiting.notes.length >= maxUnsigned ? 0 : batchMs);
  }

  digest(said: string | readonly Buffer[], bytes?: number): Digest {
    return this.#options.keys.digest(said, bytes);
  }

  async flush(): Promise<boolean> {
    // Records added during a write go into the next batch.
    if (this.#writing !== undefined) await this.#writing;
    return this.#write();
  }

  async close(): Promise<void> {
    clearTimeout(this.#signTimer);
    this.#wantsHead ||= this.#hasUnsigned || this.#sent !== undefined || !this.#waiting.isEmpty;
    const until = Date.now() + closeTimeoutMs;
    while (!(await this.flush()) && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(this.#retryMs, until - Date.now())));
    }
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#signTimer);
    const left = this.#waiting.notes.length + (this.#sent?.notes.length ?? 0);
    await this.#options.push?.close();
    if (left > 0) this.#options.log.warn('The database is unreachable; the last audit records are lost.', { left });
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#writing !== undefined) return;
    if (this.#timer !== undefined && (delayMs > 0 || this.#retryMs > 0)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#write(), Math.max(delayMs, this.#retryMs)).unref();
  }

  /** Writes all pending records; resolves to false if the database is unavailable. */
  #write(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#writing ??= this.#send().finally(() => {
      this.#writing = undefined;
      if (!this.#isEmpty) this.#schedule(0);
    }));
  }

  get #isEmpty(): boolean {
    return this.#sent === undefined && this.#waiting.isEmpty && !this.#wantsHead;
  }

  async #send(): Promise<boolean> {
    while (!this.#isEmpty) {
      const sent = (this.#sent ??= this.#next());
      try {
        await this.#options.rows.append({ writer: this.#writer, batch: sent.batch }, (tail) => this.#lines(sent, tail));
      } catch (error) {
        if (this.#retryMs === 0) this.#options.log.warn('Cannot write the audit log; retrying.', { error });
        this.#retryMs = Math.min(maxRetryDelayMs, Math.max(minRetryDelayMs, this.#retryMs * 2));
        return false;
      }
      this.#sent = undefined;
      this.#options.push?.send(sent.lines);
      if (this.#retryMs > 0) this.#options.log.info('Audit log writes have resumed.');
      this.#retryMs = 0;
      this.changed.emit();
    }
    return true;
  }

  #next(): Sent {
    const { notes, lost } = this.#waiting.take(batchSize);
    const wantsHead = this.#wantsHead;
    this.#wantsHead = false;
    return { notes, lost, wantsHead, batch: ++this.#batches, lines: [] };
  }

  #lines(sent: Sent, tail: ChainTail): Lines {
    const { notes, lost, wantsHead } = sent;
    const { keys, now } = this.#options;
    const batch = new AuditBatch(tail, Math.max(0, tail.seq - tail.head), keys, now);
    // Each month starts with a signed head, so that the log can be verified after earlier months are deleted.
    if (tail.isOver) batch.head();
    if (tail.head > tail.seq) batch.add({ kind: 'cut', to: tail.head });
    if (lost > 0) batch.add({ kind: 'lost', records: lost });
    batch.notes(notes);
    if (wantsHead && batch.unsigned > 0) batch.head();
    this.#hasUnsigned = batch.unsigned > 0;
    if (this.#hasUnsigned)
      this.#signTimer ??= setTimeout(() => {
        this.#signTimer = undefined;
        this.#wantsHead = true;
        this.#schedule(0);
      }, signIntervalMs).unref();
    sent.lines = batch.lines;
    return batch;
  }
}
