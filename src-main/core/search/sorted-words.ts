/** Words in order (of code units), to find those that begin with something. Words are added now and then, and looked up often. */

export class SortedWords {
  #sorted: string[] = [];
  #fresh: string[] = [];

  /** None may be added twice. */
  add(word: string): void {
    this.#fresh.push(word);
  }

  *beginningWith(start: string): Generator<string> {
    this.#sortIn();
    for (let i = lowerBound(this.#sorted, start); i < this.#sorted.length; i += 1) {
      const word = this.#sorted[i] ?? '';
      if (!word.startsWith(start)) return;
      yield word;
    }
  }

  #sortIn(): void {
    if (this.#fresh.length === 0) return;
    const merged: string[] = [];
    let next = 0;
    for (const word of this.#fresh.sort()) {
      const place = lowerBound(this.#sorted, word);
      for (; next < place; next += 1) merged.push(this.#sorted[next] ?? '');
      merged.push(word);
    }
    for (; next < this.#sorted.length; next += 1) merged.push(this.#sorted[next] ?? '');
    this.#sorted = merged;
    this.#fresh = [];
  }
}

/** Index of the first word that does not sort before this one; the length where all do. */
function lowerBound(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
