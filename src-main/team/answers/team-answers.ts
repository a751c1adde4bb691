/**
 * Answers that do not fit, as all replicas of a team have them: rows in PostgreSQL, bytes in an object store, and on this
 * replica's disk what it kept or read. An answer is told to a model when it would survive this replica; each read asks the database whose
 * it is. Where one of the two is away, an answer is told whole instead, and nobody waits for long.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { AppError } from '../../core/base/errors.ts';
import { Event } from '../../core/base/events.ts';
import { ReturnMemory } from '../../core/base/return-memory.ts';
import { type Principal, thePerson } from '../../core/security/principal.ts';
import type { AnswerStore, AnswerStoreOptions, SpillFile, SpillUsage } from '../../core/spills/answer-store.ts';
import { keepAnswer, type NamedSpill } from '../../core/spills/keep-answer.ts';
import { keepWorkerUrl, ResultWriter } from '../../core/spills/keep-thread.ts';
import { type Excerpt, spillFailure } from '../../core/spills/messages.ts';
import { idIn, SpillFinder, unknownSpill } from '../../core/spills/spill-finder.ts';
import { ReadCounts, type SpillFilter } from '../../core/spills/spill-index.ts';
import type { Pruned } from '../../core/spills/spill-room.ts';
import { chunksOf } from '../../core/spills/spill-store.ts';
import {
  type KeptAnswer,
  type OpenedSpill,
  type SentAnswer,
  type Spill,
  spillFileName,
  type SpillOrigin,
  spillUri,
} from '../../core/spills/spill.ts';
import type { Result } from '../../core/wire/message.ts';
import type { RawJson } from '../../core/wire/raw-json.ts';
import type { Database } from '../database/database.ts';
import { type AnswerBytes, piecesOf } from './answer-bytes.ts';
import { AnswerCache, type CachedFile, type CacheLimits } from './answer-cache.ts';
import { AnswerRows, type SharedAnswer } from './answer-rows.ts';
import { AnswerUpkeep } from './answer-upkeep.ts';

export interface TeamAnswersOptions extends AnswerStoreOptions {
  /** Whose they are: rows, connections and names of objects are the tenant's alone. */
  readonly tenant: string;
  readonly database: Database;
  /** Where bytes go; without it nothing is spilled, and long results are cut. */
  readonly objects?: AnswerBytes | undefined;
  readonly cache?: Partial<CacheLimits>;
  /** How long a call waits until its answer is kept, in ms, and a second for each `bytesPerSecond`; 5 000 by default. */
  readonly keepMs?: number;
  /** How long an answer may take to arrive here, in ms, likewise. */
  readonly readMs?: number;
  /** How long nothing is kept after a store was away, in ms; 5 000 by default. */
  readonly restMs?: number;
}

const usualCache: CacheLimits = { mostBytes: 2 * 1024 ** 3, mostIdleMs: 24 * 60 * 60_000 };
/** Slower is not waited for. */
const bytesPerSecond = 2 * 1024 * 1024;
/** What is known of so many answers without asking. */
const mostRecalled = 5_000;
/** What a model is told of a failure of this replica's disk: its path says nothing to anybody else. */
const hereInWords = 'this replica’s cache';

export class TeamAnswers implements AnswerStore {
  readonly changed = new Event<void>();
  revision = 0;
  readonly #options: TeamAnswersOptions;
  readonly #rows: AnswerRows;
  readonly #cache: AnswerCache;
  readonly #upkeep: AnswerUpkeep;
  readonly #writer: ResultWriter;
  /** Files of folders that whoever runs it has allowed; of ours it knows none. */
  readonly #files: SpillFinder;
  readonly #reads: ReadCounts;
  readonly #recalled = new Map<string, Spill>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #counting = new Set<Promise<unknown>>();
  readonly #memory = new ReturnMemory();
  /** Of `performance.now()`: until then nothing is tried. */
  #restsUntil = 0;
  #closing: Promise<void> | undefined;

