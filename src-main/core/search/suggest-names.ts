/** Did you mean: the tools whose names are nearest to one that does not exist. */

import { nameKey, type NameLookup } from './name-lookup.ts';
import type { SearchDocument } from './search-document.ts';
import { Spelling } from './spelling.ts';
import { tokenize } from './tokenize.ts';

/** Names beyond this length are compared by their beginning. */
const maxLength = 120;
const leastLikeness = 0.6;
const mostWords = 5;

/**
 * Numbers of at most `limit` documents, the nearest first; none where nothing is near.
 * `related` are documents that share words with the name: they may be near in other than spelling.
 */
export function suggestNames(
  name: string,
  documents: readonly (SearchDocument | undefined)[],
  names: NameLookup,
  related: readonly number[],
  limit: number,
): number[] {
  const text = name.slice(0, maxLength);
  const likeness = new Map<number, number>();
  function note(document: number, value: number): void {
    if (value >= leastLikeness && value > (likeness.get(document) ?? 0)) likeness.set(document, value);
  }

  const key = nameKey(text);
  if (key === '') return [];
  // A sentence is no name that somebody mistyped.
  const spelled = text.trim().split(/\s+/).length > mostWords ? undefined : new Spelling(key, leastLikeness);
  for (const [candidate, holders] of spelled === undefined ? [] : names.entries()) {
    const value = spelled?.likeness(candidate) ?? 0;
    for (const document of holders) note(document, value);
  }
  const words = new Set(tokenize(text));
  for (const document of related) {
    const found = documents[document];
    for (const spelling of found === undefined ? [] : [found.name, `${found.server} ${found.name}`]) {
      note(document, likeWords(words, new Set(tokenize(spelling))));
    }
  }
  const idOf = (document: number): string => documents[document]?.id ?? '';
  return [...likeness]
    .sort(([a, nearA], [b, nearB]) => nearB - nearA || (idOf(a) < idOf(b) ? -1 : 1))
    .slice(0, limit)
    .map(([document]) => document);
}

/** Other order or a missing word (`file_read` for `read_file`): the part of the words that both have. */
function likeWords(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((word) => right.has(word)).length;
  return (2 * shared) / Math.max(1, left.size + right.size);
}
