/**
 * The record of calls in SQLite: written in batches off the call's way, bounded, and never a reason for a call to fail.
 */
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Emitter } from '../base/emitter.ts';
import type { Log } from '../base/log.ts';
import { type Masker, CachingMasker } from '../base/mask.ts';
import type { RecoveringDatabase } from '../base/recovering-database.ts';
import { DeferredQueue } from '../base/scheduling/deferred-queue.ts';
import type { StoreHealth } from '../health/store-health.ts';
import { createActivityDatabase } from './activity-database.ts';
import {
  type ActivityEntry,
  type ActivityFilter,
  type ActivityStats,
  type CallRecord,
  type CallRow,
  type CountedTexts,
  rowBytes,
  toRow,
} from './call-record.ts';
import { AggregateCache } from './call-totals.ts';
import {
  type RetentionLimits,
  callStats,
  type CountedTokens,
  insertRows,
  recentCalls,
  trimCalls,
  updateLabels,
  updateTokens,
} from './call-table.ts';
import { AnnotationLog } from './annotations.ts';
import { IncrementalTransaction } from './incremental-transaction.ts';
import { type CallTokens, TokenBacklog } from './token-backlog.ts';
import type { TokenCounter } from './token-counter.ts';
import { RecentTools } from './recent-tools.ts';

export interface ActivityLogOptions extends RetentionLimits {
  readonly file: string;
  readonly masker: Masker;
  readonly log: Log;
  /** Counts tokens. Its creator closes it after this log. */
  readonly tokenCounter: Pick<TokenCounter, 'count'>;
  /** Notified whether records can be written. */
  readonly health?: StoreHealth | undefined;
  /** Queue in which records are created; shared with other work that is deferred until calls have finished. */
  readonly putOff?: DeferredQueue;
}

/** Rows of others in the same file, written after the calls that were recorded before them. */
export interface BatchParticipant {
  readonly waiting: number;
  /** They wait until `written` says so. Throws what SQLite throws. */
  write(database: DatabaseSync): void;
  /** Reports that the rows of the last `write` are on disk, or must be written again. */
  written(isOnDisk: boolean): void;
}

interface Pending {
  readonly call: CallRecord;
  readonly texts: CountedTexts | undefined;
  readonly onWritten: ((id: number | undefined) => void) | undefined;
  /** Its texts could not be held: the tokens are estimated. */
  readonly tooMany: boolean;
}

/** Calls of a batch that is not on disk yet. */
interface Inserted {
  readonly pending: Pending;
  readonly id: number;
}

interface CallLabels {
  readonly id: number;
  readonly labels: string;
  readonly generation: number;
}

const batchIntervalMs = 200;
const batchRows = 200;
/**
 * Rows that are written in one go while more of the same batch is made: a call that comes waits for no more of them.
 */
const partRows = 8;
/**
 * A batch that is written in parts is closed after this, in ms: other processes wait for it, `busyMs` of
 * private-database.ts at the most.
 */
const maxOpenTransactionMs = 25;
/** Records kept in memory while the database cannot be written. */
const maxPendingRecords = 5000;
const maxRetryDelayMs = 60_000;
/** How long closing waits for tokens still being counted, in ms. */
const closeTimeoutMs = 1500;
const smallestBound = 256 * 1024;

export class ActivityLog {
  /** Records were written. */
  readonly changed = new Emitter();
  /** One call, as soon as it is known; and its tokens, when they are counted. */
  readonly recorded = new Emitter<CallRecord>();
  readonly counted = new Emitter<CallTokens>();
  readonly annotations: AnnotationLog;
  readonly #options: ActivityLogOptions;
  readonly #bounds: RetentionLimits;
  readonly #masker: CachingMasker;
  readonly #backlog: TokenBacklog;
  readonly #store: RecoveringDatabase;
  readonly #stretches = new AggregateCache();
  readonly #used = new RecentTools();
  readonly #putOff: DeferredQueue;
  readonly #batch: IncrementalTransaction;
  #beside: BatchParticipant | undefined;
  #pending: Pending[] = [];
  #inserted: Inserted[] = [];
  #insertedBytes = 0;
  #counted: CountedTokens[] = [];
  #labelled: CallLabels[] = [];
  #timer: NodeJS.Timeout | undefined;
  #retryMs = 0;
  #dropped = 0;
  #closed = false;

  /** Opens nothing yet: the file is made with the first batch. */
  constructor(options: ActivityLogOptions) {
    this.#options = options;
    this.#masker = new CachingMasker(options.masker);
    this.#bounds = { maxRows: Math.max(1, options.maxRows), maxBytes: Math.max(smallestBound, options.maxBytes) };
    this.#backlog = new TokenBacklog(options.tokenCounter);
    this.#store = createActivityDatabase(options.file, this.#bounds.maxBytes, options.log);
    this.#batch = new IncrementalTransaction(this.#store);
    this.annotations = new AnnotationLog(this, options.log);
    this.#putOff = options.putOff ?? new DeferredQueue();
    this.#putOff.sliceDone.on((followsSoon) => {
      // What could not be written is not tried again with every part.
      if (this.#retryMs > 0) return;
      if (!followsSoon) this.#write();
      else if (this.#pending.length >= partRows) this.#writePart();
    });
  }

