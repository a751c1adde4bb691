/** Scores of all documents for one query: BM25F over the words, plus what a typed name is worth. */
import type { Postings } from './postings.ts';
import { fieldNames, stemMark } from './segment.ts';
import type { ToolStore } from './tool-store.ts';
import { porterStem, type Query } from './words.ts';

/** One vocabulary term that a query word stands for. */
interface QueryTerm {
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

export function scoreQuery(query: Query, store: ToolStore): Scores {
  const { postings, size } = store;
  const byWord = new Map(query.words.map(({ word, weight }) => [word, termsOf(word, weight, store)]));
  const terms = distinct([...byWord.values()].flat());
  const worthOf = ({ term, weight }: QueryTerm): number => weight * rarity(postings.holders(term), size);
  const score = new Float64Array(store.documents.length);
  let ceiling = 0;
  let best = 0;
  for (const one of terms) {
    const worth = worthOf(one);
    ceiling += worth;
    best = Math.max(best, postings.addTo(score, one.term, worth));
  }
  if (query.clauses.length > 0) {
    const clauses = query.clauses.map((words) => {
      const own = distinct(words.flatMap(({ word }) => byWord.get(word) ?? []));
      return own.map((one) => ({ term: one.term, worth: worthOf(one) }));
    });
    store.clauseMixer.mix(clauses, postings, score, best);
  }
  return { terms, score, named: addNameBonus(query, store, score, ceiling) };
}

/** Inverse document frequency. */
function rarity(holders: number, documents: number): number {
  return Math.log(1 + (documents - holders + 0.5) / (holders + 0.5));
}

function termsOf(word: string, weight: number, store: ToolStore): QueryTerm[] {
  const { postings, ranking } = store;
  const stem = postings.find(stemMark + porterStem(word));
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
function addNameBonus(query: Query, { names }: ToolStore, score: Float64Array, ceiling: number): Set<number> {
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

// The best few of many scored documents, without sorting them all.

/**
 * Numbers of the `limit` best documents, best first.
 * `isBetter(a, b)` must order every two different documents, or the answer depends on chance.
 */
export function topDocuments(
  documents: Iterable<number>,
  limit: number,
  isBetter: (a: number, b: number) => boolean,
): number[] {
  // A binary heap whose root is the worst of those kept.
  const heap: number[] = [];
  for (const document of documents) {
    if (heap.length < limit) {
      heap.push(document);
      siftUp(heap, isBetter);
    } else if (heap.length > 0 && isBetter(document, heap[0] ?? 0)) {
      heap[0] = document;
      siftDown(heap, isBetter);
    }
  }
  return heap.sort((a, b) => (isBetter(a, b) ? -1 : 1));
}

function siftUp(heap: number[], isBetter: (a: number, b: number) => boolean): void {
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!isBetter(heap[parent] ?? 0, heap[child] ?? 0)) return;
    swap(heap, parent, child);
    child = parent;
  }
}

function siftDown(heap: number[], isBetter: (a: number, b: number) => boolean): void {
  let parent = 0;
  for (;;) {
    let worst = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      if (child < heap.length && isBetter(heap[worst] ?? 0, heap[child] ?? 0)) worst = child;
    }
    if (worst === parent) return;
    swap(heap, parent, worst);
    parent = worst;
  }
}

function swap(heap: number[], a: number, b: number): void {
  [heap[a], heap[b]] = [heap[b] ?? 0, heap[a] ?? 0];
}
