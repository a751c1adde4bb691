/** Did you mean: the tools whose names are nearest to one that does not exist. */

import { editDistance } from './edit-distance.ts';
import { nameKey, type NameLookup } from './name-lookup.ts';
import type { SearchDocument } from './search-document.ts';
import { tokenize } from './tokenize.ts';

/** Names beyond this length are compared by their beginning. */
const maxLength = 120;
const leastLikeness = 0.6;

/**
 * Numbers of at most `limit` documents, the nearest first; none where nothing is near.
 * `related` are documents that share words with the name: they may be near in other than spelling.
 */
export function suggestNames(
  name: string,
  documents: readonly SearchDocument[],
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
  for (const [candidate, holders] of names.entries()) {
    const value = likeSpelling(key, candidate);
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

/** Typing errors: the part of the longer spelling that need not change. */
function likeSpelling(left: string, right: string): number {
  const longest = Math.max(left.length, right.length);
  const limit = Math.floor(longest * (1 - leastLikeness));
  const distance = editDistance(left, right, limit);
  return distance > limit ? 0 : 1 - distance / longest;
}

/** Other order or a missing word (`file_read` for `read_file`): the part of the words that both have. */
function likeWords(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((word) => right.has(word)).length;
  return (2 * shared) / Math.max(1, left.size + right.size);
}
