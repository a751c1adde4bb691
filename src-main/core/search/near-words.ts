/** Words of the vocabulary for a word that is not in it: those it begins, else those spelled almost like it. */

import { editDistance } from './edit-distance.ts';
import { lowerBound } from './sorted-words.ts';

export interface NearWord {
  readonly word: string;
  /** 0 to 1. */
  readonly likeness: number;
}

const maxNear = 8;
/** Candidates whose spelling is compared letter by letter. */
const maxCompared = 48;

export class NearWords {
  readonly #sorted: readonly string[];
  #byTrigram: Map<string, number[]> | undefined;

  constructor(words: Iterable<string>) {
    this.#sorted = [...words].sort();
  }

  /** The best first, at most eight. */
  find(word: string): NearWord[] {
    const begun = this.#begunBy(word);
    return begun.length > 0 ? begun : this.#spelledLike(word);
  }

  #begunBy(word: string): NearWord[] {
    // Two letters begin too many words to mean one; in Han and kana a single character is a word.
    if (/^[\u0000-\u024f]{1,2}$/.test(word)) return [];
    const found: string[] = [];
    for (let i = lowerBound(this.#sorted, word); i < this.#sorted.length; i += 1) {
      const candidate = this.#sorted[i] ?? '';
      if (!candidate.startsWith(word)) break;
      found.push(candidate);
    }
    return best(
      found.map((candidate) => ({ word: candidate, likeness: 0.5 + (0.5 * word.length) / candidate.length })),
    );
  }

  #spelledLike(word: string): NearWord[] {
    if (word.length < 4) return [];
    const limit = word.length < 8 ? 1 : 2;
    const near: NearWord[] = [];
    for (const candidate of this.#sharingTrigrams(word, limit)) {
      const distance = editDistance(word, candidate, limit);
      if (distance <= limit) near.push({ word: candidate, likeness: 1 - (0.5 * distance) / limit });
    }
    return best(near);
  }

  #sharingTrigrams(word: string, limit: number): string[] {
    const shared = new Map<number, number>();
    const index = (this.#byTrigram ??= indexTrigrams(this.#sorted));
    for (const trigram of new Set(trigramsOf(word))) {
      for (const candidate of index.get(trigram) ?? []) shared.set(candidate, (shared.get(candidate) ?? 0) + 1);
    }
    return [...shared]
      .filter(([candidate]) => Math.abs((this.#sorted[candidate] ?? '').length - word.length) <= limit)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, maxCompared)
      .map(([candidate]) => this.#sorted[candidate] ?? '');
  }
}

function best(near: NearWord[]): NearWord[] {
  return near.sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1)).slice(0, maxNear);
}

function indexTrigrams(words: readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  words.forEach((word, number) => {
    for (const trigram of new Set(trigramsOf(word))) {
      const list = index.get(trigram);
      if (list === undefined) index.set(trigram, [number]);
      else list.push(number);
    }
  });
  return index;
}

function trigramsOf(word: string): string[] {
  const padded = ` ${word} `;
  return Array.from({ length: padded.length - 2 }, (_, i) => padded.slice(i, i + 3));
}
