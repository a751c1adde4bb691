/** Why a document was found: the query's words by the field they stand in. */

import type { Postings } from './postings.ts';
import { fieldNames } from './ranking.ts';
import type { Scores } from './score-query.ts';

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