  constructor(options: TeamAnswersOptions) {
    this.#options = options;
    this.changed.on(() => this.revision++);
    const { database, tenant, objects, folder, now, own } = options;
    this.#rows = new AnswerRows(database, tenant);
    this.#cache = new AnswerCache(folder, { ...usualCache, ...options.cache }, now);
    this.#upkeep = new AnswerUpkeep({
      ...options,
      rows: this.#rows,
      cache: this.#cache,
      bytes: objects,
      onRemoved: () => this.changed.emit(),
    });
    this.#writer = new ResultWriter(options.workerUrl ?? keepWorkerUrl());
    this.#reads = new ReadCounts((reads) => {
      const counting = this.#rows.addReads(reads).catch((error: unknown) => {
        options.log.warn('Reads of kept answers could not be counted.', { error });
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
      this.#options.log.warn('Long answers cannot be kept on disk.', { folder: this.#options.folder, error });
    }
  }

  async ready(): Promise<void> {}

  async keep(
    result: Result,
    origin: SpillOrigin,
    textKind: 'text' | 'toon' = 'text',
    sent?: SentAnswer,
  ): Promise<KeptAnswer> {
    const { folder, settings, now, countTokens, log } = this.#options;
    const chunks = chunksOf(result);
    const place = {
      folder,
      index: { insert: (parts: readonly NamedSpill[]) => this.#share(parts) },
      writer: this.#writer,
      maxBytes: settings().maxBytes,
      now,
      countTokens,
    };
    const wanted = { chunks, sent, origin, textKind };
    try {
      this.#requireStores();
      this.#cache.prepare();
      const kept = await this.#during(keepAnswer(wanted, place));
      this.#upkeep.afterKeep(kept.parts[0].spill.answerId);
      this.changed.emit();
      return this.#asShared(kept);
    } catch (error) {
      log.warn('A long answer could not be kept.', { error });
      throw this.#notKept(error);
    } finally {
      this.#memory.released(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    }
  }

  excerpt(result: RawJson, bytes: number): Promise<Excerpt> {
    return this.#writer.excerpt(result.chunks, bytes);
  }

  async open(ref: string, reader: Principal): Promise<OpenedSpill> {
    const id = idIn(ref);
    if (id === undefined) return this.#files.open(ref, this.#options.settings().folders, reader);
    const answer = await this.#rows.find(id, reader);
    if (answer === undefined) throw unknownSpill(id);
    const { spill } = answer;
    this.#recall(spill);
    const { handle, [Symbol.asyncDispose]: dispose } = await this.#openHere(answer);
    return { handle, file: spill.file, kind: spill.kind, bytes: spill.bytes, spill, [Symbol.asyncDispose]: dispose };
  }

  recall(ref: string): Spill | undefined {
    const id = idIn(ref);
    return id === undefined ? undefined : this.#recalled.get(id);
  }

  async find(ref: string, reader: Principal = thePerson): Promise<Spill | undefined> {
    const id = idIn(ref);
    const answer = id === undefined ? undefined : await this.#rows.find(id, reader);
    return answer && this.#recall(answer.spill);
  }

  async fileOf(id: string, reader: Principal = thePerson): Promise<SpillFile | undefined> {
    const answer = await this.#rows.find(id, reader);
    if (answer === undefined) return undefined;
    await using opened = await this.#openHere(answer);
    return { file: opened.path, mimeType: answer.spill.mimeType };
  }

  noteRead({ id }: Pick<Spill, 'id'>): void {
    this.#reads.add(id);
    this.changed.emit();
  }

  async list(filter: SpillFilter = {}, reader: Principal = thePerson): Promise<readonly Spill[]> {
    await this.#writeReads();
    return this.#rows.list(filter, reader);
  }

  async usage(): Promise<SpillUsage> {
    const { maxBytes, maxCount, keepDays } = this.#options.settings();
    return { ...(await this.#rows.usage()), maxBytes, maxCount, keepDays };
  }

  async pin(id: string, pinned: boolean, reader: Principal = thePerson): Promise<boolean> {
    if ((await this.#rows.find(id, reader)) === undefined) return false;
    const isKnown = await this.#rows.pin(id, pinned);
    if (isKnown) this.changed.emit();
    return isKnown;
  }

  async remove(id: string, reader: Principal = thePerson): Promise<boolean> {
    if ((await this.#rows.find(id, reader)) === undefined) return false;
    const left = await this.#rows.leave([id]);
    this.#recalled.delete(id);
    await this.#upkeep.takeAway(left);
    return left.length > 0;
  }

  prune(): Promise<Pruned> {
    return this.#upkeep.tend();
  }

  close(): Promise<void> {
    this.#memory.close();
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    // What failed meanwhile is undone.
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
    await this.#upkeep.stop();
    await this.#writeReads();
  }

  /** The rows, the bytes, and that they are whole: in this order, within the time that a call waits. */
  async #share(parts: readonly NamedSpill[]): Promise<void> {
    const { keepMs = 5_000, log } = this.#options;
    const bytes = parts.reduce((sum, { spill }) => sum + spill.bytes, 0);
    const signal = AbortSignal.timeout(timeFor(bytes, keepMs));
    const ids = parts.map(({ spill }) => spill.id);
    await this.#rows.begin(parts);
    try {
      const digests = new Map<string, Buffer>();
      for (const part of parts) digests.set(part.spill.id, await this.#upload(part, signal));
      await this.#rows.finish(digests);
      for (const { spill, name } of parts) await this.#cache.add({ id: spill.id, name, bytes: spill.bytes });
    } catch (error) {
      // Behind the call, which has waited long enough; what fails is found by the next sweep.
      const undoing = this.#rows
        .leave(ids)
        .then((left) => this.#upkeep.takeAway(left))
        .catch((cause: unknown) => log.debug('An answer that was not kept is swept later.', { error: cause }));
      void this.#during(undoing);
      throw error;
    }
  }

  /** Answers the digest of what was sent. */
  async #upload({ spill, name }: NamedSpill, signal: AbortSignal): Promise<Buffer> {
    const hash = createHash('sha256');
    await using handle = await open(this.#cache.path(name), 'r');
    const pieces = piecesOf(handle, spill.bytes, (piece) => hash.update(piece));
    await this.#requireObjects().put({ tenant: this.#options.tenant, id: spill.id }, pieces, spill.bytes, signal);
    return hash.digest();
  }

  #openHere({ spill, sha256, extension }: SharedAnswer): Promise<CachedFile> {
    const { tenant, readMs = 10_000 } = this.#options;
    const { id, bytes, server, tool } = spill;
    const name = spillFileName({ server, tool, id, extension });
    return this.#cache.open({ id, name, bytes, sha256 }, () =>
      this.#requireObjects().read({ tenant, id }, bytes, AbortSignal.timeout(timeFor(bytes, readMs))),
    );
  }

  /** Throws AppError spill_failed. */
  #requireObjects(): AnswerBytes {
    const { objects } = this.#options;
    if (objects !== undefined) return objects;
    throw new AppError('spill_failed', 'This replica has no object store, so long results are cut.', {
      fix: 'Whoever runs Tooltray starts every replica with the same --objects.',
    });
  }

  /** A path of one replica says nothing on another one: what models are told is the id. */
  #asShared(kept: KeptAnswer): KeptAnswer {
    const [first, ...others] = kept.parts.map((part) => {
      const spill = this.#recall({ ...part.spill, file: spillUri(part.spill.id) });
      return { ...part, spill };
    });
    return { ...kept, parts: [first ?? kept.parts[0], ...others] };
  }

  #recall(spill: Spill): Spill {
    this.#recalled.delete(spill.id);
    this.#recalled.set(spill.id, spill);
    const oldest = this.#recalled.keys().next();
    if (this.#recalled.size > mostRecalled && oldest.done !== true) this.#recalled.delete(oldest.value);
    return spill;
  }

  /** A store that does not answer would hold up each call with a long answer for as long as one waits. */
  #requireStores(): void {
    this.#requireObjects();
    if (this.#closing !== undefined) throw new AppError('spill_failed', 'Tooltray stops; nothing is kept any more.');
    if (performance.now() >= this.#restsUntil) return;
    throw new AppError(
      'spill_failed',
      'The answer could not be kept: where the team’s are kept was away a moment ago.',
      {
        fix: 'Try again in a moment; whoever runs Tooltray sees more in its log.',
      },
    );
  }

  #notKept(error: unknown): AppError {
    const isOurs = error instanceof AppError && error.code !== 'spill_failed' && error.code !== 'not_allowed';
    if (!isOurs) return spillFailure(error, hereInWords, this.#options.settings().maxBytes);
    this.#restsUntil = performance.now() + (this.#options.restMs ?? 5_000);
    return new AppError('spill_failed', `The answer could not be kept: ${error.message}`, {
      fix: 'Try again in a moment; whoever runs Tooltray sees more in its log.',
      cause: error,
    });
  }

  async #writeReads(): Promise<void> {
    this.#reads.flush();
    await Promise.all(this.#counting);
  }

  async #during<T>(work: Promise<T>): Promise<T> {
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
