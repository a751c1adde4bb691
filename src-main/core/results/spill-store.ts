/**
 * Answers that do not fit, kept on disk: written without holding up anybody, found again by an id nobody can guess,
 * deleted when they are old or too many. A file is renamed when it is whole and its row added after: a crash at any
 * moment leaves whole answers and leftovers that the next start sweeps away.
 */
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../base/errors.ts';
import { Event } from '../base/events.ts';
import type { Log } from '../base/log.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import { AnswerWriter } from './keep/answer-writer.ts';
import { spillFailure } from './keep/keep-failure.ts';
import { keepWorkerUrl } from './keep/keep-worker-url.ts';
import { describeAnswer } from './kept-answer.ts';
import { openSpills } from './open-spills.ts';
import { ReadCounts } from './read-counts.ts';
import type { OpenedSpill, ResolvedSpill } from './resolved-spill.ts';
import { ReturnMemory } from './return-memory.ts';
import type { KeptAnswer, Spill, SpillOrigin } from './spill.ts';
import { isBrokenIndex } from './spill-database.ts';
import { SpillFinder } from './spill-finder.ts';
import type { SpillFilter, SpillIndex } from './spill-index.ts';
import { draftStem } from './spill-names.ts';
import { overdue, removeSpills } from './spill-retention.ts';
import type { CountText } from './spill-tokens.ts';

export interface SpillStoreOptions {
  /** Absolute; holds nothing but kept answers and their index. */
  readonly folder: string;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  readonly now: () => number;
  readonly countTokens: CountText;
  /** Where the worker lies that writes long answers; it is found by itself. */
  readonly workerUrl?: URL;
}

export interface SpillUsage {
  readonly bytes: number;
  readonly count: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly keepDays: number;
}

const pruneEveryMs = 60 * 60_000;

export class SpillStore {
  /** Something was kept, read, pinned or deleted. */
  readonly changed = new Event<void>();
  /** Moves with every change. */
  revision = 0;
  readonly #options: SpillStoreOptions;
  readonly #writer: AnswerWriter;
  readonly #reads: ReadCounts;
  readonly #finder: SpillFinder;
  readonly #keeping = new Set<Promise<unknown>>();
  readonly #memory = new ReturnMemory();
  #index: SpillIndex | undefined;
  #opening: Promise<SpillIndex> | undefined;
  #closing: Promise<void> | undefined;
  #pruning: NodeJS.Timeout | undefined;

