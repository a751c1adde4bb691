/** Scores of all documents for one query: BM25F over the words, plus what a typed name is worth. */
import type { Postings } from './postings.ts';
import { fieldNames } from './segment.ts';
import type { Tally } from './tally.ts';
import type { ToolStore } from './tool-store.ts';
import type { Query } from './words.ts';

/** One vocabulary term that a query word stands for. */
interface QueryTerm {
  /** The word as it is shown to people: as asked, or the near word found instead. */
  readonly word: string;
  readonly term: number;
  readonly weight: number;
}

export interface Scores {
  readonly terms: readonly QueryTerm[];
  readonly tally: Tally;
  /** Documents that the query names. */
  readonly named: ReadonlySet<number>;
}

export function scoreQuery(query: Query, store: ToolStore): Scores {
  const { postings, size } = store;
  const byWord = new Map(query.words.map(({ word, weight }) => [word, termsOf(word, weight, store)]));
  const terms = distinct([...byWord.values()].flat());
  const worthOf = ({ term, weight }: QueryTerm): number => weight * rarity(postings.holders(term), size);
  const tally = store.takeTally();
  let ceiling = 0;
  let best = 0;
  for (const one of terms) {
    const worth = worthOf(one);
    ceiling += worth;
    best = Math.max(best, postings.addTo(tally, one.term, worth));
  }
  if (query.clauses.length > 0) {
    const clauses = query.clauses.map((words) => {
      const own = distinct(words.flatMap(({ word }) => byWord.get(word) ?? []));
      return own.map((one) => ({ term: one.term, worth: worthOf(one) }));
    });
    store.clauseMixer.mix(clauses, postings, tally, best);
  }
  return { terms, tally, named: addNameBonus(query, store, tally, ceiling) };
}

/** Inverse document frequency. */
function rarity(holders: number, documents: number): number {
  return Math.log(1 + (documents - holders + 0.5) / (holders + 0.5));
}

function termsOf(word: string, weight: number, store: ToolStore): QueryTerm[] {
  const { postings, ranking } = store;
  const stem = postings.findStem(word);
  const exact = postings.find(word);
  const terms: QueryTerm[] = [];
  if (stem !== undefined) terms.push({ word, term: stem, weight });
  if (exact !== undefined) terms.push({ word, term: exact, weight: weight * ranking.exactForm });
  if (terms.length > 0) return terms;
  for (const near of store.nearWords(word)) {
    const term = postings.find(near.word);
    if (term !== undefined) terms.push({ word: near.word, term, weight: weight * near.likeness });
  }
  return terms;
}

/** Two forms of a word in one query ("quotes", "a quote") have one stem, which counts once. */
function distinct(terms: readonly QueryTerm[]): QueryTerm[] {
  const byTerm = new Map<number, QueryTerm>();
  for (const one of terms) {
    const known = byTerm.get(one.term);
    if (known === undefined || known.weight < one.weight) byTerm.set(one.term, one);
  }
  return [...byTerm.values()];
}

/**
 * A query that is a tool's name beats every match by words (`ceiling`). A name within a sentence, or the beginning of
 * one typed alone, is worth up to half of that.
 */
function addNameBonus(query: Query, { names }: ToolStore, tally: Tally, ceiling: number): Set<number> {
  const named = new Set(names.find(query.text));
  for (const document of named) tally.add(document, ceiling + 1);
  if (named.size === 0 && !/\s/.test(query.text)) {
    for (const [document, typed] of names.findBegun(query.text)) {
      tally.add(document, (typed * typed * (ceiling + 1)) / 2);
    }
  }
  for (const document of query.names.flatMap((name) => names.find(name))) {
    if (named.has(document)) continue;
    named.add(document);
    tally.add(document, ceiling / 2 + 1);
  }
  return named;
}

// Why a document was found: the query's words by the field they stand in.

/** Like `name: read, file; parameter: path`. Each word is shown once, in its weightiest field. */
export function explainMatch(document: number, scores: Scores, postings: Postings): string {
  const words = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { word, term } of scores.terms) {
    const fields = seen.has(word) ? 0 : fieldsOf(document, term, postings);
    const field = fieldNames.find((_, bit) => (fields & (1 << bit)) !== 0);
    if (field === undefined) continue;
    seen.add(word);
    words.set(field, [...(words.get(field) ?? []), word]);
  }
  const parts = fieldNames
    .filter((field) => words.has(field))
    .map((field) => `${field}: ${words.get(field)?.join(', ')}`);
  return (scores.named.has(document) ? ['exact name', ...parts] : parts).join('; ');
}

function fieldsOf(document: number, term: number, postings: Postings): number {
  const posting = postings.lowerBound(term, document);
  const isHeld = posting < postings.start(term) + postings.holders(term) && postings.document[posting] === document;
  return isHeld ? (postings.fields[posting] ?? 0) : 0;
}
