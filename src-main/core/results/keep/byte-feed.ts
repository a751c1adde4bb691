/** Copies chunks of any size into pieces of one size, a piece at a time. */

export class ByteFeed {
  readonly #chunks: readonly Uint8Array[];
  #chunk = 0;
  #at = 0;

  constructor(chunks: readonly Uint8Array[]) {
    this.#chunks = chunks;
  }

  /** Fills `target` as far as there are bytes; answers how many. */
  fill(target: Uint8Array): number {
    let used = 0;
    for (let chunk = this.#chunks[this.#chunk]; chunk !== undefined && used < target.length;) {
      const piece = chunk.subarray(this.#at, this.#at + target.length - used);
      target.set(piece, used);
      used += piece.length;
      this.#at += piece.length;
      if (this.#at < chunk.length) break;
      this.#at = 0;
      chunk = this.#chunks[++this.#chunk];
    }
    return used;
  }
}
