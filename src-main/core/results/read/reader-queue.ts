/** Questions waiting for a thread that reads, and the threads: started when there is something to read, ended when there is not. Big data goes to a process. */
import { AppError } from '../../base/errors.ts';
import { Slots } from '../../base/slots.ts';
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
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #slots: Slots;
  readonly #closing = new AbortController();

  constructor(entries: ReaderEntries, limits: ReaderQueueLimits) {
    this.#entries = entries;
    this.#limits = limits;
    this.#slots = new Slots(limits.mostThreads);
  }

  /** Rejects with AppError; by then nobody reads in the file any more. */
  async ask(request: ReadRequest, deadlines: ReadDeadlines, signal: AbortSignal): Promise<ReadReply> {
    if (signal.aborted) throw givenUp();
    if (this.#slots.waiting >= this.#limits.mostWaiting) throw tooMany();
    if (!(await this.#slots.take(signal))) throw givenUp();
    try {
      if (this.#closing.signal.aborted) throw givenUp();
      if (!isHeavy(request)) return await this.#askThread(request, deadlines, signal);
      const either = AbortSignal.any([signal, this.#closing.signal]);
      const reader = { entry: this.#entries.process, memory: this.#limits.memory };
      return await askProcess(reader, request, deadlines, either);
    } finally {
      this.#slots.release();
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
  return new AppError('unsupported', 'Too many kept answers are being read at once.', { fix: 'Try again shortly.' });
}

function givenUp(): AppError {
  return new AppError('cancelled', 'The reading was given up.');
}

function isHeavy({ target, question }: ReadRequest): boolean {
  const isData =
    question.op === 'query' || question.op === 'schema' || question.op === 'table' || question.op === 'page';
  return isData && target.bytes > heavyBytes;
}
