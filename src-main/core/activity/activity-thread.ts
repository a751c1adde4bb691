/** The thread that owns activity databases. */
import { resolveWorkerUrl } from '../base/workers.ts';
import { RequestThread } from '../base/worker-thread.ts';
import { type ActivityReply, type ActivityRequest, toError } from './activity-messages.ts';

type NumberedReply = Extract<ActivityReply, { readonly number: number }>;
export type ActivityNotice = Exclude<ActivityReply, NumberedReply>;

type Unnumbered = ActivityRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'number'> : never) : never;

export class ActivityThread {
  readonly #thread: RequestThread<Unnumbered, NumberedReply, ActivityNotice>;
  readonly #listeners = new Map<string, (notice: ActivityNotice) => void>();

  /**
   * `idleMs`: idle time after which the thread ends, because it uses some 100 MB and starts in half a second. `entry`:
   * its program.
   */
  constructor({ idleMs = 30_000, entry = resolveWorkerUrl('activity-worker/activity-worker', import.meta.url) } = {}) {
    this.#thread = new RequestThread({ entry, memory: 512, idleTimeoutMs: idleMs }, (notice) =>
      this.#listeners.get(notice.file)?.(notice),
    );
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

  /** Resolves to the value of the reply. Rejects if the thread ended before it came, or with what SQLite threw. */
  async request(request: Unnumbered, transferred: readonly ArrayBuffer[] = []): Promise<unknown> {
    const { value, failure } = await this.#thread.request(request, transferred);
    if (failure !== undefined) throw toError(failure);
    return value;
  }

  /** Ends the thread; pending requests are rejected. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
