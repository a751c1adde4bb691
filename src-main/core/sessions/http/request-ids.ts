/**
 * Session ids for requests that belong to no session (2026-07-28 over HTTP). One request of a client at a time uses the
 * client's own id, so that private connections to servers are reused. Each concurrent request has a separate id, so
 * that a server-initiated request can only concern that request.
 */
import { randomUUID } from 'node:crypto';

const idleTimeoutMs = 5 * 60_000;

export class RequestIds {
  readonly #busy = new Set<string>();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  readonly #ended: (id: string) => void;

  /** `ended` is called with an id that was unused for five minutes, or at once if it served a single request. */
  constructor(ended: (id: string) => void) {
    this.#ended = ended;
  }

  /**
   * Runs a task with an id. `isShared`: other clients may use the same key, so the id serves this request only. `hold`
   * reserves the id until a promise settles, for work that continues after the task.
   */
  async use<T>(
    { key, isShared }: { readonly key: string; readonly isShared: boolean },
    task: (id: string, hold: (until: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T> {
    const isReused = !isShared && !this.#busy.has(key);
    const id = isReused ? key : `${key}#${randomUUID()}`;
    if (isReused) {
      this.#busy.add(key);
      this.#clearIdle(key);
    }
    const held: Promise<unknown>[] = [];
    try {
      return await task(id, (until) => held.push(until));
    } finally {
      if (held.length === 0) this.#release(id);
      else void Promise.allSettled(held).then(() => this.#release(id));
    }
  }

  close(): void {
    for (const key of this.#idle.keys()) this.#clearIdle(key);
  }

  #release(id: string): void {
    if (!this.#busy.delete(id)) return this.#ended(id);
    const timer = setTimeout(() => {
      this.#idle.delete(id);
      this.#ended(id);
    }, idleTimeoutMs);
    this.#idle.set(id, timer.unref());
  }

  #clearIdle(key: string): void {
    clearTimeout(this.#idle.get(key));
    this.#idle.delete(key);
  }
}
