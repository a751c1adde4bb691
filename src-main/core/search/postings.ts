/**
 * For every term the documents that hold it, with what it says there. All lie in three long typed arrays, each term's
 * in one stretch with room to grow: a query reads straight on, and a change touches the terms of one server only.
 */

import type { Segment } from './segment.ts';
import type { Tally } from './tally.ts';
import { porterStem } from './words.ts';

/** Marks a stem in the vocabulary; no word holds it. */
export const stemMark = '~';

const firstRoom = 1 << 12;

export class Postings {
  readonly #numbers = new Map<string, number>();
  #terms: string[] = [];
  /** Where each term's stretch begins, how much of it is used, and how much fits. */
  #start = new Uint32Array(firstRoom);
  #length = new Uint32Array(firstRoom);
  #room = new Uint32Array(firstRoom);
  /** Of each word the number of its stem, plus one; 0 where nobody has asked. */
  #stem = new Uint32Array(firstRoom);
  #end = 0;
  /** Stretches that were left for longer ones, by the power of two that fits: the next term that grows so far takes one. */
  #left: number[][] = [];
  /** Postings in use, and terms that have any. */
  #held = 0;
  #usedTerms = 0;
  #document = new Uint32Array(firstRoom);
  #impact = new Float32Array(firstRoom);
  #fields = new Uint8Array(firstRoom);

  /** Document numbers, ascending within a term. Replaced as it grows: not to be kept. */
  get document(): Uint32Array {
    return this.#document;
  }

  /** Saturated weight of the term in the document, 0 to 1. */
  get impact(): Float32Array {
    return this.#impact;
  }

  /** Bit per field the term occurs in. */
  get fields(): Uint8Array {
    return this.#fields;
  }

  /** All terms that ever were; some may have no document any more. */
  get terms(): readonly string[] {
    return this.#terms;
  }

  /** Whether far more lies unused than is used. */
  get isWasteful(): boolean {
    return this.#end > 4 * this.#held + firstRoom || this.#terms.length > 2 * this.#usedTerms + firstRoom;
  }

  /** Number of a term that some document holds. */
  find(term: string): number | undefined {
    const number = this.#numbers.get(term);
    return number !== undefined && this.holders(number) > 0 ? number : undefined;
  }

  /** The same of a stem, by a word that has it. */
  findStem(word: string): number | undefined {
    const number = this.#numbers.get(word);
    if (number === undefined) return this.find(stemMark + porterStem(word));
    const stem = this.ofStem(number, word);
    return this.holders(stem) > 0 ? stem : undefined;
  }

  /** How many documents hold the term. */
  holders(term: number): number {
    return this.#length[term] ?? 0;
  }

  /** First posting of the term; its others follow. */
  start(term: number): number {
    return this.#start[term] ?? 0;
  }

