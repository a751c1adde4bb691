/**
 * Stores spills on disk without blocking calls, finds them by an unguessable ID, and deletes them when they expire or
 * exceed the quota. A file is renamed once it is complete, and its row is added afterwards: a crash at any moment
 * leaves complete results, and leftovers that the next start deletes.
 */
import { basename } from 'node:path';
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { canAccess, type Principal, localUser } from '../security/principal.ts';
import { isCorruptError } from '../base/private-database.ts';
import { systemFailure } from '../base/system-errors.ts';
import { MemoryReclaimer } from '../base/memory-reclaimer.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { SpillStore as AnswerStore, SpillStoreOptions, SpillFile, SpillUsage } from './spill-store.ts';
import { spillWriterUrl, ResultWriter } from './spill-writer.ts';
import { toSpillError } from './spill-writer-messages.ts';
import { spillResult, type SpillRequest } from './spill-result.ts';
import { ReadCounts, type SpillFilter } from './spill-index.ts';
import type { SpilledResult, OpenedSpill, OriginalResult, Spill, SpillOrigin } from './spill.ts';
import { SpillFinder } from './spill-finder.ts';
import { SpillIndexHolder } from './spill-index-holder.ts';
import { type Pruned, removeSpills, SpillPruner } from './spill-pruner.ts';

export class DiskSpillStore implements AnswerStore {
  readonly changed = new Emitter<void>();
  revision = 0;
  readonly #options: SpillStoreOptions;
  readonly #index: SpillIndexHolder;
  readonly #pruner: SpillPruner;
  readonly #writer: ResultWriter;
  readonly #reads: ReadCounts;
  readonly #finder: SpillFinder;
  readonly #keeping = new Set<Promise<unknown>>();
  readonly #memory = new MemoryReclaimer();
  #closing: Promise<void> | undefined;

  constructor(options: SpillStoreOptions) {
    this.#options = options;
    this.changed.on(() => this.revision++);
    const { folder, log } = options;
    this.#index = new SpillIndexHolder(folder, log);
    this.#pruner = new SpillPruner({ ...options, index: this.#index, onRemoved: () => this.changed.emit() });
    this.#writer = new ResultWriter(options.workerUrl ?? spillWriterUrl());
    this.#reads = new ReadCounts((reads) => this.#index.use((index) => index.addReads(reads)), options.now);
    const known = {
      byId: (id: string) => this.#index.use((index) => index.byId(id)),
      byName: (name: string) => this.#index.use((index) => index.byName(name)),
    };
    this.#finder = new SpillFinder(folder, known, options.own);
  }

  async start(): Promise<void> {
    this.#pruner.start();
    try {
      await this.#pruner.prune();
    } catch (error) {
      const { folder, health, log } = this.#options;
      log.warn('Results cannot be spilled to disk.', { folder, error });
      health?.failed('spills', error, folder);
    }
  }

  async ready(): Promise<void> {
    await this.#index.open().catch(() => undefined);
  }

  async spill(
    result: Result,
    origin: SpillOrigin,
    textKind: 'text' | 'toon' = 'text',
    sent?: OriginalResult,
  ): Promise<SpilledResult> {
    const chunks = chunksOf(result);
    const work = this.#keepOrMend({ chunks, sent, origin, textKind });
    this.#keeping.add(work);
    try {
      const spilled = await work;
      this.#options.health?.wrote('spills');
      await this.#pruner.pruneAfter(spilled.parts[0].spill.answerId);
      return spilled;
    } catch (error) {
      this.#options.log.warn('A large result could not be spilled to disk.', { error });
      if (systemFailure(error) !== undefined) this.#options.health?.failed('spills', error, this.#options.folder);
      throw toSpillError(error, this.#options.folder, this.#options.settings().maxBytes);
    } finally {
      this.#keeping.delete(work);
      this.#memory.noteReleased(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    }
  }

  /** Also accepts a path. */
  recall(ref: string): Spill | undefined {
    return this.#finder.find(ref);
  }

  /** Also accepts a path. */
  find(ref: string, reader: Principal = localUser): Spill | undefined {
    const spill = this.#finder.find(ref);
    return spill !== undefined && canAccess(reader, spill.owner) ? spill : undefined;
  }

  fileOf(id: string, reader: Principal = localUser): SpillFile | undefined {
    return this.find(id, reader);
  }

  open(ref: string, reader: Principal): Promise<OpenedSpill> {
    return this.#finder.open(ref, this.#options.settings().folders, reader);
  }

  noteRead({ id }: Pick<Spill, 'id'>): void {
    this.#reads.add(id);
    this.changed.emit();
  }

  list(filter: SpillFilter = {}, reader: Principal = localUser): Spill[] {
    this.#reads.flush();
    return this.#index.use((index) => index.list(filter, reader)) ?? [];
  }

  usage(): SpillUsage {
    const { maxBytes, maxCount, retentionDays } = this.#options.settings();
    const { bytes, count } = this.#index.use((index) => index.usage()) ?? { bytes: 0, count: 0 };
    return { bytes, count, maxBytes, maxCount, retentionDays };
  }

  pin(id: string, pinned: boolean, reader: Principal = localUser): boolean {
    const isKnown = this.#own(id, reader) !== undefined && this.#index.use((index) => index.pin(id, pinned)) === true;
    if (isKnown) this.changed.emit();
    return isKnown;
  }

  async remove(id: string, reader: Principal = localUser): Promise<boolean> {
    const spill = this.#own(id, reader);
    const { current } = this.#index;
    if (spill === undefined || current === undefined) return false;
    const row = { id, answerId: spill.answerId, name: basename(spill.file), bytes: spill.bytes };
    await removeSpills(current, this.#options.folder, [row]);
    this.changed.emit();
    return true;
  }

  async prune(): Promise<Pruned> {
    try {
      return await this.#pruner.prune();
    } catch (error) {
      throw toSpillError(error, this.#options.folder, this.#options.settings().maxBytes);
    }
  }

  close(): Promise<void> {
    this.#memory.close();
    this.#pruner.stop();
    this.#index.freeze();
    return (this.#closing ??= this.#close());
  }

  #own(id: string, reader: Principal): Spill | undefined {
    const spill = this.#index.use((index) => index.byId(id));
    return spill !== undefined && canAccess(reader, spill.owner) ? spill : undefined;
  }

  async #close(): Promise<void> {
    const { folder, settings } = this.#options;
    await this.#writer.close();
    await Promise.allSettled(this.#keeping);
    await this.#index.close(async (index) => {
      this.#reads.flush();
      if (settings().deleteOnExit) await removeSpills(index, folder, index.unpinned());
    });
  }

  async #keepOrMend(answer: SpillRequest): Promise<SpilledResult> {
    try {
      return await this.#keepIn(answer);
    } catch (error) {
      // The folder was deleted or the index is damaged, so everything is reopened once.
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (this.#index.sealed || error instanceof AppError || !(isMissing || isCorruptError(error))) throw error;
      this.#index.reset();
      return this.#keepIn(answer);
    }
  }

  async #keepIn(answer: SpillRequest): Promise<SpilledResult> {
    const { folder, settings, now, countTokens } = this.#options;
    const index = await this.#index.open();
    const place = { folder, index, writer: this.#writer, maxBytes: settings().maxBytes, now, countTokens };
    const spilled = await spillResult(answer, place);
    this.changed.emit();
    return spilled;
  }
}

/** The bytes of a result as JSON. */
export function chunksOf(result: Result): readonly Buffer[] {
  return result instanceof RawJson ? result.chunks : [Buffer.from(JSON.stringify(result))];
}
