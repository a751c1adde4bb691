/**
 * Which words a session has seen, and where first: hashes in two flat arrays, 12 bytes a word at the most, no texts. A word may be an
 * address, a host, an account or anything else that a later call names. Bounded: once it is full it says so and takes nothing more.
 */

const emptySlots = 1024;
/** Slots are filled to this part at the most. */
const load = 0.5;

export class WordTable {
  readonly #most: number;
  #hashes = new Int32Array(emptySlots);
  #sources = new Uint16Array(emptySlots);
  #count = 0;
  #isFull = false;

  /** `most`: words it takes. */
  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#hashes.byteLength + this.#sources.byteLength;
  }

  /** A word was not taken: what is not in here may have been seen all the same. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** `source` from 0 to 65,534. What was seen before stays as it was. */
  add(hash: number, source: number): void {
    const at = this.#slot(hash);
    if (this.#sources[at] !== 0) return;
    if (this.#count >= this.#most) {
      this.#isFull = true;
      return;
    }
    this.#hashes[at] = hash;
    this.#sources[at] = source + 1;
    this.#count++;
    if (this.#count > this.#hashes.length * load) this.#grow();
  }

  /** Where it was seen first; undefined: nowhere. */
  sourceOf(hash: number): number | undefined {
    const source = this.#sources[this.#slot(hash)] ?? 0;
    return source === 0 ? undefined : source - 1;
  }

  has(hash: number): boolean {
    return this.#sources[this.#slot(hash)] !== 0;
  }

  #slot(hash: number): number {
    const mask = this.#hashes.length - 1;
    let at = Math.imul(hash, 0x9e3779b1) & mask;
    while (this.#sources[at] !== 0 && this.#hashes[at] !== hash) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [hashes, sources] = [this.#hashes, this.#sources];
    this.#hashes = new Int32Array(hashes.length * 2);
    this.#sources = new Uint16Array(hashes.length * 2);
    for (let from = 0; from < hashes.length; from++) {
      if (sources[from] === 0) continue;
      const at = this.#slot(hashes[from] as number);
      this.#hashes[at] = hashes[from] as number;
      this.#sources[at] = sources[from] as number;
    }
  }
}

/**
 * Runs of four words (and single codes) of private data, as hashes. When it is full every second one goes, by its hash, so that
 * what is left is spread over all that was read: a long text that leaves is still found, a short one maybe not.
 */
export class ShingleSketch {
  readonly #most: number;
  readonly #kept = new Set<number>();
  #rate = 1;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#kept.size;
  }

  /** 1: every shingle is kept; 2: every second one, and so on. */
  get rate(): number {
    return this.#rate;
  }

  add(hash: number): void {
    if (hash % this.#rate !== 0) return;
    this.#kept.add(hash);
    if (this.#kept.size <= this.#most) return;
    this.#rate *= 2;
    for (const kept of this.#kept) if (kept % this.#rate !== 0) this.#kept.delete(kept);
  }

  has(hash: number): boolean {
    return this.#kept.has(hash);
  }
}
