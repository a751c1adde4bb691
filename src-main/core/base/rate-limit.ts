/** How often something may happen: a number at once, then so many a second. */

export interface Rate {
  readonly atOnce: number;
  readonly perSecond: number;
}

export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** `now` in ms; by default the clock that never jumps. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#left = rate.atOnce;
    this.#at = now();
  }

  /** Whether it may happen once more now. */
  take(): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#rate.atOnce, this.#left + ((now - this.#at) / 1000) * this.#rate.perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
