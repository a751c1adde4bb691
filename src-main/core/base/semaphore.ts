/** Limits the number of concurrent operations; others are queued. */

export class Semaphore {
  #free: number;
  readonly #line = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Resolves with true once a slot is held, with false if the signal is aborted before. */
  acquire(signal?: AbortSignal): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve(true);
    }
    if (signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#line.delete(enter);
        resolve(false);
      };
      this.#line.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the slot to the first in the queue. */
  release(): void {
    const [next] = this.#line;
    if (next === undefined) this.#free++;
    else this.#line.delete(next);
    next?.();
  }
}

/** Slots that owners take in turns: an owner with many requests waits only for itself, and never holds all slots. */
export class FairSemaphore<Owner> {
  readonly #maxHeld: number;
  #free: number;
  readonly #held = new Map<Owner, number>();
  /** Queued requests by owner; the next owner comes first. */
  readonly #lines = new Map<Owner, Set<() => void>>();

  /** One owner holds at most half of the slots, rounded up. */
  constructor(slots: number) {
    this.#free = slots;
    this.#maxHeld = Math.ceil(slots / 2);
  }

  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  waitingFor(owner: Owner): number {
    return this.#lines.get(owner)?.size ?? 0;
  }

  /** Resolves with true once a slot is held, with false if the signal is aborted before. */
  acquire(owner: Owner, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const line = this.#lines.get(owner) ?? new Set();
      this.#lines.set(owner, line);
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        line.delete(enter);
        this.#forget(owner, line);
        resolve(false);
      };
      line.add(enter);
      signal.addEventListener('abort', leave, { once: true });
      this.#admit();
    });
  }

  release(owner: Owner): void {
    const held = (this.#held.get(owner) ?? 1) - 1;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
    this.#free++;
    this.#admit();
  }

  #admit(): void {
    for (const [owner, line] of [...this.#lines]) {
      const held = this.#held.get(owner) ?? 0;
      const [next] = line;
      if (this.#free === 0) return;
      if (next === undefined || held >= this.#maxHeld) continue;
      this.#free--;
      this.#held.set(owner, held + 1);
      line.delete(next);
      // Moves the owner to the end of the queue.
      this.#lines.delete(owner);
      if (line.size > 0) this.#lines.set(owner, line);
      next();
    }
  }

  #forget(owner: Owner, line: ReadonlySet<unknown>): void {
    if (line.size === 0 && this.#lines.get(owner) === line) this.#lines.delete(owner);
  }
}

// A rate limit: a burst, then a number per second.

export interface Rate {
  readonly atOnce: number;
  readonly perSecond: number;
}

export class RateLimiter {
  readonly #rate: Rate;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** `now`: in ms; default: a monotonic clock. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#left = rate.atOnce;
    this.#at = now();
  }

  /** Returns whether the rate limit permits another one now. */
  tryAcquire(): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#rate.atOnce, this.#left + ((now - this.#at) / 1000) * this.#rate.perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