  /**
   * Returns at once. Tokens are counted if `texts` are given, and estimated by size while too many texts wait.
   * `onWritten` receives the record's id, or undefined if the record was dropped.
   */
  record(call: CallRecord, texts?: CountedTexts, onWritten?: (id: number | undefined) => void): void {
    if (this.#closed) {
      onWritten?.(undefined);
      return;
    }
    this.recorded.emit(call);
    const held = texts !== undefined && this.#backlog.reserve(textBytes(call, texts));
    this.#pending.push({ call, texts: held ? texts : undefined, onWritten, tooMany: texts !== undefined && !held });
    if (this.#pending.length > maxPendingRecords) this.#dropOldest();
    this.#schedule(this.#pending.length >= batchRows ? 0 : batchIntervalMs);
  }

  /**
   * Calls `make`, which is to record something, before the next batch is written: what it takes to make a record is
   * then spent off the call's way. `bytes`: what it holds until then, about.
   */
  deferRecord(make: () => void, bytes?: number): void {
    if (!this.#closed) this.#putOff.add(make, bytes);
  }

  /** Called once, by the part that adds rows to the same batches. */
  joinBatches(rows: BatchParticipant): void {
    this.#beside = rows;
  }

  /** Others' rows wait. */
  scheduleFlush(): void {
    if (!this.#closed) this.#schedule(batchIntervalMs);
  }

  /** Adds labels found in a call's result, by the id that `onWritten` received. Returns at once. */
  label(id: number, labels: readonly string[]): void {
    if (this.#closed || labels.length === 0) return;
    this.#labelled.push({ id, labels: labels.join(' '), generation: this.#store.generation });
    this.#schedule(batchIntervalMs);
  }

  /** The newest records first, those not yet written included. Throws what SQLite throws. */
  recent(filter: ActivityFilter = {}, limit = 100): ActivityEntry[] {
    this.flush();
    return this.#store.use((database) => recentCalls(database, filter, limit));
  }

  /** Runs a query from call-queries.ts or call-sums.ts, unwritten records included. Throws SQLite errors. */
  query<T>(ask: (database: DatabaseSync, stretches: AggregateCache) => T): T {
    this.flush();
    return this.#store.use((database) => {
      this.#stretches.syncWith(database, this.#store.generation);
      return ask(database, this.#stretches);
    });
  }

  /** For what has nothing to do with calls: none is made for this. Throws what SQLite throws. */
  use<T>(work: (database: DatabaseSync) => T): T {
    if (this.#batch.isOpen) this.#write();
    return this.#store.use(work);
  }

  stats(): ActivityStats {
    this.flush();
    return this.#store.use(callStats);
  }

  /**
   * Ids of the tools that calls used lately and that answered; empty where the record cannot be read. What waits to be
   * written is not in it yet: nothing is written for this.
   */
  usedTools(): ReadonlySet<string> {
    try {
      return this.#used.ids((ask) => this.#store.use(ask));
    } catch {
      return new Set();
    }
  }

  /** Writes what waits, now. Never throws: what cannot be written is tried again later. */
  flush(): void {
    this.#putOff.drain();
    this.#write();
  }

  /**
   * Waits a moment for tokens still being counted, writes everything and closes the file, `last` of all with what is in
   * it.
   */
  async close(last?: () => Promise<void> | undefined): Promise<void> {
    this.#putOff.drain();
    this.annotations.close();
    this.#closed = true;
    this.flush();
    const waiting = new AbortController();
    await Promise.race([
      this.#backlog.drained(),
      sleep(closeTimeoutMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    this.flush();
    clearTimeout(this.#timer);
    await last?.();
    this.#store.close();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const beside = this.#beside?.waiting ?? 0;
    const waits = this.#pending.length + this.#counted.length + this.#labelled.length + beside > 0;
    if (!waits && !this.#batch.isOpen) return;
    this.#try(() => {
      this.#insertAll();
      this.#commit();
      this.#recovered();
      this.changed.emit();
    });
  }

  /** Writes to the open batch without committing it: more of the same batch will follow. */
  #writePart(): void {
    if (!this.#batch.isOpen) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#write(), maxOpenTransactionMs).unref();
    }
    this.#try(() => this.#insertAll());
  }

  #insertAll(): void {
    while (this.#pending.length > 0) {
      this.#insert();
      if (this.#isFull) this.#commit();
    }
    if ((this.#beside?.waiting ?? 0) === 0 || this.#batch.add((database) => this.#beside?.write(database))) return;
    this.#insertAgain();
    this.#schedule(batchIntervalMs);
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#undo();
      this.#failed(error);
    }
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined && (delayMs > 0 || this.#retryMs > 0)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), Math.max(delayMs, this.#retryMs)).unref();
  }

  /**
   * A batch is at most a twentieth of the bound, so that the file outgrows it by no more than that before it is
   * trimmed.
   */
  get #isFull(): boolean {
    return this.#inserted.length >= batchRows || this.#insertedBytes > this.#bounds.maxBytes / 20;
  }

  /** Inserts as many pending records as fit into the batch, and at least one. */
  #insert(): void {
    const rows: CallRow[] = [];
    let bytes = this.#insertedBytes;
    for (const { call } of this.#pending.slice(0, batchRows - this.#inserted.length)) {
      const row = toRow(call, this.#masker);
      bytes += rowBytes(row);
      if (rows.length + this.#inserted.length > 0 && bytes > this.#bounds.maxBytes / 20) break;
      rows.push(row);
    }
    const calls = this.#pending.slice(0, rows.length);
    let ids: readonly number[] = [];
    const isWhole = this.#batch.add((database) => {
      ids = insertRows(
        database,
        rows,
        calls.map(({ call }) => call),
      );
    });
    this.#pending.splice(0, rows.length);
    if (!isWhole) this.#insertAgain();
    this.#inserted.push(...calls.map((pending, index) => ({ pending, id: ids[index] ?? 0 })));
    this.#insertedBytes = bytes;
  }

  /** Inserts the batch again, because the file that held it is gone. */
  #insertAgain(): void {
    this.#pending.unshift(...this.#inserted.map(({ pending }) => pending));
    this.#inserted = [];
    this.#insertedBytes = 0;
    this.#beside?.written(false);
  }

  #undo(): void {
    this.#batch.rollback();
    this.#insertAgain();
  }

  #commit(): void {
    const { generation } = this.#store;
    const [counted, labelled] = [this.#counted, this.#labelled.filter((one) => one.generation === generation)];
    if (counted.length + labelled.length > 0)
      this.#batch.add((database) => {
        updateTokens(database, counted);
        updateLabels(database, labelled);
      });
    this.#batch.commit();
    const inserted = this.#inserted;
    [this.#inserted, this.#insertedBytes, this.#counted, this.#labelled] = [[], 0, [], []];
    this.#beside?.written(true);
    this.#stretches.invalidate([...inserted, ...counted].map(({ id }) => id));
    for (const { pending, id } of inserted) {
      this.#countTokens(pending, id);
      pending.onWritten?.(id);
      if (pending.call.outcome === 'ok') this.#used.note(pending.call.server, pending.call.tool);
    }
    if (inserted.length > 0) this.#store.use((database) => trimCalls(database, this.#bounds));
  }

  #countTokens({ call, texts, tooMany }: Pending, id: number): void {
    if (tooMany) this.#count({ id, ...estimate(call) });
    if (texts === undefined) return;
    const generation = this.#store.generation;
    this.#backlog.add(texts, textBytes(call, texts), (tokens) => {
      if (generation !== this.#store.generation) return;
      this.#count({ id, ...tokens });
      if (!this.#closed) this.#schedule(batchIntervalMs);
    });
  }

  #count(tokens: CountedTokens): void {
    this.#counted.push(tokens);
    this.counted.emit(tokens);
  }

