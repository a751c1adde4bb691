/** Scores by document number, with a list of the documents that have any: what a query does not touch, nobody reads over. */
export class Tally {
  /** 0 is no match. */
  readonly score: Float64Array;
  readonly #numbers: Uint32Array;
  #count = 0;

  constructor(documents: number) {
    this.score = new Float64Array(documents);
    this.#numbers = new Uint32Array(documents);
  }

  /** How many documents have a score. */
  get count(): number {
    return this.#count;
  }

  /** Their numbers, in the order in which they were found. */
  get numbers(): Uint32Array {
    return this.#numbers.subarray(0, this.#count);
  }

  /** `worth` must be above 0. Returns the document's score now. */
  add(number: number, worth: number): number {
    const before = this.score[number] ?? 0;
    if (before === 0) this.#numbers[this.#count++] = number;
    return (this.score[number] = before + worth);
  }

  /**
   * Adds what a term is worth to each of these documents, from the posting `start` up to `end`, by what it says there (`impact`). Returns
   * the highest of their scores.
   */
  addAll(document: Uint32Array, impact: Float32Array, start: number, end: number, worth: number): number {
    const score = this.score;
    const numbers = this.#numbers;
    let count = this.#count;
    let best = 0;
    // Both lists are longer than that, and every number is that of a document.
    for (let posting = start; posting < end; posting += 1) {
      const number = document[posting] as number;
      const before = score[number] as number;
      if (before === 0) numbers[count++] = number;
      const now = before + worth * (impact[posting] as number);
      score[number] = now;
      if (now > best) best = now;
    }
    this.#count = count;
    return best;
  }

  /** All scores are 0 again. */
  clear(): void {
    for (const number of this.numbers) this.score[number] = 0;
    this.#count = 0;
  }
}
