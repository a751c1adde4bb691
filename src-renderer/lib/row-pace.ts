/**
 * How soon a live list is read again: nobody reads rows that are gone at once, and drawing them costs the page its
 * frames. Pure.
 */

/** About as many as a user sees come by. */
const rowsASecond = 50;

export class RowThrottle {
  #nextAt = 0;

  /** So many rows were put in; times in ms. */
  drew(rows: number, now: number): void {
    this.#nextAt = now + (rows / rowsASecond) * 1000;
  }

  /** In ms, from `now` on: none while rows come one by one. */
  wait(now: number): number {
    return Math.max(0, this.#nextAt - now);
  }
}
