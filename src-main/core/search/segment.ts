/** The tools of one server, read into words once: for every term the tools that hold it, with what it says there (BM25F). */

import { documentFields } from './document-fields.ts';
import { porterStem } from './porter-stem.ts';
import type { Ranking } from './ranking.ts';
import type { SearchDocument } from './search-document.ts';
import { tokenize } from './tokenize.ts';

/** Marks a stem in the vocabulary; no word holds it. */
export const stemMark = '~';

export interface Segment {
  /** Words and marked stems. */
  readonly terms: readonly string[];
  /** First posting of each term, and the end of the last. */
  readonly start: Uint32Array;
  /** Place of the tool in its server's list; ascending within a term. */
  readonly document: Uint32Array;
  /** Saturated weight of the term in the document, 0 to 1. */
  readonly impact: Float32Array;
  /** Bit per field the term occurs in. */
  readonly fields: Uint8Array;
}

/** A term in one document. */
interface Entry {
  readonly term: number;
  readonly document: number;
  weight: number;
  fields: number;
}

export function readSegment(documents: readonly SearchDocument[], ranking: Ranking): Segment {
  const vocabulary = new Map<string, number>();
  const forms = new Map<string, readonly number[]>();
  const entries: Entry[] = [];
  documents.forEach((document, place) => {
    const own = new Map<number, Entry>();
    documentFields(document).forEach((text, field) => {
      const words = tokenize(text);
      const worth = occurrenceWorth(field, words.length, ranking);
      for (const term of words.flatMap((word) => formsOf(word, forms, vocabulary))) {
        const entry = own.get(term) ?? { term, document: place, weight: 0, fields: 0 };
        entry.weight += worth;
        entry.fields |= 1 << field;
        own.set(term, entry);
      }
    });
    for (const entry of own.values()) entries.push(entry);
  });
  return sortByTerm([...vocabulary.keys()], entries, ranking.k1);
}

/** What one occurrence in a field weighs: the field's weight, thinned by its length. */
function occurrenceWorth(field: number, length: number, ranking: Ranking): number {
  const penalty = ranking.lengthPenalty[field] ?? 0;
  const relative = length / (ranking.typicalLengths[field] ?? 1);
  return (ranking.weights[field] ?? 0) / (1 - penalty + penalty * relative);
}

function formsOf(
  word: string,
  forms: Map<string, readonly number[]>,
  vocabulary: Map<string, number>,
): readonly number[] {
  const known = forms.get(word);
  if (known !== undefined) return known;
  const found = [word, stemMark + porterStem(word)].map((term) => numberOf(term, vocabulary));
  forms.set(word, found);
  return found;
}

function numberOf(term: string, vocabulary: Map<string, number>): number {
  const number = vocabulary.get(term) ?? vocabulary.size;
  if (number === vocabulary.size) vocabulary.set(term, number);
  return number;
}

function sortByTerm(terms: readonly string[], entries: readonly Entry[], k1: number): Segment {
  const start = new Uint32Array(terms.length + 1);
  for (const { term } of entries) start[term + 1] = (start[term + 1] ?? 0) + 1;
  for (let term = 1; term <= terms.length; term += 1) start[term] = (start[term] ?? 0) + (start[term - 1] ?? 0);
  const next = start.slice();
  const document = new Uint32Array(entries.length);
  const impact = new Float32Array(entries.length);
  const fields = new Uint8Array(entries.length);
  for (const entry of entries) {
    const posting = next[entry.term] ?? 0;
    next[entry.term] = posting + 1;
    document[posting] = entry.document;
    impact[posting] = entry.weight / (k1 + entry.weight);
    fields[posting] = entry.fields;
  }
  return { terms, start, document, impact, fields };
}
