/** A spelling that many others are compared with, to find those that it may be a typing error of. */

import { editDistance } from './edit-distance.ts';

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