  constructor(options: SpillStoreOptions) {
    this.#options = options;
    this.changed.on(() => this.revision++);
    this.#writer = new AnswerWriter(options.workerUrl ?? keepWorkerUrl());
    this.#reads = new ReadCounts((reads) => this.#use((index) => index.addReads(reads)), options.now);
    this.#finder = new SpillFinder(options.folder, {
      byId: (id) => this.#use((index) => index.byId(id)),
      byName: (name) => this.#use((index) => index.byName(name)),
    });
  }

  /** Never rejects: a store that cannot work says so whenever something is to be kept, and the rest of Tooltray goes on. */
  async start(): Promise<void> {
    // Days pass while a core runs, in which nothing may be kept that would make room.
    this.#pruning ??= setInterval(() => void this.#pruneInTime(), pruneEveryMs).unref();
    try {
      await this.#opened();
      await this.prune();
    } catch (error) {
      this.#options.log.warn('Long answers cannot be kept on disk.', { folder: this.#options.folder, error });
    }
  }

  /** Resolves when it can be asked; never rejects. */
  async ready(): Promise<void> {
    await this.#opened().catch(() => undefined);
  }

  /** Writes an answer down. `textKind`: what its texts are that are no JSON. Rejects with AppError spill_failed or not_allowed. */
  async keep(result: Result, origin: SpillOrigin, textKind: 'text' | 'toon' = 'text'): Promise<KeptAnswer> {
    const chunks = result instanceof RawJson ? result.chunks : [Buffer.from(JSON.stringify(result))];
    const work = this.#keepOrMend(chunks, origin, textKind);
    this.#keeping.add(work);
    try {
      const kept = await work;
      await this.#makeRoomFor(kept);
      return kept;
    } catch (error) {
      this.#options.log.warn('A long answer could not be kept on disk.', { error });
      throw spillFailure(error, this.#options.folder, this.#options.settings().maxBytes);
    } finally {
      this.#keeping.delete(work);
      this.#memory.released(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    }
  }

  /** By short id, `tooltray://spill/<id>` or path. */
  find(ref: string): Spill | undefined {
    return this.#finder.find(ref);
  }

  /** As `find`, and files in the folders that the person has allowed. Rejects with AppError not_found, not_allowed, bad_request. */
  async resolve(ref: string): Promise<ResolvedSpill> {
    await using opened = await this.open(ref);
    const { file, kind, bytes, spill } = opened;
    return { file, kind, bytes, spill };
  }

  /** What was found, opened: what lies at its path may be another file a moment later. Rejects as `resolve` does. */
  open(ref: string): Promise<OpenedSpill> {
    return this.#finder.open(ref, this.#options.settings().folders);
  }

  noteRead(id: string): void {
    this.#reads.add(id);
    this.changed.emit();
  }

  /** The newest first. */
  list(filter: SpillFilter = {}): Spill[] {
    this.#reads.flush();
    return this.#use((index) => index.list(filter)) ?? [];
  }

  usage(): SpillUsage {
    const { maxBytes, maxCount, keepDays } = this.#options.settings();
    const { bytes, count } = this.#use((index) => index.usage()) ?? { bytes: 0, count: 0 };
    return { bytes, count, maxBytes, maxCount, keepDays };
  }

  /** Answers whether there is such a spill. */
  pin(id: string, pinned: boolean): boolean {
    const isKnown = this.#use((index) => index.pin(id, pinned)) ?? false;
    if (isKnown) this.changed.emit();
    return isKnown;
  }

  /** Answers whether there was such a spill. */
  async remove(id: string): Promise<boolean> {
    const spill = this.#use((index) => index.byId(id));
    if (spill === undefined || this.#index === undefined) return false;
    const row = { id, answerId: spill.answerId, name: basename(spill.file), bytes: spill.bytes };
    await removeSpills(this.#index, this.#options.folder, [row]);
    this.changed.emit();
    return true;
  }

  /** Deletes what is too old or too much. Rejects with AppError. */
  async prune(): Promise<{ removed: number; bytes: number }> {
    try {
      return await this.#makeRoom(await this.#opened());
    } catch (error) {
      throw spillFailure(error, this.#options.folder, this.#options.settings().maxBytes);
    }
  }

  close(): Promise<void> {
    this.#memory.close();
    clearInterval(this.#pruning);
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await Promise.allSettled(this.#keeping);
    const index = await this.#opening?.catch(() => undefined);
    if (index === undefined) return;
    this.#reads.flush();
    this.#index = undefined;
    if (this.#options.settings().deleteAtExit) await removeSpills(index, this.#options.folder, index.unpinned());
    index.close();
  }

  async #keepOrMend(chunks: readonly Buffer[], origin: SpillOrigin, textKind: 'text' | 'toon'): Promise<KeptAnswer> {
    try {
      return await this.#keepIn(await this.#opened(), chunks, origin, textKind);
    } catch (error) {
      // Somebody deleted the folder, or the index broke: everything is opened anew, once.
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (this.#closing !== undefined || error instanceof AppError || !(isMissing || isBrokenIndex(error))) throw error;
      this.#forgetIndex();
      return this.#keepIn(await this.#opened(), chunks, origin, textKind);
    }
  }

  async #keepIn(
    index: SpillIndex,
    chunks: readonly Buffer[],
    origin: SpillOrigin,
    textKind: 'text' | 'toon',
  ): Promise<KeptAnswer> {
    const { folder, settings, now, countTokens } = this.#options;
    const stem = draftStem(folder);
    const written = await this.#writer.write(chunks, { stem, mostBytes: settings().maxBytes, textKind });
    const files: string[] = [];
    try {
      const createdAt = Math.trunc(now());
      const { kept, names } = await describeAnswer({ ...written, chunks, origin, createdAt }, folder, countTokens);
      for (const [at, { file }] of written.parts.entries()) {
        files.push(join(folder, names[at] as string));
        await rename(file, files[at] as string);
      }
      index.insert(kept.parts.map(({ spill }, at) => ({ spill, name: names[at] as string })));
      this.changed.emit();
      return kept;
    } catch (error) {
      await this.#writer.clear(stem);
      await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => undefined)));
      throw error;
    }
  }

  async #pruneInTime(): Promise<void> {
    try {
      await this.prune();
    } catch (error) {
      this.#options.log.warn('Old kept answers could not be deleted.', { error });
    }
  }

  /** What was kept stays kept, also where nothing else can be deleted. */
  async #makeRoomFor(kept: KeptAnswer): Promise<void> {
    try {
      if (this.#index !== undefined) await this.#makeRoom(this.#index, kept.parts[0].spill.answerId);
    } catch (error) {
      this.#options.log.warn('Old kept answers could not be deleted.', { error });
    }
  }

  async #makeRoom(index: SpillIndex, kept?: string): Promise<{ removed: number; bytes: number }> {
    const { folder, settings, now } = this.#options;
    const rows = overdue(index, settings(), Math.trunc(now()), kept);
    if (rows.length === 0) return { removed: 0, bytes: 0 };
    await removeSpills(index, folder, rows);
    this.changed.emit();
    return { removed: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** One that could not be opened is tried again the next time: the disk may be back. */
  #opened(): Promise<SpillIndex> {
    if (this.#closing !== undefined)
      return Promise.reject(new AppError('spill_failed', 'Tooltray stops; nothing is kept any more.'));
    this.#opening ??= openSpills(this.#options.folder, this.#options.log).then(
      (index) => (this.#index = index),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  #forgetIndex(): void {
    try {
      this.#index?.close();
    } catch (error) {
      this.#options.log.debug('The index of kept answers could not be closed.', { error });
    }
    this.#index = undefined;
    this.#opening = undefined;
  }

  /** undefined where there is no index, or it cannot be asked now. */
  #use<T>(work: (index: SpillIndex) => T): T | undefined {
    try {
      return this.#index === undefined ? undefined : work(this.#index);
    } catch (error) {
      this.#options.log.warn('The index of kept answers could not be used.', { error });
      return undefined;
    }
  }
}
