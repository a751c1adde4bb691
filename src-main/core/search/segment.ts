/** The tools of one server, read into words once; the index is put together from segments. */

import { documentFields } from './document-fields.ts';
import { nameKey } from './name-lookup.ts';
import { porterStem } from './porter-stem.ts';
import { fieldCount } from './ranking.ts';
import type { SearchDocument } from './search-document.ts';
import { tokenize } from './tokenize.ts';

/** Marks a stem in the vocabulary; no word holds it. */
export const stemMark = '~';

export interface Segment {
  readonly documents: readonly SearchDocument[];
  /** How each document is found by name: bare, and with the server before it. */
  readonly nameKeys: readonly (readonly [bare: string, qualified: string])[];
  /** Words and marked stems of this segment; `entryTerm` points into it. */
  readonly terms: readonly string[];
  /** First entry of each document, and the end of the last: length is documents + 1. */
  readonly entryStart: Uint32Array;
  readonly entryTerm: Uint32Array;
  /** Occurrences (at most 255), `fieldCount` columns per entry. */
  readonly entryCounts: Uint8Array;
  /** Words, `fieldCount` columns per document. */
  readonly fieldLengths: Uint32Array;
}

export function readSegment(documents: readonly SearchDocument[]): Segment {
  const vocabulary = new Map<string, number>();
  const forms = new Map<string, readonly [exact: number, stem: number]>();
  const entryStart = new Uint32Array(documents.length + 1);
  const entryTerm: number[] = [];
  const entryCounts: number[] = [];
  const fieldLengths = new Uint32Array(documents.length * fieldCount);
  const entryOf = new Map<number, number>();

  function count(term: number, field: number): void {
    let entry = entryOf.get(term);
    if (entry === undefined) {
      entry = entryTerm.push(term) - 1;
      entryOf.set(term, entry);
      for (let column = 0; column < fieldCount; column += 1) entryCounts.push(0);
    }
    const cell = entry * fieldCount + field;
    entryCounts[cell] = Math.min(255, (entryCounts[cell] ?? 0) + 1);
  }

  documents.forEach((document, index) => {
    entryOf.clear();
    documentFields(document).forEach((text, field) => {
      const words = tokenize(text);
      fieldLengths[index * fieldCount + field] = words.length;
      for (const word of words) {
        const [exact, stem] = formsOf(word, forms, vocabulary);
        count(exact, field);
        count(stem, field);
      }
    });
    entryStart[index + 1] = entryTerm.length;
  });

  return {
    documents: [...documents],
    nameKeys: documents.map(({ server, name }) => [nameKey(name), nameKey(server) + nameKey(name)]),
    terms: [...vocabulary.keys()],
    entryStart,
    entryTerm: Uint32Array.from(entryTerm),
    entryCounts: Uint8Array.from(entryCounts),
    fieldLengths,
  };
}

function formsOf(
  word: string,
  forms: Map<string, readonly [number, number]>,
  vocabulary: Map<string, number>,
): readonly [exact: number, stem: number] {
  const known = forms.get(word);
  if (known !== undefined) return known;
  const found = [idOf(word, vocabulary), idOf(stemMark + porterStem(word), vocabulary)] as const;
  forms.set(word, found);
  return found;
}

function idOf(term: string, vocabulary: Map<string, number>): number {
  const id = vocabulary.get(term) ?? vocabulary.size;
  if (id === vocabulary.size) vocabulary.set(term, id);
  return id;
}
