/** The thread that owns activity databases: starts it, numbers requests, and dispatches replies. */
import { resolveWorkerUrl } from '../base/workers.ts';
import { WorkerThread } from '../base/worker-thread.ts';
import { type ActivityReply, type ActivityRequest, toError } from './activity-messages.ts';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export type ActivityNotice = Exclude<ActivityReply, { readonly number: number }>;

type Unnumbered = ActivityRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'number'> : never) : never;

export class ActivityThread {
  readonly #thread: WorkerThread<ActivityRequest, ActivityReply>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (notice: ActivityNotice) => void>();
  #lastNumber = 0;

  /**
   * `idleMs`: idle time after which the thread ends, because it uses some 100 MB and starts in half a second. `entry`:
   * its
   * program.
   */
  constructor({ idleMs = 30_000, entry = resolveWorkerUrl('activity-worker/activity-worker', import.meta.url) } = {}) {
    this.#thread = new WorkerThread({
      entry,
      memory: 512,
      idleTimeoutMs: idleMs,
      onMessage: (reply) => this.#receive(reply),
      onLost: (error) => this.#rejectAll(error),
    });
  }

  get isRunning(): boolean {
    return this.#thread.isRunning;
  }

  /** Calls `listener` with notices about a file, until the returned function is called. */
  listen(file: string, listener: (notice: ActivityNotice) => void): () => void {
    this.#listeners.set(file, listener);
    return () => {
      if (this.#listeners.get(file) === listener) this.#listeners.delete(file);
    };
  }

  /** Resolves to the reply. Rejects if the thread ended before, or with the error of SQLite. */
  request(request: Unnumbered, transferred: readonly ArrayBuffer[] = []): Promise<unknown> {
    const number = ++this.#lastNumber;
    return new Promise((resolve, reject) => {
      if (!this.#thread.isUsable) {
        reject(new Error('The thread that stores activity is not running.'));
        return;
      }
      this.#waiting.set(number, { resolve, reject });
      try {
        this.#thread.post({ ...request, number }, transferred);
      } catch (error) {
        this.#waiting.delete(number);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Ends the thread; pending requests are rejected. */
  async close(): Promise<void> {
    await this.#thread.close();
    this.#rejectAll(new Error('Tooltray is stopping.'));
  }

  #receive(reply: ActivityReply): void {
    if (!('number' in reply)) {
      this.#listeners.get(reply.file)?.(reply);
      return;
    }
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (reply.failure === undefined) waiting?.resolve(reply.value);
    else waiting?.reject(toError(reply.failure));
    if (this.#waiting.size === 0) this.#thread.rest();
  }

  #rejectAll(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}
