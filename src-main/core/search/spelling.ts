/** A spelling that many others are compared with, to find those that it may be a typing error of. */
import { editDistance } from '../base/edit-distance.ts';

/** Letters that are alike in the last bits count as one: a few names more are then compared in full. */
const letterKinds = 64;

export class Spelling {
  readonly #text: string;
  readonly #least: number;
  /** How often each kind of letter occurs, and what is left of it while another spelling is compared. */
  readonly #letters = new Uint8Array(letterKinds);
  readonly #left = new Uint8Array(letterKinds);

  /** Likeness below `least` is given as 0. */
  constructor(text: string, least: number) {
    this.#text = text;
    this.#least = least;
    for (let i = 0; i < text.length; i += 1) {
      const kind = text.charCodeAt(i) % letterKinds;
      this.#letters[kind] = (this.#letters[kind] ?? 0) + 1;
    }
  }

  /** The part of the longer spelling that need not change, 0 to 1. */
  likeness(other: string): number {
    const longest = Math.max(this.#text.length, other.length);
    const limit = Math.floor(longest * (1 - this.#least));
    if (!this.#couldBe(other, limit)) return 0;
    const distance = editDistance(this.#text, other, limit);
    return distance > limit ? 0 : 1 - distance / longest;
  }

  /** Whether both have enough letters in common, wherever they stand. Cheap, and true of few: most names end here. */
  #couldBe(other: string, limit: number): boolean {
    if (Math.abs(this.#text.length - other.length) > limit) return false;
    const left = this.#left;
    left.set(this.#letters);
    let strange = 0;
    for (let i = 0; i < other.length && strange <= limit; i += 1) {
      const kind = other.charCodeAt(i) % letterKinds;
      const count = left[kind] ?? 0;
      if (count === 0) strange += 1;
      else left[kind] = count - 1;
    }
    return strange <= limit;
  }
}

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

/** Words of the vocabulary for a word that is not in it: those it begins, else those spelled almost like it. */
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
  readonly #byTrigram = new Map<string, (number[] | undefined)[]>();
  #indexed = 0;
  /** Trigrams that each word has in common with the one that is asked for; all zero between two questions. */
  #shared = new Uint8Array(0);

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

  /** At most so many as are worth comparing: those with the most trigrams in common first, and of equals in the order of words. */
  #sharingTrigrams(word: string, limit: number, isKnown: (word: string) => boolean): string[] {
    this.#indexTrigrams();
    const trigrams = trigramsOf(word);
    const shared = this.#shared;
    const touched: number[] = [];
    for (const trigram of trigrams) {
      const byLength = this.#byTrigram.get(trigram);
      if (byLength === undefined) continue;
      for (let length = word.length - limit; length <= word.length + limit; length += 1) {
        for (const candidate of byLength[length] ?? []) {
          const count = shared[candidate] as number;
          if (count === 0) touched.push(candidate);
          shared[candidate] = count + 1;
        }
      }
    }
    const least = Math.max(1, trigrams.size - trigramsPerEdit * limit);
    // Nearly all have one or two in common: those are neither asked about nor sorted while there are enough with more.
    const byCount: string[][] = Array.from({ length: trigrams.size + 1 }, () => []);
    for (const candidate of touched) {
      const count = shared[candidate] as number;
      if (count >= least) byCount[count]?.push(this.#words[candidate] as string);
      shared[candidate] = 0;
    }
    const found: string[] = [];
    for (let count = trigrams.size; count >= least && found.length < maxCompared; count -= 1) {
      found.push(...(byCount[count] ?? []).filter(isKnown).sort());
    }
    return found.slice(0, maxCompared);
  }

  #indexTrigrams(): void {
    if (this.#shared.length < this.#words.length) this.#shared = new Uint8Array(2 * this.#words.length);
    for (; this.#indexed < this.#words.length; this.#indexed += 1) {
      const word = this.#words[this.#indexed] ?? '';
      for (const trigram of trigramsOf(word)) {
        const byLength = this.#byTrigram.get(trigram) ?? [];
        if (byLength.length === 0) this.#byTrigram.set(trigram, byLength);
        (byLength[word.length] ??= []).push(this.#indexed);
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