  #failed(error: unknown): void {
    const { file, health, log } = this.#options;
    if (this.#retryMs === 0) log.warn('Activity cannot be written; trying again.', { error });
    health?.failed('activity', error, dirname(file));
    this.#retryMs = Math.min(maxRetryDelayMs, Math.max(1000, this.#retryMs * 2));
    if (!this.#closed) this.#schedule(this.#retryMs);
  }

  #recovered(): void {
    this.#options.health?.wrote('activity');
    if (this.#retryMs > 0) this.#options.log.info('Activity is written again.', { dropped: this.#dropped });
    this.#retryMs = 0;
    this.#dropped = 0;
  }

  #dropOldest(): void {
    const oldest = this.#pending.shift();
    if (oldest?.texts !== undefined) this.#backlog.release(textBytes(oldest.call, oldest.texts));
    oldest?.onWritten?.(undefined);
    this.#dropped++;
  }
}

function textBytes(call: CallRecord, { sent }: CountedTexts): number {
  const apart = sent !== 'same' && 'text' in sent ? sent.bytes : 0;
  return call.argumentBytes + call.givenBytes + apart;
}

/** About four bytes to a token. */
function estimate({ argumentBytes, resultBytes, givenBytes }: CallRecord): CallTokens {
  const bySize = (bytes: number): number => Math.ceil(bytes / 4);
  const [tokensIn, tokensSent, tokensOut] = [bySize(argumentBytes), bySize(resultBytes), bySize(givenBytes)];
  return { tokensIn, tokensSent, tokensOut, estimated: true };
}
