/**
 * Answers that do not fit, kept on disk: written without holding up anybody, found again by an id nobody can guess,
 * deleted when they are old or too many. A file is renamed when it is whole and its row added after: a crash at any
 * moment leaves whole answers and leftovers that the next start sweeps away.
 */
import { basename } from 'node:path';
import { AppError } from '../base/errors.ts';
import { Event } from '../base/events.ts';
import type { Principal } from '../security/principal.ts';
import type { OwnPlaces } from '../security/own-places.ts';
import type { Log } from '../base/log.ts';
import { isBroken } from '../base/private-database.ts';
import { ReturnMemory } from '../base/return-memory.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import { AnswerWriter, keepWorkerUrl } from './keep-thread.ts';
import { spillFailure } from './messages.ts';
import { type CountText, keepAnswer, type WantedAnswer } from './keep-answer.ts';
import { ReadCounts, type SpillFilter } from './spill-index.ts';
import type { KeptAnswer, OpenedSpill, SentAnswer, Spill, SpillOrigin } from './spill.ts';
import { SpillFinder } from './spill-finder.ts';
import { SpillIndexHolder } from './open-spills.ts';
import { type Pruned, removeSpills, SpillRoom } from './spill-room.ts';

export interface SpillStoreOptions {
  /** Absolute; holds nothing but kept answers and their index. */
  readonly folder: string;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  readonly now: () => number;
  readonly countTokens: CountText;
  /** Where the worker lies that writes long answers; it is found by itself. */
  readonly workerUrl?: URL;
  /** What is not read although it lies in a folder that the person has allowed. */
  readonly own?: OwnPlaces;
}

interface SpillUsage {
  readonly bytes: number;
  readonly count: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  readonly keepDays: number;
}

export class SpillStore {
  /** Something was kept, read, pinned or deleted. */
  readonly changed = new Event<void>();
  /** Moves with every change. */
  revision = 0;
  readonly #options: SpillStoreOptions;
  readonly #index: SpillIndexHolder;
  readonly #room: SpillRoom;
  readonly #writer: AnswerWriter;
  readonly #reads: ReadCounts;
  readonly #finder: SpillFinder;
  readonly #keeping = new Set<Promise<unknown>>();
  readonly #memory = new ReturnMemory();
  #closing: Promise<void> | undefined;

  constructor(options: SpillStoreOptions) {
    this.#options = options;
    this.changed.on(() => this.revision++);
    const { folder, log } = options;
    this.#index = new SpillIndexHolder(folder, log);
    this.#room = new SpillRoom({ ...options, index: this.#index, onRemoved: () => this.changed.emit() });
    this.#writer = new AnswerWriter(options.workerUrl ?? keepWorkerUrl());
    this.#reads = new ReadCounts((reads) => this.#index.use((index) => index.addReads(reads)), options.now);
    const known = {
      byId: (id: string) => this.#index.use((index) => index.byId(id)),
      byName: (name: string) => this.#index.use((index) => index.byName(name)),
    };
    this.#finder = new SpillFinder(folder, known, options.own);
  }

  /** Never rejects: a store that cannot work says so whenever something is to be kept, and the rest of Tooltray goes on. */
  async start(): Promise<void> {
    this.#room.start();
    try {
      await this.#room.prune();
    } catch (error) {
      this.#options.log.warn('Long answers cannot be kept on disk.', { folder: this.#options.folder, error });
    }
  }

  /** Resolves when it can be asked; never rejects. */
  async ready(): Promise<void> {
    await this.#index.opened().catch(() => undefined);
  }

  /**
   * Writes an answer down. `textKind`: what its texts are that are no JSON; `sent`: the answer as the server sent it, where it is
   * another one. Rejects with AppError spill_failed or not_allowed.
   */
  async keep(
    result: Result,
    origin: SpillOrigin,
    textKind: 'text' | 'toon' = 'text',
    sent: SentAnswer = { result, showsMedia: false },
  ): Promise<KeptAnswer> {
    const chunks = chunksOf(result);
    const work = this.#keepOrMend({
      chunks,
      sent: sent.result === result ? chunks : chunksOf(sent.result),
      showsMedia: sent.showsMedia,
      origin,
      textKind,
    });
    this.#keeping.add(work);
    try {
      const kept = await work;
      await this.#room.makeFor(kept.parts[0].spill.answerId);
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

  /**
   * As `find`, and files in the folders that the person has allowed; opened, because what lies at the path may be another
   * file a moment later. What was kept for others is not there for the reader. Rejects with AppError not_found, not_allowed, bad_request.
   */
  open(ref: string, reader: Principal): Promise<OpenedSpill> {
    return this.#finder.open(ref, this.#options.settings().folders, reader);
  }

  noteRead(id: string): void {
    this.#reads.add(id);
    this.changed.emit();
  }

  /** The newest first. */
  list(filter: SpillFilter = {}): Spill[] {
    this.#reads.flush();
    return this.#index.use((index) => index.list(filter)) ?? [];
  }

  usage(): SpillUsage {
    const { maxBytes, maxCount, keepDays } = this.#options.settings();
    const { bytes, count } = this.#index.use((index) => index.usage()) ?? { bytes: 0, count: 0 };
    return { bytes, count, maxBytes, maxCount, keepDays };
  }

  /** Answers whether there is such a spill. */
  pin(id: string, pinned: boolean): boolean {
    const isKnown = this.#index.use((index) => index.pin(id, pinned)) ?? false;
    if (isKnown) this.changed.emit();
    return isKnown;
  }

  /** Answers whether there was such a spill. */
  async remove(id: string): Promise<boolean> {
    const spill = this.#index.use((index) => index.byId(id));
    const { current } = this.#index;
    if (spill === undefined || current === undefined) return false;
    const row = { id, answerId: spill.answerId, name: basename(spill.file), bytes: spill.bytes };
    await removeSpills(current, this.#options.folder, [row]);
    this.changed.emit();
    return true;
  }

  /** Deletes what is too old or too much. Rejects with AppError. */
  async prune(): Promise<Pruned> {
    try {
      return await this.#room.prune();
    } catch (error) {
      throw spillFailure(error, this.#options.folder, this.#options.settings().maxBytes);
    }
  }

  close(): Promise<void> {
    this.#memory.close();
    this.#room.stop();
    this.#index.seal();
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { folder, settings } = this.#options;
    await this.#writer.close();
    await Promise.allSettled(this.#keeping);
    await this.#index.close(async (index) => {
      this.#reads.flush();
      if (settings().deleteAtExit) await removeSpills(index, folder, index.unpinned());
    });
  }

  async #keepOrMend(answer: WantedAnswer): Promise<KeptAnswer> {
    try {
      return await this.#keepIn(answer);
    } catch (error) {
      // Somebody deleted the folder, or the index broke: everything is opened anew, once.
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (this.#index.sealed || error instanceof AppError || !(isMissing || isBroken(error))) throw error;
      this.#index.forget();
      return this.#keepIn(answer);
    }
  }

  async #keepIn(answer: WantedAnswer): Promise<KeptAnswer> {
    const { folder, settings, now, countTokens } = this.#options;
    const index = await this.#index.opened();
    const place = { folder, index, writer: this.#writer, mostBytes: settings().maxBytes, now, countTokens };
    const kept = await keepAnswer(answer, place);
    this.changed.emit();
    return kept;
  }
}

function chunksOf(result: Result): readonly Buffer[] {
  return result instanceof RawJson ? result.chunks : [Buffer.from(JSON.stringify(result))];
}
