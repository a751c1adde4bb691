/**
 * Queues queries for worker threads, which are started on demand and ended when idle. Large data is read in a process.
 */
import { totalmem } from 'node:os';
import { AppError } from '../base/errors.ts';
import { FairSemaphore } from '../base/semaphore.ts';
import {
  type WorkerEnd,
  type WorkerEvents,
  WorkerHandle,
  inheritedFileDescriptor,
  resolveWorkerUrl,
} from '../base/workers.ts';
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
  readonly #idle: ReaderWorker[] = [];
  readonly #busy = new Set<ReaderWorker>();
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
    const idle = this.#idle.pop();
    const thread = idle?.isAlive === true ? idle : startReaderThread(this.#entries.worker);
    this.#busy.add(thread);
    try {
      const watch: DeadlineWatch = (late) => watchSteps(request.steps, deadlines, late);
      return await thread.ask(request, { question: request.question, deadlines, signal, watch });
    } finally {
      this.#busy.delete(thread);
      if (thread.isAlive) this.#rest(thread);
    }
  }

  #rest(thread: ReaderWorker): void {
    this.#idle.push(thread);
    this.#idleTimer = setTimeout(() => void this.#endIdle(), this.#limits.idleMs).unref();
  }

  async #endIdle(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
  }
}

function tooMany(): AppError {
  return new AppError('unsupported', 'Too many queued reads of spilled results.', { fix: 'Try again shortly.' });
}

function givenUp(): AppError {
  return new AppError('cancelled', 'The read was cancelled.');
}

function isHeavy({ target, question }: ReadRequest): boolean {
  // A model's SQL can exhaust the memory at any file size, and a thread cannot be interrupted in it.
  if (question.op === 'sql' || question.op === 'select') return true;
  const isData = question.op === 'query' || question.op === 'schema' || question.op === 'table';
  return isData && target.bytes > heavyBytes;
}

// The core's end of one worker that reads spills. A query that takes too long ends it.

/** How often the progress of a thread is read, in ms. */
const pollIntervalMs = 100;

type ReaderHandle = WorkerHandle<object, ReadReply>;

/** Calls `late` once if a query exceeds its deadline. Returns what stops that. */
type DeadlineWatch = (late: () => void) => () => void;

class ReaderWorker {
  readonly #handle: ReaderHandle;
  #reply: PromiseWithResolvers<ReadReply> | undefined;
  #reason: AppError | undefined;

  /** `toError`: what a query rejects with if the worker ends by itself. */
  constructor(start: (events: WorkerEvents<ReadReply>) => ReaderHandle, toError: (end: WorkerEnd) => AppError) {
    this.#handle = start({
      onMessage: (reply) => this.#reply?.resolve(reply),
      onEnd: (end) => this.#reply?.reject(this.#reason ?? toError(end)),
    });
  }

  get isAlive(): boolean {
    return this.#handle.isAlive;
  }

  /**
   * `question`: names the query if it exceeds its deadlines. Rejects with AppError `call_timeout`, cancelled or
   * unsupported (out of memory); the worker has ended by then, and reads nothing.
   */
  async ask(
    message: object,
    { question, deadlines, signal, watch }: QueryLimits & { readonly watch: DeadlineWatch },
  ): Promise<ReadReply> {
    if (!this.isAlive) throw this.#reason ?? givenUp();
    const reply = Promise.withResolvers<ReadReply>();
    this.#reply = reply;
    const abort = (): void => void this.end(givenUp());
    const stopWatching = watch(() => void this.end(tookTooLong(question, deadlines)));
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) abort();
      else this.#handle.post(message);
      return await reply.promise;
    } finally {
      stopWatching();
      signal.removeEventListener('abort', abort);
      this.#reply = undefined;
    }
  }

  /** A pending query rejects with the reason. */
  async end(reason?: AppError): Promise<void> {
    this.#reason ??= reason;
    await this.#handle.end();
  }
}

/** More data than it has memory for goes to a process; ten thousand levels need a larger stack than the usual. */
function startReaderThread(entry: URL): ReaderWorker {
  return new ReaderWorker((events) => WorkerHandle.thread(entry, { memory: 2048, stack: 64 }, events), lost);
}

interface QueryLimits {
  readonly question: ReaderRequest;
  readonly deadlines: ReadDeadlines;
  readonly signal: AbortSignal;
}

/** Watches the deadlines of a thread; its own start does not count. */
function watchSteps(steps: Int32Array, { wholeMs, stepMs = wholeMs }: ReadDeadlines, late: () => void): () => void {
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

function lost({ error: cause }: WorkerEnd): AppError {
  const isMemory = cause !== undefined && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const why = isMemory ? 'it exceeded the memory limit' : 'its thread exited';
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

/** Rejects as `ReaderWorker.ask`. */
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
  const options = { memory: Math.floor(maxMemory / 1024 ** 2), files };
  const worker = new ReaderWorker((events) => WorkerHandle.process(entry, options, events), outOfMemory);
  const moved = others.map((other) => ({ ...other, target: given(other.target) }));
  const watch: DeadlineWatch = (late) => {
    const timer = setTimeout(late, deadlines.wholeMs);
    return () => clearTimeout(timer);
  };
  try {
    return await worker.ask(
      { target: given(target), others: moved, question, maxBytes, index, maxMemory },
      { question, deadlines, signal, watch },
    );
  } finally {
    void worker.end();
  }
}

function outOfMemory({ error, code, signal }: WorkerEnd): AppError {
  return new AppError('unsupported', 'The file is too large to load as data.', {
    fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
    cause: error ?? new Error(`It exited with ${signal ?? code}.`),
  });
}

/** Time limit of a query, and the error if it is exceeded. */
export interface ReadDeadlines {
  /** Time limit of the whole query, in ms. */
  readonly wholeMs: number;
  /** Time limit of each step, for queries that run in steps. */
  readonly stepMs: number | undefined;
}

function tookTooLong(question: ReaderRequest, { wholeMs, stepMs = wholeMs }: ReadDeadlines): AppError {
  if (question.op === 'grep' || question.op === 'find') {
    const pattern = JSON.stringify(question.pattern.slice(0, 200));
    return new AppError('call_timeout', `The pattern ${pattern} timed out after ${stepMs / 1000} s.`, {
      fix: 'Avoid nested repetitions such as (a+)+, or search for plain text.',
    });
  }
  if (question.op === 'sql' || question.op === 'select') {
    return new AppError('call_timeout', `The statement timed out after ${wholeMs / 1000} s.`, {
      fix: 'Join on equal columns, filter before joining, and limit every recursion.',
    });
  }
  const path = question.op === 'query' ? ` ${JSON.stringify(question.query.slice(0, 200))}` : '';
  return new AppError('call_timeout', `Op ${question.op}${path} timed out after ${wholeMs / 1000} s.`, {
    fix: "Request less: use a path from the top such as $.items[0:10], or op='grep', 'head', 'slice'.",
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
