/**
 * Queues queries for worker threads, which are started on demand and ended when idle. Large data is read in a process.
 */
import { totalmem } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { AppError } from '../base/errors.ts';
import { FairSemaphore } from '../base/semaphore.ts';
import { inheritedFileDescriptor, startWorkerProcess, startWorkerThread, resolveWorkerUrl } from '../base/workers.ts';
import type { ReaderRequest, ReadReply, ReadRequest, ReadTarget } from './read-worker/reader-messages.ts';

interface ReaderQueueLimits {
  /** Maximum number of threads; one owner uses at most half of them, rounded up. */
  readonly maxThreads: number;
  /** Maximum number of queued queries of one owner; further ones are refused. */
  readonly maxWaitingPerOwner: number;
  readonly idleMs: number;
  /** Memory limit of a process that reads large data, in bytes. */
  readonly memory: number | undefined;
}

/** Maximum size of data that a thread can parse whatever its structure, in bytes. */
const heavyBytes = 8 * 1024 * 1024;

export class ReaderQueue {
  readonly #entries: ReaderEntries;
  readonly #limits: ReaderQueueLimits;
  readonly #idle: ReaderThread[] = [];
  readonly #busy = new Set<ReaderThread>();
  #idleTimer: NodeJS.Timeout | undefined;
  /** Keyed by owner, so that a client app with many requests waits only for itself. */
  readonly #slots: FairSemaphore<string>;
  readonly #closing = new AbortController();

  constructor(entries: ReaderEntries, limits: ReaderQueueLimits) {
    this.#entries = entries;
    this.#limits = limits;
    this.#slots = new FairSemaphore(limits.maxThreads);
  }

