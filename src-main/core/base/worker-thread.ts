/** Worker threads that are started on demand, ended when idle, and given up if they keep dying. */
import { WorkerHandle } from './workers.ts';

export interface WorkerThreadOptions<Out> {
  readonly entry: URL;
  /** Heap and stack, in MB. */
  readonly memory: number;
  readonly stack?: number;
  readonly idleTimeoutMs: number;
  readonly onMessage: (message: Out) => void;
  /** Called after the thread ended by itself; its pending messages are lost. The next message starts another thread. */
  readonly onLost: (error: Error) => void;
}

/** After this many threads that died without a message, no more are started. */
const maxFailures = 3;

export class WorkerThread<In, Out> {
  readonly #options: WorkerThreadOptions<Out>;
  #worker: WorkerHandle<In, Out> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(options: WorkerThreadOptions<Out>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Whether a message could still be handled: not after `close`, nor after `maxFailures` threads died. */
  get isUsable(): boolean {
    return !this.#isClosed && this.#failures < maxFailures;
  }

  /** Starts the thread if there is none. Throws if it cannot be started or the message cannot be cloned. */
  post(message: In, transferred: readonly ArrayBuffer[] = []): void {
    clearTimeout(this.#idleTimer);
    this.#worker ??= this.#start();
    this.#worker.post(message, transferred);
  }

  /** Called when there is no work: the thread ends unless a message arrives in time. */
  rest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.end(), this.#options.idleTimeoutMs).unref();
  }

  /** Ends the thread, whatever it is doing; the next message starts another one. `onLost` is not called. */
  async end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.end();
  }

  #start(): WorkerHandle<In, Out> {
    const { entry, memory, stack, onMessage, onLost } = this.#options;
    const worker: WorkerHandle<In, Out> = WorkerHandle.thread(
      entry,
      { memory, ...(stack !== undefined && { stack }) },
      {
        onMessage: (message: Out) => {
          if (this.#worker !== worker) return;
          this.#failures = 0;
          onMessage(message);
        },
        onEnd: ({ error }) => {
          if (this.#worker !== worker) return;
          this.#worker = undefined;
          this.#failures++;
          onLost(error ?? new Error('It ended.'));
        },
      },
    );
    return worker;
  }
}

interface Numbered {
  readonly number: number;
}

/** A worker thread that replies to requests by their number. It ends when it is idle. */
export class RequestThread<Request extends object, Reply extends Numbered, Notice extends object = never> {
  readonly #thread: WorkerThread<Request & Numbered, Reply | Notice>;
  readonly #pending = new Map<number, PromiseWithResolvers<Reply>>();
  #lastNumber = 0;

  /** `onNotice`: receives messages that reply to no request. */
  constructor(
    options: Omit<WorkerThreadOptions<Reply>, 'onMessage' | 'onLost'>,
    onNotice: (notice: Notice) => void = () => undefined,
  ) {
    this.#thread = new WorkerThread({
      ...options,
      onMessage: (message) => {
        if ('number' in message) this.#settle(message);
        else onNotice(message);
      },
      onLost: (error) => this.#rejectAll(error),
    });
  }

  get isRunning(): boolean {
    return this.#thread.isRunning;
  }

  /** Number of requests without a reply. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Rejects if the thread cannot be started, or ended before it replied. */
  request(request: Request, transferred: readonly ArrayBuffer[] = []): Promise<Reply> {
    if (!this.#thread.isUsable) return Promise.reject(new Error('The thread is not running.'));
    const number = ++this.#lastNumber;
    const pending = Promise.withResolvers<Reply>();
    this.#pending.set(number, pending);
    try {
      this.#thread.post({ ...request, number }, transferred);
    } catch (error) {
      this.#pending.delete(number);
      pending.reject(error);
    }
    return pending.promise;
  }

  /** Ends the thread; pending requests reject. */
  async close(): Promise<void> {
    await this.#thread.close();
    this.#rejectAll(new Error('Tooltray is stopping.'));
  }

  #settle(reply: Reply): void {
    this.#pending.get(reply.number)?.resolve(reply);
    this.#pending.delete(reply.number);
    if (this.#pending.size === 0) this.#thread.rest();
  }

  #rejectAll(error: Error): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }
}
