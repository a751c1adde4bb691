/** Limits how often a live list is refreshed: nobody can read faster, and rendering takes time. Pure. */

/** Approximate reading speed. */
const rowsASecond = 50;

export class RowThrottle {
  #nextAt = 0;

  /** Records that rows were added; times in ms. */
  drew(rows: number, now: number): void {
    this.#nextAt = now + (rows / rowsASecond) * 1000;
  }

  /** Time to wait in ms from `now`; 0 if rows arrive slowly. */
  wait(now: number): number {
    return Math.max(0, this.#nextAt - now);
  }
}
