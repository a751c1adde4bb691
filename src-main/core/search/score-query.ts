/** Scores of all documents for one query: BM25F over the words, plus what a typed name is worth. */

import type { NameLookup } from './name-lookup.ts';
import type { NearWord } from './near-words.ts';
import type { Query } from './parse-query.ts';
import { porterStem } from './porter-stem.ts';
import type { Postings } from './postings.ts';
import type { Ranking } from './ranking.ts';
import { stemMark } from './segment.ts';

export interface Scorer {
  readonly postings: Postings;
  readonly names: NameLookup;
  readonly ranking: Ranking;
  /** Words for a word the vocabulary does not know. */
  readonly nearWords: (word: string) => readonly NearWord[];
}

/** One vocabulary term that a query word stands for. */
export interface QueryTerm {
  /** The word as it is shown to people: as asked, or the near word found instead. */
  readonly word: string;
  readonly term: number;
  readonly weight: number;
}

export interface Scores {
  readonly terms: readonly QueryTerm[];
  /** By document number; 0 is no match. */
  readonly score: Float64Array;
  /** Documents that the query names. */
  readonly named: ReadonlySet<number>;
}

export function scoreQuery(query: Query, scorer: Scorer): Scores {
  const { postings } = scorer;
  const terms = query.words.flatMap((word) => termsOf(word, scorer));
  const score = new Float64Array(postings.documents.length);
  let ceiling = 0;
  for (const { term, weight } of terms) {
    const worth = weight * (postings.rarity[term] ?? 0);
    ceiling += worth;
    const end = postings.start[term + 1] ?? 0;
    for (let posting = postings.start[term] ?? 0; posting < end; posting += 1) {
      const document = postings.document[posting] ?? 0;
      score[document] = (score[document] ?? 0) + worth * (postings.impact[posting] ?? 0);
    }
  }
  return { terms, score, named: addNameBonus(query, scorer, score, ceiling) };
}

function termsOf(word: string, { postings, ranking, nearWords }: Scorer): QueryTerm[] {
  const stem = postings.terms.get(stemMark + porterStem(word));
  const exact = postings.terms.get(word);
  const terms: QueryTerm[] = [];
  if (stem !== undefined) terms.push({ word, term: stem, weight: 1 });
  if (exact !== undefined) terms.push({ word, term: exact, weight: ranking.exactForm });
  if (terms.length > 0) return terms;
  for (const near of nearWords(word)) {
    const term = postings.terms.get(near.word);
    if (term !== undefined) terms.push({ word: near.word, term, weight: near.likeness });
  }
  return terms;
}

/**
 * A query that is a tool's name beats every match by words (`ceiling`). A name within a sentence, or the beginning of
 * one typed alone, is worth up to half of that.
 */
function addNameBonus(query: Query, { names }: Scorer, score: Float64Array, ceiling: number): Set<number> {
  const named = new Set(names.find(query.text));
  for (const document of named) score[document] = (score[document] ?? 0) + ceiling + 1;
  if (named.size === 0 && !/\s/.test(query.text)) {
    for (const [document, typed] of names.findBegun(query.text)) {
      score[document] = (score[document] ?? 0) + (typed * typed * (ceiling + 1)) / 2;
    }
  }
  for (const document of query.names.flatMap((name) => names.find(name))) {
    if (named.has(document)) continue;
    named.add(document);
    score[document] = (score[document] ?? 0) + ceiling / 2 + 1;
  }
  return named;
}
