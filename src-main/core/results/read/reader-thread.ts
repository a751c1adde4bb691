/** The core's end of one thread that reads kept answers. It lives until it is ended; a question that takes too long ends it. */
import { Worker } from 'node:worker_threads';
import { AppError } from '../../base/errors.ts';
import { type ReadDeadlines, tookTooLong } from './read-deadlines.ts';
import type { ReadReply, ReadRequest } from './reader-messages.ts';

/** How often the thread is looked at, in ms. */
const lookMs = 100;

export class ReaderThread {
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<void>();
  #reply: ((reply: ReadReply) => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;
  #error: Error | undefined;
  #isAlive = true;

  constructor(workerUrl: URL) {
    this.#worker = new Worker(workerUrl, {
      ...{ env: {}, argv: [], execArgv: [], stdin: false, stdout: true, stderr: true },
      // More data than this has room for goes to a process; ten thousand levels need a larger stack than the usual.
      resourceLimits: { maxOldGenerationSizeMb: 2048, stackSizeMb: 64 },
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: ReadReply) => this.#reply?.(reply));
    this.#worker.on('error', (error: Error) => (this.#error ??= error));
    this.#worker.on('exit', () => this.#leave());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Rejects with AppError call_timeout, cancelled or unsupported (out of memory); the thread is gone by then, and reads nothing. */
  async ask(request: ReadRequest, deadlines: ReadDeadlines, signal: AbortSignal): Promise<ReadReply> {
    const { promise, resolve, reject } = Promise.withResolvers<ReadReply>();
    this.#reply = resolve;
    this.#fail = reject;
    const abort = (): void => void this.end(new AppError('cancelled', 'The reading was given up.'));
    const stopWatching = watch(request.steps, deadlines, () => void this.end(tookTooLong(request.question, deadlines)));
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) abort();
      else if (this.#isAlive) this.#worker.postMessage(request);
      else this.#leave();
      return await promise;
    } finally {
      stopWatching();
      signal.removeEventListener('abort', abort);
      this.#reply = this.#fail = undefined;
    }
  }

  /** Whoever waits for an answer is told why there is none. */
  async end(reason?: AppError): Promise<void> {
    this.#error ??= reason;
    await this.#worker.terminate();
    await this.#ended.promise;
  }

  #leave(): void {
    this.#isAlive = false;
    this.#ended.resolve();
    this.#fail?.(this.#error instanceof AppError ? this.#error : lost(this.#error));
  }
}

/** Calls `late` once when a deadline has passed; the thread's own start does not count. Returns what ends the watch. */
function watch(steps: Int32Array, { wholeMs, stepMs = wholeMs }: ReadDeadlines, late: () => void): () => void {
  let begun: number | undefined;
  let seen = 0;
  let seenAt = 0;
  const look = setInterval(() => {
    const step = steps[0] ?? 0;
    if (step === 0) return;
    const now = performance.now();
    begun ??= now;
    if (step !== seen) [seen, seenAt] = [step, now];
    if (now - begun < wholeMs && now - seenAt < stepMs) return;
    clearInterval(look);
    late();
  }, lookMs);
  return () => clearInterval(look);
}

function lost(cause: unknown): AppError {
  const isMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const why = isMemory ? 'it takes more memory than it may have' : 'its thread ended';
  return new AppError('unsupported', `The file could not be read: ${why}.`, {
    fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
    cause,
  });
}
