/** Questions waiting for a thread that reads, and the threads: started when there is something to read, ended when there is not. Big data goes to a process. */
import { AppError } from '../../base/errors.ts';
import { askProcess } from './ask-process.ts';
import type { ReadDeadlines } from './read-deadlines.ts';
import type { ReadReply, ReadRequest } from './reader-messages.ts';
import type { ReaderEntries } from './reader-location.ts';
import { ReaderThread } from './reader-thread.ts';

export interface ReaderQueueLimits {
  readonly mostThreads: number;
  readonly mostWaiting: number;
  readonly idleMs: number;
  /** Of a process that big data is given to, in bytes. */
  readonly memory: number | undefined;
}

/** What a thread has room for as data, however it is made up. */
const heavyBytes = 8 * 1024 * 1024;

export class ReaderQueue {
  readonly #entries: ReaderEntries;
  readonly #limits: ReaderQueueLimits;
  readonly #idle: ReaderThread[] = [];
  readonly #busy = new Set<ReaderThread>();
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #idleTimer: NodeJS.Timeout | undefined;
  #running = 0;
  readonly #closing = new AbortController();

  constructor(entries: ReaderEntries, limits: ReaderQueueLimits) {
    this.#entries = entries;
    this.#limits = limits;
  }

  /** Rejects with AppError; by then nobody reads in the file any more. */
  async ask(request: ReadRequest, deadlines: ReadDeadlines, signal: AbortSignal): Promise<ReadReply> {
    if (signal.aborted || !(await this.#turn(signal))) throw givenUp();
    try {
      if (this.#closing.signal.aborted) throw givenUp();
      if (!isHeavy(request)) return await this.#askThread(request, deadlines, signal);
      const either = AbortSignal.any([signal, this.#closing.signal]);
      const reader = { entry: this.#entries.process, memory: this.#limits.memory };
      return await askProcess(reader, request, deadlines, either);
    } finally {
      this.#release();
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

  /** false: the signal was aborted before. */
  #turn(signal: AbortSignal): Promise<boolean> {
    const { mostThreads, mostWaiting } = this.#limits;
    if (this.#running < mostThreads) {
      this.#running++;
      return Promise.resolve(true);
    }
    if (this.#waiting.size >= mostWaiting) {
      throw new AppError('unsupported', 'Too many kept answers are being read at once.', { fix: 'Try again shortly.' });
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        resolve(false);
      };
      this.#waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running--;
    else this.#waiting.delete(next);
    next?.();
  }
}

function givenUp(): AppError {
  return new AppError('cancelled', 'The reading was given up.');
}

function isHeavy({ target, question }: ReadRequest): boolean {
  const isData =
    question.op === 'query' || question.op === 'schema' || question.op === 'table' || question.op === 'page';
  return isData && target.bytes > heavyBytes;
}
