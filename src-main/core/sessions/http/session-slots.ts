/**
 * Session ids for requests that belong to no session (2026-07-28 over HTTP): each request in flight has one to itself, so that what a
 * server asks can only be about that request; ids are used again, so that private connections are, too.
 */

const idleMs = 5 * 60_000;

export class SessionSlots {
  readonly #busy = new Map<string, Set<number>>();
  /** Since when, on the clock that times are measured with, in ms; the one that has been idle longest comes first. */
  readonly #idle = new Map<string, number>();
  /** One for all: a timer for each was made and taken back with every request. */
  #timer: NodeJS.Timeout | undefined;
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
    this.#idle.delete(id);
    const held: Promise<unknown>[] = [];
    const release = (): void => {
      busy.delete(slot);
      if (busy.size === 0) this.#busy.delete(key);
      if (isShared) this.#ended(id);
      else this.#endLater(id);
    };
    try {
      return await task(id, (until) => held.push(until));
    } finally {
      if (held.length === 0) release();
      else void Promise.allSettled(held).then(release);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#idle.clear();
  }

  #endLater(id: string): void {
    this.#idle.set(id, performance.now());
    this.#timer ??= setTimeout(() => this.#endIdle(), idleMs).unref();
  }

  #endIdle(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [id, since] of this.#idle) {
      const left = since + idleMs - now;
      if (left > 0) {
        this.#timer = setTimeout(() => this.#endIdle(), Math.ceil(left)).unref();
        return;
      }
      this.#idle.delete(id);
      this.#ended(id);
    }
  }
}
