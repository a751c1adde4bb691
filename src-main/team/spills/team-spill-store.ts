/**
 * The spill store shared by all replicas of a team: rows in PostgreSQL, bytes in an object store, and a cache of stored
 * and read files on this replica's disk. A spill is announced to a model only once it would survive this replica; each
 * read checks its owner in the database. If the database or the object store is unavailable, results are returned in
 * full instead, without long waits.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import {
  chunksOf,
  idIn,
  localUser,
  type NamedSpill,
  type OpenedSpill,
  type OriginalResult,
  type Principal,
  type Pruned,
  ReadCounts,
  type Result,
  ResultWriter,
  type Spill,
  type SpilledResult,
  type SpillFile,
  spillFileName,
  type SpillFilter,
  SpillFinder,
  spillNotFoundError,
  type SpillOrigin,
  spillResult,
  type SpillStore,
  type SpillStoreOptions,
  spillUri,
  type SpillUsage,
  spillWriterUrl,
  toSpillError,
} from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { Emitter } from '../../core/base/emitter.ts';
import { MemoryReclaimer } from '../../core/base/memory-reclaimer.ts';
import type { Database } from '../database/database.ts';
import { type BlobStore, toChunks } from './blob-store.ts';
import { SpillCache, type CachedFile, type CacheLimits } from './spill-cache.ts';
import { SpillTable, type SharedSpill } from './spill-table.ts';
import { SpillRetention } from './spill-retention.ts';

export interface TeamSpillStoreOptions extends SpillStoreOptions {
  readonly database: Database;
  /** Store for the bytes; without one nothing is spilled, and long results are truncated. */
  readonly objects?: BlobStore | undefined;
  readonly cache?: Partial<CacheLimits>;
  /** Maximum time that a call waits for its spill, in ms, plus a second per `bytesPerSecond`; 5,000 by default. */
  readonly keepMs?: number;
  /** The same for receiving a result, in ms. */
  readonly readMs?: number;
  /** Time without attempts after a store was unavailable, in ms; 5,000 by default. */
  readonly pauseMs?: number;
}

const defaultCacheLimits: CacheLimits = { maxTotalBytes: 2 * 1024 ** 3, maxIdleMs: 24 * 60 * 60_000 };
/** Minimum expected transfer rate. */
const bytesPerSecond = 2 * 1024 * 1024;
/** Number of spills whose metadata is cached. */
const maxRecalled = 5_000;
/** Name of this replica's disk in errors for models: its path means nothing to others. */
const localStoreName = 'local cache';

export class TeamSpillStore implements SpillStore {
  readonly changed = new Emitter<void>();
  revision = 0;
  readonly #options: TeamSpillStoreOptions;
  readonly #rows: SpillTable;
  readonly #cache: SpillCache;
  readonly #upkeep: SpillRetention;
  readonly #writer: ResultWriter;
  /** Files in folders that the operator allowed; contains no spills. */
  readonly #files: SpillFinder;
  readonly #reads: ReadCounts;
  readonly #recalled = new Map<string, Spill>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #counting = new Set<Promise<unknown>>();
  readonly #memory = new MemoryReclaimer();
  /** Time of `performance.now()` until which nothing is retried. */
  #cooldownUntil = 0;
  #closing: Promise<void> | undefined;

