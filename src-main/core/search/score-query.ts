/** Scores all tools for one query: BM25F over its words, plus a bonus for a typed name. */
import type { NameLookup } from './name-lookup.ts';
import { type IndexedTool, type Postings, stemTerm } from './postings.ts';
import { fieldTexts, searchFields } from './search-document.ts';
import { type Query, type QueryWord, tokenize } from './word-hashes.ts';

/** One term of the index that a word of the query stands for. */
interface QueryTerm {
  /** The word as it is shown to users: as asked, or the near word found instead. */
  readonly word: string;
  readonly term: string;
  readonly weight: number;
}

export interface Scores {
  readonly terms: readonly QueryTerm[];
  /** The tools that match, with their scores (above 0). */
  readonly byTool: ReadonlyMap<IndexedTool, number>;
  /** Tools that the query names. */
  readonly named: ReadonlySet<IndexedTool>;
}

export interface SearchedTools {
  readonly postings: Postings;
  readonly names: NameLookup;
  /** Number of tools. */
  readonly size: number;
}

/** Weight of a word's exact form next to its stem (1). */
const exactFormWeight = 0.5;

export function scoreQuery(query: Query, tools: SearchedTools): Scores {
  const { postings } = tools;
  const byWord = new Map(query.words.map((one) => [one.word, termsOf(one, postings)]));
  const termsOfWords = (words: readonly QueryWord[]): QueryTerm[] =>
    distinct(words.flatMap(({ word }) => byWord.get(word) ?? []));
  const terms = termsOfWords(query.words);
  const whole = addUp(terms, tools);
  const clauses = query.clauses.map((words) => addUp(termsOfWords(words), tools));
  const byTool = clauses.length === 0 ? whole : mixClauses(whole, clauses);
  const maxScore = terms.reduce((sum, one) => sum + worthOf(one, tools), 0);
  return { terms, byTool, named: addNameBonus(query, tools.names, byTool, maxScore) };
}

function termsOf({ word, weight }: QueryWord, postings: Postings): QueryTerm[] {
  const terms = [
    { word, term: stemTerm(word), weight },
    { word, term: word, weight: weight * exactFormWeight },
  ].filter(({ term }) => postings.toolsWith(term).size > 0);
  if (terms.length > 0) return terms;
  return postings.nearWords(word).map((near) => ({ word: near.word, term: near.word, weight: weight * near.likeness }));
}

/** Two forms of a word in one query ("quotes", "a quote") have one stem, which counts once. */
function distinct(terms: readonly QueryTerm[]): QueryTerm[] {
  const byTerm = new Map<string, QueryTerm>();
  for (const one of terms) {
    const known = byTerm.get(one.term);
    if (known === undefined || known.weight < one.weight) byTerm.set(one.term, one);
  }
  return [...byTerm.values()];
}

/** The term's weight times its inverse document frequency. */
function worthOf({ term, weight }: QueryTerm, { postings, size }: SearchedTools): number {
  const count = postings.toolsWith(term).size;
  return weight * Math.log(1 + (size - count + 0.5) / (count + 0.5));
}

function addUp(terms: readonly QueryTerm[], tools: SearchedTools): Map<IndexedTool, number> {
  const scores = new Map<IndexedTool, number>();
  for (const one of terms) {
    const worth = worthOf(one, tools);
    tools.postings.toolsWith(one.term).forEach((impact, tool) => {
      scores.set(tool, (scores.get(tool) ?? 0) + worth * impact);
    });
  }
  return scores;
}

/**
 * Shares of the best tool's score. The mean of the clauses is for wordings of one need, which agree on its tool; the
 * highest is for several needs, of which a tool fits one; the whole says less the more clauses there are.
 */
const shares = { whole: 3, mean: 1, highest: 0.5 };

/**
 * Scores for lists of needs and wordings ("make a pdf, export as pdf, draw a word cloud"): each clause is ranked by
 * itself and mixed with the whole. Scored as one text, the clause with the rarest words drowns the others.
 */
function mixClauses(
  whole: ReadonlyMap<IndexedTool, number>,
  clauses: readonly ReadonlyMap<IndexedTool, number>[],
): Map<IndexedTool, number> {
  const best = maxOf(whole);
  const bestOfClause = clauses.map(maxOf);
  const wholeShare = shares.whole / clauses.length;
  const all = wholeShare + shares.mean + shares.highest;
  return new Map(
    [...whole].map(([tool, score]) => {
      const parts = clauses.map((clause, at) => (clause.get(tool) ?? 0) / (bestOfClause[at] || 1));
      const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
      const mixed = shares.mean * mean + shares.highest * Math.max(...parts);
      return [tool, (wholeShare * score + best * mixed) / all];
    }),
  );
}

function maxOf(scores: ReadonlyMap<IndexedTool, number>): number {
  let max = 0;
  for (const score of scores.values()) max = Math.max(max, score);
  return max;
}

/**
 * A query that is a tool's name beats every match by words (`maxScore`). A name within a sentence, or the beginning of
 * one typed alone, is worth up to half of that.
 */
function addNameBonus(
  query: Query,
  names: NameLookup,
  scores: Map<IndexedTool, number>,
  maxScore: number,
): Set<IndexedTool> {
  const add = (tool: IndexedTool, bonus: number): void => {
    scores.set(tool, (scores.get(tool) ?? 0) + bonus);
  };
  const named = new Set(names.find(query.text));
  for (const tool of named) add(tool, maxScore + 1);
  if (named.size === 0 && !/\s/.test(query.text)) {
    for (const [tool, typed] of names.findByBeginning(query.text)) add(tool, (typed * typed * (maxScore + 1)) / 2);
  }
  for (const tool of query.names.flatMap((name) => [...names.find(name)])) {
    if (named.has(tool)) continue;
    named.add(tool);
    add(tool, maxScore / 2 + 1);
  }
  return named;
}

/**
 * Says why a tool was found, like `name: read, file; parameter: path`. Each word is shown once, in its weightiest
 * field.
 */
export function explainMatch(tool: IndexedTool, { terms, named }: Scores): string {
  const shown = new Set<string>();
  const parts = fieldTexts(tool.document).flatMap((text, at) => {
    const inField = new Set(tokenize(text).flatMap((word) => [word, stemTerm(word)]));
    const words = terms.filter(({ word, term }) => inField.has(term) && !shown.has(word)).map(({ word }) => word);
    for (const word of words) shown.add(word);
    return words.length === 0 ? [] : [`${searchFields[at]?.name}: ${[...new Set(words)].join(', ')}`];
  });
  return (named.has(tool) ? ['exact name', ...parts] : parts).join('; ');
}
