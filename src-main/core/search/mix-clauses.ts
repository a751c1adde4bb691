/**
 * Lists of needs and wordings ("make a pdf, export as pdf, draw a word cloud"): each part is ranked apart, and what a tool has of
 * them is mixed with what it has of the whole. Read as one text, the part with the rarest words drowns the others.
 */
import type { Postings } from './postings.ts';

interface WorthyTerm {
  readonly term: number;
  readonly worth: number;
}

/**
 * What counts, each as a part of the best tool's score. The mean of the parts is for wordings of one need, which agree on its tool;
 * the highest for several needs, of which a tool fits one; the whole says the less the more parts there are.
 */
const shares = { wholeOfOne: 6, mean: 1, highest: 0.5 };

export class ClauseMixer {
  // By document number, and all zero between two queries: made once, for a list takes several.
  #own = new Float64Array(0);
  #sum = new Float64Array(0);
  #highest = new Float64Array(0);

  /** `score` has the whole query's scores, `best` at the most, and gets the mixed ones, which are no higher. */
  mix(clauses: readonly (readonly WorthyTerm[])[], postings: Postings, score: Float64Array, best: number): void {
    if (this.#own.length < score.length) {
      this.#own = new Float64Array(score.length);
      this.#sum = new Float64Array(score.length);
      this.#highest = new Float64Array(score.length);
    }
    for (const terms of clauses) this.#add(terms, postings);
    const sum = this.#sum;
    const highest = this.#highest;
    const wholeShare = shares.wholeOfOne / clauses.length;
    const all = wholeShare + shares.mean + shares.highest;
    // What a part holds the whole holds as well, and both lists are as long as the scores.
    for (let document = 0; document < score.length; document += 1) {
      const whole = score[document] as number;
      if (whole === 0) continue;
      const mean = (sum[document] as number) / clauses.length;
      const parts = shares.mean * mean + shares.highest * (highest[document] as number);
      score[document] = (wholeShare * whole + best * parts) / all;
      sum[document] = 0;
      highest[document] = 0;
    }
  }

  #add(terms: readonly WorthyTerm[], postings: Postings): void {
    const own = this.#own;
    const sum = this.#sum;
    const highest = this.#highest;
    let best = 0;
    for (const { term, worth } of terms) best = Math.max(best, postings.addTo(own, term, worth));
    const { document } = postings;
    for (const { term } of terms) {
      const start = postings.start(term);
      const end = start + postings.holders(term);
      for (let posting = start; posting < end; posting += 1) {
        const number = document[posting] as number;
        const share = (own[number] as number) / best;
        // Another term of the part has been here.
        if (share === 0) continue;
        own[number] = 0;
        sum[number] = (sum[number] as number) + share;
        if (share > (highest[number] as number)) highest[number] = share;
      }
    }
  }
}