  constructor(options: TeamSpillStoreOptions) {
    this.#options = options;
    this.changed.on(() => this.revision++);
    const { database, objects, folder, now, own } = options;
    this.#rows = new SpillTable(database);
    this.#cache = new SpillCache(folder, { ...defaultCacheLimits, ...options.cache }, now);
    this.#upkeep = new SpillRetention({
      ...options,
      rows: this.#rows,
      cache: this.#cache,
      bytes: objects,
      onRemoved: () => this.changed.emit(),
    });
    this.#writer = new ResultWriter(options.workerUrl ?? spillWriterUrl());
    this.#reads = new ReadCounts((reads) => {
      const counting = this.#rows.addReads(reads).catch((error: unknown) => {
        options.log.warn('Could not record spill reads.', { error });
      });
      this.#counting.add(counting);
      void counting.finally(() => this.#counting.delete(counting));
    }, now);
    this.#files = new SpillFinder(folder, { byId: () => undefined, byName: () => undefined }, own);
  }

  async start(): Promise<void> {
    this.#upkeep.start();
    try {
      await this.#cache.start();
    } catch (error) {
      this.#options.log.warn('Spills cannot be written to disk.', { folder: this.#options.folder, error });
    }
  }

  async ready(): Promise<void> {}

  async spill(
    result: Result,
    origin: SpillOrigin,
    textKind: 'text' | 'toon' = 'text',
    sent?: OriginalResult,
  ): Promise<SpilledResult> {
    const { folder, settings, now, countTokens, log } = this.#options;
    const chunks = chunksOf(result);
    const place = {
      folder,
      index: { insert: (parts: readonly NamedSpill[]) => this.#publish(parts) },
      writer: this.#writer,
      maxBytes: settings().maxBytes,
      now,
      countTokens,
    };
    const wanted = { chunks, sent, origin, textKind };
    try {
      this.#requireStores();
      this.#cache.prepare();
      const spilled = await this.#track(spillResult(wanted, place));
      this.#upkeep.afterStore(spilled.parts[0].spill.answerId);
      this.changed.emit();
      return this.#asShared(spilled);
    } catch (error) {
      log.warn('A large result could not be spilled.', { error });
      throw this.#storeFailed(error);
    } finally {
      this.#memory.noteReleased(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    }
  }

  async open(ref: string, reader: Principal): Promise<OpenedSpill> {
    const id = idIn(ref);
    if (id === undefined) return this.#files.open(ref, this.#options.settings().folders, reader);
    const answer = await this.#rows.find(id, reader);
    if (answer === undefined) throw spillNotFoundError(id);
    const { spill } = answer;
    this.#recall(spill);
    const { handle, [Symbol.asyncDispose]: dispose } = await this.#openHere(answer);
    return { handle, file: spill.file, kind: spill.kind, bytes: spill.bytes, spill, [Symbol.asyncDispose]: dispose };
  }

  recall(ref: string): Spill | undefined {
    const id = idIn(ref);
    return id === undefined ? undefined : this.#recalled.get(id);
  }

  async find(ref: string, reader: Principal = localUser): Promise<Spill | undefined> {
    const id = idIn(ref);
    const answer = id === undefined ? undefined : await this.#rows.find(id, reader);
    return answer && this.#recall(answer.spill);
  }

  async fileOf(id: string, reader: Principal = localUser): Promise<SpillFile | undefined> {
    const answer = await this.#rows.find(id, reader);
    if (answer === undefined) return undefined;
    await using opened = await this.#openHere(answer);
    return { file: opened.path, mimeType: answer.spill.mimeType };
  }

  noteRead({ id }: Pick<Spill, 'id'>): void {
    this.#reads.add(id);
    this.changed.emit();
  }

  async list(filter: SpillFilter = {}, reader: Principal = localUser): Promise<readonly Spill[]> {
    await this.#writeReads();
    return this.#rows.list(filter, reader);
  }

  async usage(): Promise<SpillUsage> {
    const { maxBytes, maxCount, retentionDays } = this.#options.settings();
    return { ...(await this.#rows.usage()), maxBytes, maxCount, retentionDays };
  }

  async pin(id: string, pinned: boolean, reader: Principal = localUser): Promise<boolean> {
    if ((await this.#rows.find(id, reader)) === undefined) return false;
    const isKnown = await this.#rows.pin(id, pinned);
    if (isKnown) this.changed.emit();
    return isKnown;
  }

  async remove(id: string, reader: Principal = localUser): Promise<boolean> {
    if ((await this.#rows.find(id, reader)) === undefined) return false;
    const left = await this.#rows.markForDeletion([id]);
    this.#recalled.delete(id);
    await this.#upkeep.deleteBlobs(left);
    return left.length > 0;
  }

  prune(): Promise<Pruned> {
    return this.#upkeep.prune();
  }

  close(): Promise<void> {
    this.#memory.close();
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    // Undoes what failed meanwhile.
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
    await this.#upkeep.stop();
    await this.#writeReads();
  }

  /** Inserts the rows, uploads the bytes, and marks them complete, in this order, within the call's time limit. */
  async #publish(parts: readonly NamedSpill[]): Promise<void> {
    const { keepMs = 5_000, log } = this.#options;
    const bytes = parts.reduce((sum, { spill }) => sum + spill.bytes, 0);
    const signal = AbortSignal.timeout(timeFor(bytes, keepMs));
    const ids = parts.map(({ spill }) => spill.id);
    await this.#rows.insertPending(parts);
    try {
      const digests = new Map<string, Buffer>();
      for (const part of parts) digests.set(part.spill.id, await this.#upload(part, signal));
      await this.#rows.markStored(digests);
      for (const { spill, name } of parts) await this.#cache.add({ id: spill.id, name, bytes: spill.bytes });
    } catch (error) {
      // In the background, because the call has waited long enough; failures are found by the next pass.
      const undoing = this.#rows
        .markForDeletion(ids)
        .then((left) => this.#upkeep.deleteBlobs(left))
        .catch((cause: unknown) => log.debug('A failed spill will be cleaned up later.', { error: cause }));
      void this.#track(undoing);
      throw error;
    }
  }

  /** Returns the digest of what was sent. */
  async #upload({ spill, name }: NamedSpill, signal: AbortSignal): Promise<Buffer> {
    const hash = createHash('sha256');
    await using handle = await open(this.#cache.path(name), 'r');
    const pieces = toChunks(handle, spill.bytes, (piece) => hash.update(piece));
    await this.#requireObjects().put({ id: spill.id }, pieces, spill.bytes, signal);
    return hash.digest();
  }

  #openHere({ spill, sha256, extension }: SharedSpill): Promise<CachedFile> {
    const { readMs = 10_000 } = this.#options;
    const { id, bytes, server, tool } = spill;
    const name = spillFileName({ server, tool, id, extension });
    return this.#cache.open({ id, name, bytes, sha256 }, () =>
      this.#requireObjects().read({ id }, bytes, AbortSignal.timeout(timeFor(bytes, readMs))),
    );
  }

  /** Throws AppError `spill_failed`. */
  #requireObjects(): BlobStore {
    const { objects } = this.#options;
    if (objects !== undefined) return objects;
    throw new AppError('spill_failed', 'This replica has no object store, so large results are truncated.', {
      fix: 'Start every replica with the same --s3.',
    });
  }

  /** Replaces the path, which is meaningless on other replicas, by the ID. */
  #asShared(spilled: SpilledResult): SpilledResult {
    const [first, ...others] = spilled.parts.map((part) => {
      const spill = this.#recall({ ...part.spill, file: spillUri(part.spill.id) });
      return { ...part, spill };
    });
    return { ...spilled, parts: [first ?? spilled.parts[0], ...others] };
  }

  #recall(spill: Spill): Spill {
    this.#recalled.delete(spill.id);
    this.#recalled.set(spill.id, spill);
    const oldest = this.#recalled.keys().next();
    if (this.#recalled.size > maxRecalled && oldest.done !== true) this.#recalled.delete(oldest.value);
    return spill;
  }

  /** An unavailable store would delay every call with a long result. */
  #requireStores(): void {
    this.#requireObjects();
    if (this.#closing !== undefined)
      throw new AppError('spill_failed', 'Tooltray is shutting down; no more spills are stored.');
    if (performance.now() >= this.#cooldownUntil) return;
    throw new AppError('spill_failed', 'The result could not be spilled: the spill store was unavailable.', {
      fix: 'Try again later. Administrators can find details in the log.',
    });
  }

  #storeFailed(error: unknown): AppError {
    const isOurs = error instanceof AppError && error.code !== 'spill_failed' && error.code !== 'not_allowed';
    if (!isOurs) return toSpillError(error, localStoreName, this.#options.settings().maxBytes);
    this.#cooldownUntil = performance.now() + (this.#options.pauseMs ?? 5_000);
    return new AppError('spill_failed', `The result could not be spilled: ${error.message}`, {
      fix: 'Try again later. Administrators can find details in the log.',
      cause: error,
    });
  }

  async #writeReads(): Promise<void> {
    this.#reads.flush();
    await Promise.all(this.#counting);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work);
    try {
      return await work;
    } finally {
      this.#working.delete(work);
    }
  }
}

/** In ms. */
function timeFor(bytes: number, leastMs: number): number {
  return leastMs + Math.ceil((bytes / bytesPerSecond) * 1000);
}
