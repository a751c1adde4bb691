/** Words of the vocabulary for a word that is not in it: those it begins, else those spelled almost like it. */

import { editDistance } from './edit-distance.ts';
import { SortedWords } from './sorted-words.ts';

export interface NearWord {
  readonly word: string;
  /** 0 to 1. */
  readonly likeness: number;
}

const maxNear = 8;
/** Candidates whose spelling is compared letter by letter. */
const maxCompared = 48;
/** An edit changes so many of a word's trigrams at the most; swapping two neighbours one more. */
const trigramsPerEdit = 4;

export class NearWords {
  readonly #words: string[] = [];
  readonly #sorted = new SortedWords();
  /** By trigram and length of the word, so that words too long or too short are not looked at. Filled at the first need. */
  readonly #byTrigram = new Map<string, number[]>();
  #indexed = 0;

  /** None may be added twice. */
  add(word: string): void {
    this.#words.push(word);
    this.#sorted.add(word);
  }

  /** The best first, at most eight. Only words for which `isKnown` says yes: some may have left the catalog. */
  find(word: string, isKnown: (word: string) => boolean): NearWord[] {
    const begun = this.#begunBy(word, isKnown);
    return begun.length > 0 ? begun : this.#spelledLike(word, isKnown);
  }

  #begunBy(word: string, isKnown: (word: string) => boolean): NearWord[] {
    // Two letters begin too many words to mean one; in Han and kana a single character is a word.
    if (/^[\u0000-\u024f]{1,2}$/.test(word)) return [];
    const found: NearWord[] = [];
    for (const candidate of this.#sorted.beginningWith(word)) {
      if (isKnown(candidate)) found.push({ word: candidate, likeness: 0.5 + (0.5 * word.length) / candidate.length });
    }
    return best(found);
  }

  #spelledLike(word: string, isKnown: (word: string) => boolean): NearWord[] {
    if (word.length < 4) return [];
    const limit = word.length < 8 ? 1 : 2;
    const near: NearWord[] = [];
    for (const candidate of this.#sharingTrigrams(word, limit, isKnown)) {
      const distance = editDistance(word, candidate, limit);
      if (distance <= limit) near.push({ word: candidate, likeness: 1 - (0.5 * distance) / limit });
    }
    return best(near);
  }

  #sharingTrigrams(word: string, limit: number, isKnown: (word: string) => boolean): string[] {
    this.#indexTrigrams();
    const trigrams = trigramsOf(word);
    const shared = new Map<number, number>();
    for (const trigram of trigrams) {
      for (let length = word.length - limit; length <= word.length + limit; length += 1) {
        for (const candidate of this.#byTrigram.get(`${trigram}${length}`) ?? []) {
          shared.set(candidate, (shared.get(candidate) ?? 0) + 1);
        }
      }
    }
    const least = Math.max(1, trigrams.size - trigramsPerEdit * limit);
    return [...shared]
      .filter(([, count]) => count >= least)
      .map(([candidate, count]) => ({ word: this.#words[candidate] ?? '', count }))
      .filter((candidate) => isKnown(candidate.word))
      .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
      .slice(0, maxCompared)
      .map((candidate) => candidate.word);
  }

  #indexTrigrams(): void {
    for (; this.#indexed < this.#words.length; this.#indexed += 1) {
      const word = this.#words[this.#indexed] ?? '';
      for (const trigram of trigramsOf(word)) {
        const key = `${trigram}${word.length}`;
        const holders = this.#byTrigram.get(key);
        if (holders === undefined) this.#byTrigram.set(key, [this.#indexed]);
        else holders.push(this.#indexed);
      }
    }
  }
}

function best(near: NearWord[]): NearWord[] {
  return near.sort((a, b) => b.likeness - a.likeness || (a.word < b.word ? -1 : 1)).slice(0, maxNear);
}

function trigramsOf(word: string): Set<string> {
  const padded = ` ${word} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, i) => padded.slice(i, i + 3)));
}
