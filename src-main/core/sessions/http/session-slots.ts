/**
 * Session ids for requests that belong to no session (2026-07-28 over HTTP): each request in flight has one to itself, so that what a
 * server asks can only be about that request; ids are used again, so that private connections are, too.
 */

const idleMs = 5 * 60_000;

export class SessionSlots {
  readonly #busy = new Map<string, Set<number>>();
  readonly #idle = new Map<string, NodeJS.Timeout>();
  readonly #ended: (id: string) => void;

  /** `ended` is called with an id that was not used for five minutes, or at once where it is for one request alone. */
  constructor(ended: (id: string) => void) {
    this.#ended = ended;
  }

  /**
   * `isShared`: nobody can tell whether the next request is of the same client, so that what the id has is not left to it. `hold` keeps
   * the id for something that goes on when the task is over.
   */
  async use<T>(
    { key, isShared }: { readonly key: string; readonly isShared: boolean },
    task: (id: string, hold: (until: Promise<unknown>) => void) => Promise<T>,
  ): Promise<T> {
    const busy = this.#busy.get(key) ?? new Set();
    this.#busy.set(key, busy);
    let slot = 0;
    while (busy.has(slot)) slot++;
    busy.add(slot);
    const id = `${key}#${slot}`;
    clearTimeout(this.#idle.get(id));
    const held: Promise<unknown>[] = [];
    const release = (): void => {
      busy.delete(slot);
      if (busy.size === 0) this.#busy.delete(key);
      if (isShared) this.#ended(id);
      else this.#idle.set(id, this.#endLater(id));
    };
    try {
      return await task(id, (until) => held.push(until));
    } finally {
      if (held.length === 0) release();
      else void Promise.allSettled(held).then(release);
    }
  }

  close(): void {
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
  }

  #endLater(id: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#idle.delete(id);
      this.#ended(id);
    }, idleMs).unref();
  }
}
