/** A worker thread that is started on demand, ended when idle, and given up if it keeps dying. */
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
