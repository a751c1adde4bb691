/** Reads in kept answers: in threads of its own, a few at once, each question with a deadline. */
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';
import type { RecordPage, RecordRange, ResultAnswer, ResultQuestion } from '../result-files.ts';
import type { SpillKind } from '../spill.ts';
import { longestDocument } from './document.ts';
import type { LineIndex } from './line-index.ts';
import type { ReadDeadlines } from './read-deadlines.ts';
import { readerEntries, type ReaderEntries } from './reader-location.ts';
import { newSteps, type ReaderQuestion } from './reader-messages.ts';
import { ReaderQueue } from './reader-queue.ts';

/** What is read; whoever opened it closes it after the answer. */
export interface ReadSource {
  readonly handle: FileHandle;
  /** What the answer calls the file. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly bytes: number;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Longest text that is given, in bytes (UTF-8): 16 000 by default. */
  readonly maxBytes?: number;
}

export interface SpillReaderOptions {
  /** Found by themselves. */
  readonly entries?: ReaderEntries;
  /** For each line that a pattern is tried on, in ms: 2 000 by default. */
  readonly patternMs?: number;
  /** For a question about data, in ms: 30 000 by default. */
  readonly dataMs?: number;
  /** For a question about lines, in ms: 60 000 by default. */
  readonly linesMs?: number;
  /** A thread that has nothing to do ends after this long, in ms: 20 000 by default. */
  readonly idleMs?: number;
  /** Room for the objects of a lot of data, in bytes: 4 GB by default. */
  readonly dataMemory?: number;
}

const usualBytes = 16_000;
/** Two read at once, and no more than so many wait. */
const mostThreads = 2;
const mostWaiting = 100;
const mostIndexes = 64;

export class SpillReader {
  readonly #options: SpillReaderOptions;
  readonly #queue: ReaderQueue;
  /** By the file's identity; the one that was used last stands last. */
  readonly #indexes = new Map<string, LineIndex>();

  constructor(options: SpillReaderOptions = {}) {
    this.#options = options;
    const { entries = readerEntries(), idleMs = 20_000 } = options;
    this.#queue = new ReaderQueue(entries, { mostThreads, mostWaiting, idleMs, memory: options.dataMemory });
  }

  /** Rejects with AppError bad_request, not_found, unsupported, call_timeout, cancelled. */
  async read(source: ReadSource, question: ResultQuestion, options: ReadOptions): Promise<ResultAnswer> {
    return (await this.#ask(source, question, options)) as ResultAnswer;
  }

  /** Rejects as `read` does. */
  async page(source: ReadSource, range: RecordRange, options: ReadOptions): Promise<RecordPage> {
    return (await this.#ask(source, { op: 'page', ...range }, options)) as RecordPage;
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #ask(
    { handle, file, kind, bytes }: ReadSource,
    question: ReaderQuestion,
    { signal, maxBytes = usualBytes }: ReadOptions,
  ): Promise<ResultAnswer | RecordPage> {
    const { dev, ino, mtimeMs } = await handle.stat();
    const identity = [dev, ino, mtimeMs, bytes].join(':');
    const steps = newSteps();
    const target = { fd: handle.fd, file, kind, bytes };
    const request = { target, question, maxBytes, steps, index: this.#indexes.get(identity) };
    const reply = await this.#queue.ask(request, this.#deadlines(question, bytes), signal);
    if (!reply.ok) throw new AppError(reply.code, reply.message, reply.fix === undefined ? {} : { fix: reply.fix });
    this.#remember(identity, reply.index);
    return reply.answer;
  }

  #deadlines({ op }: ReaderQuestion, bytes: number): ReadDeadlines {
    const { patternMs = 2000, dataMs = 30_000, linesMs = 60_000 } = this.#options;
    const isData = op === 'query' || op === 'schema' || op === 'table' || op === 'page';
    // What is too long to be parsed is gone through from end to end.
    const times = op === 'query' ? Math.max(1, bytes / longestDocument) : 1;
    return { wholeMs: isData ? dataMs * times : linesMs, stepMs: op === 'grep' ? patternMs : undefined };
  }

  #remember(identity: string, index: LineIndex | undefined): void {
    if (index === undefined) return;
    this.#indexes.delete(identity);
    this.#indexes.set(identity, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > mostIndexes && oldest !== undefined) this.#indexes.delete(oldest);
  }
}
