/**
 * Lists of needs and wordings ("make a pdf, export as pdf, draw a word cloud"): each part is ranked apart, and what a tool has of
 * them is mixed with what it has of the whole. Read as one text, the part with the rarest words drowns the others.
 */
import type { Postings } from './postings.ts';
import { Tally } from './tally.ts';

interface WorthyTerm {
  readonly term: number;
  readonly worth: number;
}

/**
 * What counts, each as a part of the best tool's score. The mean of the parts is for wordings of one need, which agree on its tool;
 * the highest for several needs, of which a tool fits one; the whole says the less the more parts there are. With more of the whole, of two
 * short needs the one with the rarer words has its second best tool before the best of the other.
 */
const shares = { wholeOfOne: 3, mean: 1, highest: 0.5 };

export class ClauseMixer {
  // Empty between two queries: made once, for a list takes several.
  #own = new Tally(0);
  #sum = new Float64Array(0);
  #highest = new Float64Array(0);

  /** `whole` has the whole query's scores, `best` at the most, and gets the mixed ones, which are no higher. */
  mix(clauses: readonly (readonly WorthyTerm[])[], postings: Postings, whole: Tally, best: number): void {
    const { score, numbers } = whole;
    if (this.#sum.length < score.length) {
      this.#own = new Tally(score.length);
      this.#sum = new Float64Array(score.length);
      this.#highest = new Float64Array(score.length);
    }
    for (const terms of clauses) this.#add(terms, postings);
    const sum = this.#sum;
    const highest = this.#highest;
    const wholeShare = shares.wholeOfOne / clauses.length;
    const all = wholeShare + shares.mean + shares.highest;
    // What a part holds the whole holds as well.
    for (const number of numbers) {
      const mean = (sum[number] as number) / clauses.length;
      const parts = shares.mean * mean + shares.highest * (highest[number] as number);
      score[number] = (wholeShare * (score[number] as number) + best * parts) / all;
      sum[number] = 0;
      highest[number] = 0;
    }
  }

  #add(terms: readonly WorthyTerm[], postings: Postings): void {
    const own = this.#own;
    const sum = this.#sum;
    const highest = this.#highest;
    let best = 0;
    for (const { term, worth } of terms) best = Math.max(best, postings.addTo(own, term, worth));
    for (const number of own.numbers) {
      const share = (own.score[number] as number) / best;
      sum[number] = (sum[number] as number) + share;
      if (share > (highest[number] as number)) highest[number] = share;
    }
    own.clear();
  }
}