  /** First posting of the term for this document or a later one; the end of its postings where there is none. */
  lowerBound(term: number, document: number): number {
    let low = this.start(term);
    let high = low + this.holders(term);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#document[middle] ?? 0) < document) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Adds to the score of each document that holds the term what the term is worth there. Returns the highest of these scores. */
  addTo(tally: Tally, term: number, worth: number): number {
    const start = this.start(term);
    return tally.addAll(this.#document, this.#impact, start, start + this.holders(term), worth);
  }

  /** Adds a server's documents under the numbers from `first` on, none of which may be in use. Its terms have numbers of this index. */
  insert(segment: Segment, first: number): void {
    segment.terms.forEach((term, local) => {
      const from = segment.start[local] ?? 0;
      const count = (segment.start[local + 1] ?? 0) - from;
      let posting = this.#makeRoom(term, first, count);
      for (let i = from; i < from + count; i += 1, posting += 1) {
        this.#document[posting] = first + (segment.document[i] ?? 0);
        this.#impact[posting] = segment.impact[i] ?? 0;
        this.#fields[posting] = segment.fields[i] ?? 0;
      }
    });
  }

  /** Takes the documents from `first` up to, not including, `end` out of these terms. */
  remove(terms: Uint32Array, first: number, end: number): void {
    for (const term of terms) {
      const from = this.lowerBound(term, first);
      const to = this.lowerBound(term, end);
      this.#move(to, from, this.start(term) + this.holders(term));
      this.#setLength(term, this.holders(term) - (to - from));
    }
  }

  /** The same without gaps and unused terms. Takes the new number of each document, gives that of each term. */
  compacted(documents: Uint32Array): { postings: Postings; terms: Uint32Array } {
    const postings = new Postings();
    const terms = new Uint32Array(this.#terms.length);
    this.#terms.forEach((text, old) => {
      const count = this.holders(old);
      if (count === 0) return;
      const from = this.start(old);
      const term = postings.ofWord(text);
      terms[old] = term;
      const to = postings.#makeRoom(term, 0, count);
      for (let i = 0; i < count; i += 1) postings.#document[to + i] = documents[this.#document[from + i] ?? 0] ?? 0;
      postings.#impact.set(this.#impact.subarray(from, from + count), to);
      postings.#fields.set(this.#fields.subarray(from, from + count), to);
    });
    return { postings, terms };
  }

  /** Number of a word, given to it now where it has none. */
  ofWord(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#terms.push(word) - 1;
    this.#numbers.set(word, number);
    if (number === this.#start.length) {
      this.#start = grown(this.#start, number + 1);
      this.#length = grown(this.#length, number + 1);
      this.#room = grown(this.#room, number + 1);
      this.#stem = grown(this.#stem, number + 1);
    }
    return number;
  }

  /** The same of the stem of a word, whose number is told: it is stemmed once. */
  ofStem(number: number, word: string): number {
    const known = this.#stem[number] ?? 0;
    if (known > 0) return known - 1;
    const stem = this.ofWord(stemMark + porterStem(word));
    this.#stem[number] = stem + 1;
    return stem;
  }

  /** Opens a gap of `count` postings where `document` belongs; returns its place. */
  #makeRoom(term: number, document: number, count: number): number {
    const length = this.holders(term);
    if (length + count > (this.#room[term] ?? 0)) this.#moveOut(term, length + count);
    const gap = this.lowerBound(term, document);
    this.#move(gap, gap + count, this.start(term) + length);
    this.#setLength(term, length + count);
    return gap;
  }

  #setLength(term: number, length: number): void {
    const before = this.holders(term);
    this.#held += length - before;
    this.#usedTerms += Math.sign(length) - Math.sign(before);
    this.#length[term] = length;
  }

  /** Moves a term to a stretch that fits: 1, 2, 4, 8… postings. Most terms are of one tool and stay alone. */
  #moveOut(term: number, needed: number): void {
    const size = 32 - Math.clz32(needed - 1);
    const stretch = this.#left[size]?.pop() ?? this.#newStretch(1 << size);
    const before = this.start(term);
    this.#move(before, stretch, before + this.holders(term));
    const room = this.#room[term] ?? 0;
    if (room > 0) (this.#left[31 - Math.clz32(room)] ??= []).push(before);
    this.#start[term] = stretch;
    this.#room[term] = 1 << size;
  }

  #newStretch(room: number): number {
    const stretch = this.#end;
    this.#end += room;
    if (this.#end > this.#document.length) {
      this.#document = grown(this.#document, this.#end);
      this.#impact = grown(this.#impact, this.#end);
      this.#fields = grown(this.#fields, this.#end);
    }
    return stretch;
  }

  /** Moves the postings from `from` up to `end`. */
  #move(from: number, to: number, end: number): void {
    if (from === to || from === end) return;
    this.#document.copyWithin(to, from, end);
    this.#impact.copyWithin(to, from, end);
    this.#fields.copyWithin(to, from, end);
  }
}

function grown<T extends Uint32Array | Float32Array | Uint8Array>(array: T, least: number): T {
  const longer = new (array.constructor as new (length: number) => T)(Math.max(least, array.length * 2));
  longer.set(array);
  return longer;
}
