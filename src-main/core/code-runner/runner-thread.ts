/** The other end of one worker thread that runs model-written code; the core's, or that of the process for Python. */
import type { Worker } from 'node:worker_threads';
import { startWorkerThread } from '../base/workers.ts';
import type {
  HostReplyMessage,
  CheckMessage,
  FromWorker,
  GuestChannel,
  GuestListener,
  RunMessage,
} from './run-request.ts';

export class RunnerThread implements GuestChannel {
  readonly #worker: Worker;
  readonly #replies = new Int32Array(new SharedArrayBuffer(4));
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #listener: GuestListener | undefined;
  #error: Error | undefined;
  #isAlive = true;

  constructor(workerUrl: URL) {
    // The engine checks its own stack; the thread's must be the larger one.
    this.#worker = startWorkerThread(workerUrl, { memory: 256, stack: 16, data: this.#replies });
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (error: Error) => (this.#error = error));
    this.#worker.on('exit', () => this.#leave());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Cause of its end, if known. */
  get error(): Error | undefined {
    return this.#error;
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  run(message: RunMessage | CheckMessage, listener: GuestListener): void {
    this.#listener = listener;
    if (this.#isAlive) this.#worker.postMessage(message);
    else listener.exit(this.#error);
  }

  reply(message: HostReplyMessage): void {
    this.#worker.postMessage(message);
    Atomics.add(this.#replies, 0, 1);
    Atomics.notify(this.#replies, 0);
  }

  release(): void {
    this.#listener = undefined;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'ready') this.#ready.resolve();
    else this.#listener?.message(message);
  }

  #leave(): void {
    this.#isAlive = false;
    this.#ready.resolve();
    this.#ended.resolve();
    this.#listener?.exit(this.#error);
  }
}
