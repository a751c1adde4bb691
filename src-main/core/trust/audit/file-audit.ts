/**
 * Writes the audit log: one hash chain, in batches off the call path. A failure to write never fails anything else.
 * Decisions are written at once, with a signed head.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateDir } from '../../base/app-paths.ts';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { Emitter } from '../../base/emitter.ts';
import { LockFile } from '../../base/file-lock.ts';
import { FileJsonDocument, type JsonDocument } from '../../base/json-document.ts';
import type { Log } from '../../base/log.ts';
import type { Masker } from '../../base/mask.ts';
import type { StoreHealth } from '../../health/store-health.ts';
import type { AuditRecorder } from './audit-log.ts';
import { AuditBatch, PendingEntries } from './audit-batch.ts';
import type { ChainLink } from './hash-chain.ts';
import type { AuditEntry, Digest, LogMetaEntry } from './audit-entries.ts';
import type { AuditKeys, KeySource } from './audit-keys.ts';
import {
  FileAuditLog,
  headFile,
  openLogEnd,
  readNotedHead,
  segmentFile,
  segmentsIn,
  type LogEnd,
} from './audit-segments.ts';

export interface AuditOptions {
  /** A folder that contains only the log. */
  readonly folder: string;
  readonly masker: Pick<Masker, 'maskText' | 'matchers'>;
  readonly log: Log;
  /** Receives whether entries can be written. */
  readonly health?: StoreHealth | undefined;
  /** ms since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<AuditLimits>;
  /** The source of the signing key. */
  readonly keys: KeySource;
}

interface AuditLimits {
  /** A new file is started from this size on, in bytes. */
  readonly segmentBytes: number;
  readonly segments: number;
  /** Maximum number of entries held in memory while the log cannot be written. */
  readonly pending: number;
}

/** About a million calls. */
const defaults: AuditLimits = { segmentBytes: 4 * 1024 * 1024, segments: 160, pending: 10_000 };

