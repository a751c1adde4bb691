/** Writes answers in a worker thread, one after the other; the thread is started when there is one and ended when there is none. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startThread, workerLocation } from '../base/worker-line.ts';
import { DraftPlace } from './keep/part-draft.ts';
import { AnswerDraft } from './keep/answer-draft.ts';
import {
  type DraftedAnswer,
  type DraftedPart,
  type FromKeepWorker,
  KeepFailure,
  type KeepJob,
  type ToKeepWorker,
} from './messages.ts';

interface Waiting {
  readonly job: KeepJob;
  readonly chunks: readonly Uint8Array[];
  readonly settle: PromiseWithResolvers<DraftedAnswer>;
}

/** A piece is copied in a tenth of a millisecond: nobody else of the main thread notices. */
const pieceBytes = 512 * 1024;
/** Pieces that are under way at the same time. */
const mostPieces = 4;
const mostWaiting = 32;

class KeepThread {
  readonly #workerUrl: URL;
  readonly #idleMs: number;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | undefined;
  #feed: ByteFeed | undefined;
  /** Pieces that wait for bytes; the others are with the thread. */
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #isFed = false;
  #worker: Worker | undefined;
  #error: Error | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(workerUrl: URL, idleMs: number) {
    this.#workerUrl = workerUrl;
    this.#idleMs = idleMs;
  }

  /** Rejects with KeepFailure; files that were begun may be left over then. */
  keep(job: KeepJob, chunks: readonly Uint8Array[]): Promise<DraftedAnswer> {
    if (this.#closed) return Promise.reject(new KeepFailure('closed', 'Tooltray stops.'));
    if (this.#waiting.length >= mostWaiting) return Promise.reject(new KeepFailure('busy', 'Too many answers wait.'));
    const settle = Promise.withResolvers<DraftedAnswer>();
    this.#waiting.push({ job, chunks, settle });
    this.#next();
    return settle.promise;
  }

  /** Ends the thread whatever it is doing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end(new KeepFailure('closed', 'Tooltray stops.'));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#waiting.shift();
    clearTimeout(this.#idleTimer);
    if (this.#current === undefined) {
      this.#idleTimer = setTimeout(() => void this.#end(undefined), this.#idleMs).unref();
      return;
    }
    try {
      this.#worker ??= this.#start();
      this.#post({ kind: 'begin', job: this.#current.job });
      this.#feedFrom(this.#current);
    } catch (error) {
      void this.#end(new KeepFailure('thread', String(error)));
    }
  }

  #feedFrom({ chunks }: Waiting): void {
    this.#feed = new ByteFeed(chunks);
    this.#isFed = false;
    while (this.#pieces.length > 0 && !this.#isFed) this.#sendPiece(this.#pieces.pop() as Uint8Array<ArrayBuffer>);
  }

  #sendPiece(bytes: Uint8Array<ArrayBuffer>): void {
    const length = this.#isFed ? 0 : (this.#feed?.fill(bytes) ?? 0);
    if (length > 0) this.#post({ kind: 'bytes', bytes, length }, bytes);
    else {
      this.#pieces.push(bytes);
      if (!this.#isFed && this.#feed !== undefined) {
        this.#isFed = true;
        this.#post({ kind: 'end' });
      }
    }
  }

  #post(message: ToKeepWorker, transferred?: Uint8Array<ArrayBuffer>): void {
    this.#worker?.postMessage(message, transferred === undefined ? [] : [transferred.buffer]);
  }

  #start(): Worker {
    // Answers are never held whole.
    const worker = startThread(this.#workerUrl, { memory: 192 });
    this.#pieces = Array.from({ length: mostPieces }, () => new Uint8Array(pieceBytes));
    worker.on('message', (message: FromKeepWorker) => {
      if (worker === this.#worker) this.#hear(message);
    });
    worker.on('error', (error: Error) => (this.#error = error));
    worker.on('exit', () => {
      if (worker === this.#worker) void this.#end(new KeepFailure('thread', this.#error?.message ?? 'It ended.'));
    });
    return worker;
  }

  #hear(message: FromKeepWorker): void {
    if (message.kind === 'taken') this.#sendPiece(message.bytes);
    else if (message.kind === 'again') {
      if (this.#current !== undefined) this.#feedFrom(this.#current);
    } else {
      const current = this.#current;
      this.#current = undefined;
      this.#feed = undefined;
      this.#isFed = true;
      if (message.kind === 'kept') current?.settle.resolve(message.answer);
      else current?.settle.reject(new KeepFailure(message.code, message.message));
      this.#next();
    }
  }

  /** The one that is being written fails; those behind it get a new thread. */
  async #end(failure: KeepFailure | undefined): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#pieces = [];
    const failed = [this.#current, ...(this.#closed ? this.#waiting.splice(0) : [])];
    this.#current = undefined;
    await worker?.terminate();
    for (const each of failed) if (failure !== undefined) each?.settle.reject(failure);
    if (!this.#closed && this.#waiting.length > 0) this.#next();
  }
}

/** Copies chunks of any size into pieces of one size, a piece at a time. */
class ByteFeed {
  readonly #chunks: readonly Uint8Array[];
  #chunk = 0;
  #at = 0;

  constructor(chunks: readonly Uint8Array[]) {
    this.#chunks = chunks;
  }

  /** Fills `target` as far as there are bytes; answers how many. */
  fill(target: Uint8Array): number {
    let used = 0;
    for (let chunk = this.#chunks[this.#chunk]; chunk !== undefined && used < target.length;) {
      const piece = chunk.subarray(this.#at, this.#at + target.length - used);
      target.set(piece, used);
      used += piece.length;
      this.#at += piece.length;
      if (this.#at < chunk.length) break;
      this.#at = 0;
      chunk = this.#chunks[++this.#chunk];
    }
    return used;
  }
}

/** Where the worker that writes answers lies, among the sources and in the build. */
export function keepWorkerUrl(): URL {
  return workerLocation('keep/keep-worker', import.meta.url);
}

/** Writes an answer into files of no name yet: short ones right here, long ones in a thread, and huge ones where they hold up nobody. */
export interface WrittenPart extends DraftedPart {
  readonly file: string;
}

/** About a millisecond of the main thread; starting a thread takes thirty. */
const longestHere = 128 * 1024;
/** Longer answers have a thread of their own, so that others do not wait seconds for them. */
const huge = 32 * 1024 * 1024;
const idleMs = 20_000;

export class AnswerWriter {
  readonly #usual: KeepThread;
  readonly #huge: KeepThread;

  constructor(workerUrl: URL) {
    this.#usual = new KeepThread(workerUrl, idleMs);
    this.#huge = new KeepThread(workerUrl, idleMs);
  }

  /** Rejects with KeepFailure, or what the file system throws; nothing is left over then. */
  async write(chunks: readonly Buffer[], job: KeepJob): Promise<{ parts: WrittenPart[]; remains: string }> {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    try {
      const { parts, remains } = await this.#draft(chunks, bytes, job);
      const total = parts.reduce((sum, part) => sum + part.bytes, 0);
      if (total > job.mostBytes) throw new KeepFailure('too_large', 'Its parts are larger than may be kept.');
      const written = await Promise.all(parts.map((part, number) => inFile(part, `${job.stem}-m${number}.tmp`)));
      return { parts: written, remains };
    } catch (error) {
      await this.clear(job.stem);
      throw error;
    }
  }

  /** Takes away what was written under the stem. */
  async clear(stem: string): Promise<void> {
    const names = await readdir(dirname(stem)).catch((): string[] => []);
    const left = names.filter((name) => name.startsWith(`${basename(stem)}-`));
    await Promise.all(left.map((name) => rm(join(dirname(stem), name), { force: true }).catch(() => undefined)));
  }

  async close(): Promise<void> {
    await Promise.all([this.#usual.close(), this.#huge.close()]);
  }

  #draft(chunks: readonly Buffer[], bytes: number, job: KeepJob): Promise<DraftedAnswer> | DraftedAnswer {
    if (bytes <= longestHere) return draftHere(chunks, job);
    return (bytes > huge ? this.#huge : this.#usual).keep(job, chunks);
  }
}

function draftHere(chunks: readonly Buffer[], { stem, mostBytes, textKind }: KeepJob): DraftedAnswer {
  const draft = new AnswerDraft(new DraftPlace(stem, mostBytes, Infinity), textKind);
  for (;;) {
    for (const chunk of chunks) draft.push(chunk);
    const answer = draft.end();
    if (answer !== undefined) return answer;
  }
}

async function inFile(part: DraftedPart, path: string): Promise<WrittenPart> {
  if (part.file !== undefined) return { ...part, file: part.file };
  await writeFile(path, part.content ?? new Uint8Array(), { flag: 'wx', mode: 0o600 });
  return { ...part, file: path };
}