  /** Rejects with AppError; by then nobody reads the file any more. */
  async ask(request: ReadRequest, deadlines: ReadDeadlines, owner: string, signal: AbortSignal): Promise<ReadReply> {
    if (signal.aborted) throw givenUp();
    if (this.#slots.waitingFor(owner) >= this.#limits.maxWaitingPerOwner) throw tooMany();
    if (!(await this.#slots.acquire(owner, signal))) throw givenUp();
    try {
      if (this.#closing.signal.aborted) throw givenUp();
      if (!isHeavy(request)) return await this.#askThread(request, deadlines, signal);
      const either = AbortSignal.any([signal, this.#closing.signal]);
      const reader = { entry: this.#entries.process, memory: this.#limits.memory };
      return await askProcess(reader, request, deadlines, either);
    } finally {
      this.#slots.release(owner);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#endIdle(), ...[...this.#busy].map((thread) => thread.end(givenUp()))]);
  }

  async #askThread(request: ReadRequest, deadlines: ReadDeadlines, signal: AbortSignal): Promise<ReadReply> {
    clearTimeout(this.#idleTimer);
    const thread = this.#idle.pop() ?? new ReaderThread(this.#entries.worker);
    this.#busy.add(thread);
    try {
      return await thread.ask(request, deadlines, signal);
    } finally {
      this.#busy.delete(thread);
      if (thread.isAlive) this.#rest(thread);
    }
  }

  #rest(thread: ReaderThread): void {
    this.#idle.push(thread);
    this.#idleTimer = setTimeout(() => void this.#endIdle(), this.#limits.idleMs).unref();
  }

  async #endIdle(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
  }
}

function tooMany(): AppError {
  return new AppError('unsupported', 'Too many reads of spilled results wait already.', { fix: 'Try again shortly.' });
}

function givenUp(): AppError {
  return new AppError('cancelled', 'The reading was given up.');
}

function isHeavy({ target, question }: ReadRequest): boolean {
  // A model's SQL can exhaust the memory at any file size, and a thread cannot be interrupted in it.
  if (question.op === 'sql' || question.op === 'select') return true;
  const isData = question.op === 'query' || question.op === 'schema' || question.op === 'table';
  return isData && target.bytes > heavyBytes;
}

// The core's end of one worker thread that reads spills. The thread lives until it is terminated, also by a query that
// takes too long.

/** Interval of checks of the thread, in ms. */
const pollIntervalMs = 100;

class ReaderThread {
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<void>();
  #reply: ((reply: ReadReply) => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;
  #error: Error | undefined;
  #isAlive = true;

  constructor(workerUrl: URL) {
    // Larger data is read in a process; deeply nested data needs a larger stack than the default.
    this.#worker = startWorkerThread(workerUrl, { memory: 2048, stack: 64 });
    this.#worker.on('message', (reply: ReadReply) => this.#reply?.(reply));
    this.#worker.on('error', (error: Error) => (this.#error ??= error));
    this.#worker.on('exit', () => this.#leave());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Rejects with AppError `call_timeout`, cancelled or unsupported (out of memory); the thread has ended by then. */
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

  /** Rejects the pending reads with the reason. */
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

/** Calls `late` once after a deadline; the thread's start does not count. Returns a function that stops the watch. */
function watch(steps: Int32Array, { wholeMs, stepMs = wholeMs }: ReadDeadlines, late: () => void): () => void {
  let startedAt: number | undefined;
  let seen = 0;
  let seenAt = 0;
  const look = setInterval(() => {
    const step = steps[0] ?? 0;
    if (step === 0) return;
    const now = performance.now();
    startedAt ??= now;
    if (step !== seen) [seen, seenAt] = [step, now];
    if (now - startedAt < wholeMs && now - seenAt < stepMs) return;
    clearInterval(look);
    late();
  }, pollIntervalMs);
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

// Runs one query on large data in a process of its own. Not a thread, because JSON.parse ignores limits, and V8 ends
// the whole process when its heap is exhausted (measured in 24.21 with a list of 20 million empty objects).

/** 64 MB of JSON become up to 1.5 GB of objects. */
const defaultMemoryBytes = 4 * 1024 ** 3;
/** Memory allowed for the smallest result, and for each of its bytes. */
const baseMemory = 512 * 1024 ** 2;
const memoryPerByte = 32;

interface ReaderProcess {
  readonly entry: URL;
  /** Memory for its objects, in bytes: by default 4 GB, at most half of the computer's. */
  readonly memory?: number | undefined;
}

/** Rejects with AppError `call_timeout`, cancelled or unsupported (out of memory); the process has ended by then. */
async function askProcess(
  reader: ReaderProcess,
  { target, others, question, maxBytes, index }: ReadRequest,
  deadlines: ReadDeadlines,
  signal: AbortSignal,
): Promise<ReadReply> {
  const { entry, memory = defaultMemoryBytes } = reader;
  const bytes = others.reduce((sum, other) => sum + other.target.bytes, target.bytes);
  const maxMemory = Math.floor(Math.min(memory, totalmem() / 2, baseMemory + bytes * memoryPerByte));
  const targets = [target, ...others.map((other) => other.target)].filter(({ text }) => text === undefined);
  const files = targets.map(({ fd }) => fd);
  const given = <T extends ReadTarget>(one: T): T => ({ ...one, fd: inheritedFileDescriptor + files.indexOf(one.fd) });
  const child = startWorkerProcess(entry, { memory: Math.floor(maxMemory / 1024 ** 2), files });
  const { promise, resolve, reject } = Promise.withResolvers<ReadReply>();
  let reason: AppError | undefined;
  const end = (why: AppError): void => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const abort = (): void => end(new AppError('cancelled', 'The reading was given up.'));
  const limit = setTimeout(() => end(tookTooLong(question, deadlines)), deadlines.wholeMs);
  signal.addEventListener('abort', abort, { once: true });
  child.once('message', (reply) => resolve(reply as ReadReply));
  child.once('error', (error) => reject(outOfMemory(error)));
  child.once('exit', (code, killed) => reject(reason ?? outOfMemory(new Error(`It ended with ${killed ?? code}.`))));
  try {
    // If the process has just died, its exit event reports it.
    const moved = others.map((other) => ({ ...other, target: given(other.target) }));
    child.send({ target: given(target), others: moved, question, maxBytes, index, maxMemory }, () => undefined);
    if (signal.aborted) abort();
    return await promise;
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', abort);
    child.kill('SIGKILL');
  }
}

function outOfMemory(cause: Error): AppError {
  return new AppError('unsupported', 'The file takes more memory as data than it may have.', {
    fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
    cause,
  });
}

/** Time limit of a query, and the error if it is exceeded. */
export interface ReadDeadlines {
  /** Of the whole query, in ms. */
  readonly wholeMs: number;
  /** Time limit of each step, for queries that run in steps. */
  readonly stepMs: number | undefined;
}

function tookTooLong(question: ReaderRequest, { wholeMs, stepMs = wholeMs }: ReadDeadlines): AppError {
  if (question.op === 'grep' || question.op === 'find') {
    const pattern = JSON.stringify(question.pattern.slice(0, 200));
    return new AppError('call_timeout', `The pattern ${pattern} takes too long: more than ${stepMs / 1000} s.`, {
      fix: 'Write it without repetitions inside of repetitions such as (a+)+, or search for a plain text.',
    });
  }
  if (question.op === 'sql' || question.op === 'select') {
    return new AppError('call_timeout', `The statement was not done after ${wholeMs / 1000} s.`, {
      fix: 'Join on equal columns, filter before joining, and give every recursion an end.',
    });
  }
  const path = question.op === 'query' ? ` ${JSON.stringify(question.query.slice(0, 200))}` : '';
  return new AppError('call_timeout', `Op ${question.op}${path} was not done after ${wholeMs / 1000} s.`, {
    fix: "Ask for less: a path from the top such as $.items[0:10], or op='grep', 'head', 'slice'.",
  });
}

/** Entry files of the workers that read spills, in the sources or in the build. */
export interface ReaderEntries {
  /** Entry of the threads. */
  readonly worker: URL;
  /** Entry of the processes for large data. */
  readonly process: URL;
}

export function readerEntries(): ReaderEntries {
  return {
    worker: resolveWorkerUrl('read-worker/reader-worker', import.meta.url),
    process: resolveWorkerUrl('read-worker/data-worker', import.meta.url),
  };
}