const batchIntervalMs = 200;
/** This many call entries are written without waiting for more, because a larger batch would delay a call. */
const batchNotes = 64;
/** Retry delay while another process writes, in ms. */
const lockRetryMs = 10;
const maxRetryDelayMs = 60_000;
/** Unsigned records are signed after this long, in ms. */
const signIntervalMs = 60_000;
/** How long closing waits for another process, in ms. */
const closeTimeoutMs = 2000;
const staleMs = 10_000;
/** Maximum size of texts whose digests wait for the key, in bytes. */
const maxOwedBytes = 4 * 1024 * 1024;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export class FileAudit implements AuditRecorder {
  /** Emits after a write. */
  readonly changed = new Emitter();
  readonly folder: string;
  readonly log: FileAuditLog;
  readonly seen: JsonDocument;
  readonly #options: AuditOptions;
  readonly #limits: AuditLimits;
  readonly #keys: KeySource;
  /** Digests that wait for the key, with their texts. */
  #owed: { readonly digest: Writable<Digest>; readonly said: readonly Buffer[]; readonly bytes: number }[] = [];
  #owedBytes = 0;
  #tail: (LogEnd & { readonly ino: number }) | undefined;
  #unsigned = 0;
  readonly #waiting: PendingEntries;
  #wantsHead = false;
  #timer: NodeJS.Timeout | undefined;
  #signTimer: NodeJS.Timeout | undefined;
  #retryMs = 0;
  #noting: Promise<void> | undefined;
  /** The last head, if it is not recorded yet. */
  #toNote: { readonly file: string; readonly head: ChainLink & { readonly at: number } } | undefined;
  #isClosed = false;
  /** Set at shutdown, when there is no time to wait for the key. */
  #mayBeUnsigned = false;

  /** Opens nothing yet; the folder, key and file are created with the first batch. */
  constructor(options: AuditOptions) {
    this.folder = options.folder;
    this.#options = options;
    this.#keys = options.keys;
    this.#keys.decided.on(() => this.#keyDecided());
    this.#limits = { ...defaults, ...options.limits };
    this.#waiting = new PendingEntries(this.#limits.pending, options.masker);
    this.log = new FileAuditLog(options.folder);
    this.seen = new FileJsonDocument(join(options.folder, 'seen.json'), '{}');
  }

  /** Returns at once, and never throws. */
  note(entry: AuditEntry): void {
    if (this.#isClosed) return;
    this.#waiting.add({ at: this.#options.now(), entry });
    if (entry.kind === 'call') this.#schedule(this.#waiting.notes.length >= batchNotes ? 0 : batchIntervalMs);
    else this.#wantHead();
  }

  /**
   * Returns the digest of a text that is not stored. Its hash is empty until the key is available, and stays empty if
   * the record is written before.
   */
  digest(said: string | readonly Buffer[], bytes?: number): Digest {
    const chunks = typeof said === 'string' ? [Buffer.from(said)] : said;
    const all = bytes ?? chunks.reduce((sum, { length }) => sum + length, 0);
    try {
      const keys = this.#keys.get();
      if (keys !== undefined && keys !== 'asked') return keys.digest(chunks, all);
      const digest: Writable<Digest> = { bytes: all, hmac: '' };
      if (keys === 'asked' && this.#owedBytes + all <= maxOwedBytes) {
        this.#owedBytes += all;
        this.#owed.push({ digest, said: chunks, bytes: all });
      }
      return digest;
    } catch {
      return { bytes: all, hmac: '' };
    }
  }

  /** Writes queued entries now. Returns whether the queue is empty. Never throws: writes are retried. */
  flush(): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.isEmpty && !this.#wantsHead) return true;
    try {
      const keys = this.#keys.get();
      // The key source reports when it knows; records written before could not be signed.
      if (keys === 'asked' && !this.#mayBeUnsigned) return false;
      ensurePrivateDir(this.folder);
      using lock = new LockFile(join(this.folder, 'lock'), staleMs);
      if (!lock.tryAcquire()) {
        this.#schedule(lockRetryMs);
        return false;
      }
      this.#append(keys === 'asked' ? undefined : keys);
    } catch (error) {
      this.#failed(error);
      return false;
    }
    this.#recovered();
    this.changed.emit();
    return true;
  }

  /** Signs and writes everything. */
  async close(): Promise<void> {
    clearTimeout(this.#signTimer);
    this.#wantsHead ||= this.#unsigned > 0 || this.#waiting.notes.length > 0;
    for (let waited = 0; !this.flush() && waited <= closeTimeoutMs; waited += lockRetryMs) {
      if (this.#retryMs > 0) break;
      this.#mayBeUnsigned = waited + lockRetryMs >= closeTimeoutMs;
      await new Promise((resolve) => setTimeout(resolve, lockRetryMs));
    }
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#signTimer);
    await this.#noting;
  }

  /** Writes and signs a decision at once. */
  #wantHead(): void {
    this.#wantsHead = true;
    this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined && (delayMs > 0 || this.#retryMs > 0)) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), Math.max(delayMs, this.#retryMs)).unref();
  }

  #append(keys: AuditKeys | undefined): void {
    const known = this.#knownTail();
    const tail = known ?? openLogEnd(this.folder);
    const batch = new AuditBatch(tail, this.#unsigned, keys, this.#options.now);
    const isFull = tail.size >= this.#limits.segmentBytes;
    // Every file starts with a head, and the unsigned records of another process are not counted.
    if (isFull || known === undefined) batch.head();
    if (known === undefined) this.#noteOddities(tail, batch);
    if (this.#waiting.lost > 0) batch.add({ kind: 'lost', records: this.#waiting.lost });
    batch.notes(this.#waiting.notes);
    const going = isFull ? this.#tooOld() : undefined;
    if (going !== undefined) batch.add(going.entry);
    if (this.#wantsHead || going !== undefined) batch.head();
    const file = isFull ? segmentFile(this.folder, tail.seq + 1) : tail.file;
    this.#tail = write(file, isFull ? 0 : tail.size, batch);
    this.#waiting.take();
    this.#wantsHead = false;
    this.#owed = [];
    this.#owedBytes = 0;
    this.#unsigned = batch.unsigned;
    // Deleted only after the record of their removal is written; otherwise verification would report them as missing.
    for (const old of going?.files ?? []) rmSync(old, { force: true });
    if (batch.lastHead !== undefined) this.#noteHead(file, batch.lastHead);
    if (this.#unsigned > 0)
      this.#signTimer ??= setTimeout(() => {
        this.#signTimer = undefined;
        if (this.#unsigned > 0) this.#wantHead();
      }, signIntervalMs).unref();
  }

  /** Returns the end of the log if no other process has written since. */
  #knownTail(): LogEnd | undefined {
    const known = this.#tail;
    const stats = known && statSync(known.file, { throwIfNoEntry: false });
    return stats?.size === known?.size && stats?.ino === known?.ino ? known : undefined;
  }

  #noteOddities({ seq, torn }: LogEnd, batch: AuditBatch): void {
    const { log } = this.#options;
    if (torn > 0) {
      log.info('The audit log ended in an incomplete line, which was removed.');
      batch.add({ kind: 'mended', bytes: torn });
    }
    const noted = readNotedHead(this.folder);
    if (noted === undefined || noted.seq <= seq) return;
    log.warn(`The audit log ends at record ${seq}, but it was signed up to ${noted.seq}. Run: tooltray audit verify`);
    batch.add({ kind: 'cut', to: noted.seq });
  }

  #tooOld(): { readonly entry: LogMetaEntry; readonly files: readonly string[] } | undefined {
    const segments = segmentsIn(this.folder);
    // A new segment is about to start.
    const going = segments.slice(0, Math.max(0, segments.length + 1 - this.#limits.segments));
    const [oldest, next] = [segments[0], segments[going.length]];
    if (going.length === 0 || oldest === undefined || next === undefined) return undefined;
    const entry = { kind: 'trimmed', to: next.first - 1, records: next.first - oldest.first } as const;
    return { entry, files: going.map(({ file }) => file) };
  }

  /**
   * Records the last head next to the log, so that truncating the log is noticed. Heads that arrive during a write are
   * recorded as one.
   */
  #noteHead(file: string, head: ChainLink & { readonly at: number }): void {
    this.#toNote = { file, head };
    this.#noting ??= this.#noteHeads();
  }

  /** Runs after the log itself is on disk. Never rejects. */
  async #noteHeads(): Promise<void> {
    for (let next = this.#toNote; next !== undefined; next = this.#toNote) {
      this.#toNote = undefined;
      const { seq, at, hash } = next.head;
      try {
        await flushToDisk(next.file);
        await writeFileAtomic(headFile(this.folder), `{"seq":${seq},"at":${at},"hash":"${hash}"}\n`);
      } catch (error) {
        this.#options.log.debug('The last head could not be stored.', { error });
      }
    }
    this.#noting = undefined;
  }

  #keyDecided(): void {
    const keys = this.#keys.get();
    if (keys !== undefined && keys !== 'asked') {
      for (const { digest, said, bytes } of this.#owed) Object.assign(digest, keys.digest(said, bytes));
    }
    this.#owed = [];
    this.#owedBytes = 0;
    if (this.#isClosed || (this.#waiting.notes.length === 0 && this.#unsigned === 0)) return;
    this.#wantHead();
  }

  #failed(error: unknown): void {
    this.#tail = undefined;
    const { health, log } = this.#options;
    if (this.#retryMs === 0) log.warn('The audit log cannot be written; retrying.', { error });
    health?.failed('audit', error, this.folder);
    this.#retryMs = Math.min(maxRetryDelayMs, Math.max(1000, this.#retryMs * 2));
    if (!this.#isClosed) this.#schedule(this.#retryMs);
  }

  #recovered(): void {
    this.#options.health?.wrote('audit');
    if (this.#retryMs > 0) this.#options.log.info('The audit log can be written again.');
    this.#retryMs = 0;
  }
}

/** Writes all lines or none. Throws file system errors. */
function write(file: string, size: number, { lines, link }: AuditBatch): LogEnd & { readonly ino: number } {
  const bytes = Buffer.from(lines.join(''));
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } catch (error) {
      ftruncateSync(descriptor, size);
      throw error;
    }
    return { ...link, file, size: size + bytes.length, torn: 0, ino: fstatSync(descriptor).ino };
  } finally {
    closeSync(descriptor);
  }
}

async function flushToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
