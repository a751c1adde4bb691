/**
 * The time limits of many requests on one timer. A timer for each, set and cleared within the fraction of a millisecond
 * that a call takes, was the dearest part of the call: each made and dropped the event loop's list for that duration.
 */

export interface Deadline {
  readonly ms: number;
  readonly expire: () => void;
  /** By the clock of performance.now(). */
  at: number;
}

export class Deadlines {
  readonly #watched = new Set<Deadline>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  /** Calls `expire` in `ms`, unless touched or forgotten before. Keeps no process alive. */
  watch(ms: number, expire: () => void): Deadline {
    const deadline: Deadline = { ms, expire, at: performance.now() + ms };
    this.#watched.add(deadline);
    this.#arm(deadline.at);
    return deadline;
  }

  /** Starts its time anew. */
  touch(deadline: Deadline): void {
    // It only moves away, so the timer still comes early enough.
    deadline.at = performance.now() + deadline.ms;
  }

  forget(deadline: Deadline): void {
    this.#watched.delete(deadline);
  }

  /** Forgets all. */
  stop(): void {
    this.#watched.clear();
    clearTimeout(this.#timer);
  }

  #arm(at: number): void {
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#ring(), Math.max(1, Math.ceil(at - performance.now()))).unref();
  }

  #ring(): void {
    this.#timerAt = Infinity;
    const now = performance.now();
    for (const deadline of [...this.#watched].filter(({ at }) => at <= now)) {
      this.#watched.delete(deadline);
      deadline.expire();
    }
    for (const { at } of this.#watched) this.#arm(at);
  }
}
