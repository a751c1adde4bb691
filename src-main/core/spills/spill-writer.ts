/**
 * Stores results without blocking the main thread: short ones inline, long ones in one thread, huge ones in another.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { resolveWorkerUrl } from '../base/workers.ts';
import { WorkerThread } from '../base/worker-thread.ts';
import { draftResult } from './writer/draft-result.ts';
import {
  type DraftedPart,
  type DraftedResult,
  type FromSpillWriter,
  SpillWriteError,
  type SpillWriteJob,
  type ToSpillWriter,
} from './spill-writer-messages.ts';

type Stored = Extract<FromSpillWriter, { kind: 'stored' | 'excerpt' | 'measured' }>;

interface Waiting {
  readonly job: SpillWriteJob;
  readonly chunks: readonly Buffer[];
  readonly settle: PromiseWithResolvers<Stored>;
}

/** A piece is copied in a tenth of a millisecond, which is not noticeable. In bytes. */
const pieceBytes = 512 * 1024;
/** Maximum number of pieces in progress. */
const maxPieces = 4;
const maxWaiting = 32;
/** 64 MB of JSON become up to 1.5 GB of objects. */
const memoryMegabytes = 3072;

/** Stores one result after the other. The thread starts on demand, and ends when idle or after a large one. */
export class WriterThread {
  readonly #waiting: Waiting[] = [];
  #current: Waiting | undefined;
  #pieces: Iterator<Uint8Array<ArrayBuffer>> | undefined;
  readonly #thread: WorkerThread<ToSpillWriter, FromSpillWriter>;
  #isClosed = false;

  constructor(workerUrl: URL, idleMs: number) {
    this.#thread = new WorkerThread({
      entry: workerUrl,
      memory: memoryMegabytes,
      stack: 16,
      idleTimeoutMs: idleMs,
      onMessage: (message) => this.#receive(message),
      onLost: (error) => this.#fail(new SpillWriteError('thread', error.message)),
    });
  }

  /** Rejects with SpillWriteError; unfinished files may be left over then. */
  run(job: SpillWriteJob, chunks: readonly Buffer[]): Promise<Stored> {
    if (this.#isClosed) return Promise.reject(new SpillWriteError('closed', 'Tooltray stops.'));
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(new SpillWriteError('busy', 'Too many queued results.'));
    const settle = Promise.withResolvers<Stored>();
    this.#waiting.push({ job, chunks, settle });
    this.#next();
    return settle.promise;
  }

  /** Ends the thread at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread.close();
    const failure = new SpillWriteError('closed', 'Tooltray stops.');
    for (const { settle } of this.#waiting.splice(0)) settle.reject(failure);
    this.#fail(failure);
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) return this.#thread.rest();
    const { job, chunks } = this.#current;
    try {
      this.#post({ kind: 'begin', job, bytes: lengthOf(chunks) });
      this.#pieces = piecesOf(chunks);
      for (let piece = 0; piece < maxPieces; piece++) this.#sendPiece();
    } catch (error) {
      void this.#thread.end().then(() => this.#fail(new SpillWriteError('thread', String(error))));
    }
  }

  #sendPiece(): void {
    const next = this.#pieces?.next();
    if (next === undefined) return;
    if (next.done !== true) return this.#post({ kind: 'bytes', bytes: next.value }, next.value.buffer);
    this.#pieces = undefined;
    this.#post({ kind: 'end' });
  }

  #post(message: ToSpillWriter, transferred?: ArrayBuffer): void {
    this.#thread.post(message, transferred === undefined ? [] : [transferred]);
  }

  #receive(message: FromSpillWriter): void {
    if (message.kind === 'taken') return this.#sendPiece();
    const current = this.#current;
    this.#current = undefined;
    this.#pieces = undefined;
    if (message.kind === 'failed') current?.settle.reject(new SpillWriteError(message.code, message.message));
    else current?.settle.resolve(message);
    this.#next();
  }

  /** Fails the current result; the next ones get a new thread. */
  #fail(failure: SpillWriteError): void {
    const failed = this.#current;
    this.#current = undefined;
    this.#pieces = undefined;
    failed?.settle.reject(failure);
    if (!this.#isClosed && this.#waiting.length > 0) this.#next();
  }
}

function lengthOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

/** Copies chunks of any size into pieces of equal size, one at a time. */
function* piecesOf(chunks: readonly Buffer[]): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  let left = lengthOf(chunks);
  let piece = new Uint8Array(Math.min(pieceBytes, left));
  let used = 0;
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + piece.length - used);
      piece.set(part, used);
      used += part.length;
      from += part.length;
      if (used < piece.length) continue;
      left -= used;
      yield piece;
      piece = new Uint8Array(Math.min(pieceBytes, left));
      used = 0;
    }
  }
}

/** Returns the URL of the worker that stores results, in the sources or in the build. */
export function spillWriterUrl(): URL {
  return resolveWorkerUrl('writer/spill-writer-worker', import.meta.url);
}

export interface WrittenPart extends DraftedPart {
  readonly file: string;
}

export type StoreJob = Omit<Extract<SpillWriteJob, { do: 'store' }>, 'do'>;

/** About a millisecond of the main thread; starting a thread takes thirty. In bytes. */
const maxInlineWriteBytes = 128 * 1024;
/** Longer results have a thread of their own, so that others do not wait for seconds. */
const huge = 16 * 1024 * 1024;
const idleMs = 20_000;
/** Idle time after which the thread for huge results releases its memory, in ms. */
const hugeIdleMs = 2_000;

export class ResultWriter {
  readonly #usual: WriterThread;
  readonly #huge: WriterThread;

  constructor(workerUrl: URL) {
    this.#usual = new WriterThread(workerUrl, idleMs);
    this.#huge = new WriterThread(workerUrl, hugeIdleMs);
  }

  /** Rejects with SpillWriteError, or errors of the file system; nothing is left over then. */
  async write(chunks: readonly Buffer[], job: StoreJob): Promise<{ parts: WrittenPart[]; remains: string }> {
    try {
      const { parts, remains } = await this.#draft(chunks, job);
      const total = parts.reduce((sum, part) => sum + part.bytes, 0);
      if (total > job.maxBytes) throw new SpillWriteError('too_large', 'Its parts exceed the storage limit.');
      const written = await Promise.all(parts.map((part, number) => inFile(part, `${job.stem}-m${number}.tmp`)));
      return { parts: written, remains };
    } catch (error) {
      await this.clear(job.stem);
      throw error;
    }
  }

  /** Deletes the files with this prefix. */
  async clear(stem: string): Promise<void> {
    const names = await readdir(dirname(stem)).catch((): string[] => []);
    const left = names.filter((name) => name.startsWith(`${basename(stem)}-`));
    await Promise.all(left.map((name) => rm(join(dirname(stem), name), { force: true }).catch(() => undefined)));
  }

  async close(): Promise<void> {
    await Promise.all([this.#usual.close(), this.#huge.close()]);
  }

  async #draft(chunks: readonly Buffer[], job: StoreJob): Promise<DraftedResult> {
    if (lengthOf(chunks) <= maxInlineWriteBytes) return draftResult(Buffer.concat(chunks), job.textKind);
    const stored = await this.#thread(chunks).run({ do: 'store', ...job }, chunks);
    if (stored.kind === 'stored') return stored.result;
    throw new SpillWriteError('thread', 'The output differs.');
  }

  #thread(chunks: readonly Buffer[]): WriterThread {
    return lengthOf(chunks) > huge ? this.#huge : this.#usual;
  }
}

async function inFile(part: DraftedPart, path: string): Promise<WrittenPart> {
  const { content, file, ...facts } = part;
  if (file !== undefined) return { ...facts, file };
  await writeFile(path, content ?? new Uint8Array(), { flag: 'wx', mode: 0o600 });
  return { ...facts, file: path };
}
