/** Memory for answers that wait to be fetched: one measure for all sessions together. */

const mostBytes = 64 * 1024 * 1024;

export class AnswerRoom {
  readonly #most: number;
  #taken = 0;

  constructor(most = mostBytes) {
    this.#most = most;
  }

  /** Whether there was room; what was taken has to be given back. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#most) return false;
    this.#taken += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
  }
}
