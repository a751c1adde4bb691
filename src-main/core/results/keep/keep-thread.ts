/** Writes answers in a worker thread, one after the other; the thread is started when there is one and ended when there is none. */
import { Worker } from 'node:worker_threads';
import { ByteFeed } from './byte-feed.ts';
import type { DraftedAnswer } from './drafted-answer.ts';
import { KeepFailure } from './keep-failure.ts';
import type { FromKeepWorker, KeepJob, ToKeepWorker } from './keep-messages.ts';

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

export class KeepThread {
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
    // Answers are never held whole; what runs out of this much ends the thread and not the core.
    const worker = new Worker(this.#workerUrl, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 192 } });
    worker.unref();
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
