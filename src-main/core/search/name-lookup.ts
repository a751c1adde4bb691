/** Finds documents by their typed name, bare or with the server before it, whatever stands between the words. */
import type { SearchDocument } from './segment.ts';
import { SortedWords, Spelling } from './spelling.ts';
import { tokenize } from './words.ts';

/** `github__create-issue`, `github:create_issue` and `GitHub CreateIssue` are one key. */
function nameKey(name: string): string {
  return name.toLowerCase().replace(/[\s_:./-]+/g, '');
}

/** Fewer letters begin too many names to mean one of them. */
const shortestBeginning = 4;

interface Named {
  readonly server: string;
  readonly name: string;
}

export class NameLookup {
  /** A key keeps its place when its last document goes: `#sorted` has it, and it may well come back. */
  readonly #documents = new Map<string, number[]>();
  /** By document: its own key and the length of its server's. */
  readonly #parts = new Map<number, { readonly own: string; readonly serverLength: number }>();
  readonly #sorted = new SortedWords();

  add(document: number, named: Named): void {
    this.#parts.set(document, { own: nameKey(named.name), serverLength: nameKey(named.server).length });
    for (const key of keysOf(named)) {
      const holders = this.#documents.get(key);
      if (holders !== undefined) holders.push(document);
      else {
        this.#documents.set(key, [document]);
        this.#sorted.add(key);
      }
    }
  }

  remove(document: number, named: Named): void {
    this.#parts.delete(document);
    for (const key of keysOf(named)) {
      const holders = this.#documents.get(key) ?? [];
      const place = holders.indexOf(document);
      if (place >= 0) holders.splice(place, 1);
    }
  }

  /** Documents of exactly this name. */
  find(name: string): readonly number[] {
    const key = nameKey(name);
    return key === '' ? [] : (this.#documents.get(key) ?? []);
  }

  /**
   * Documents whose name begins so, with the part of it that was typed (0 to 1). A server's name alone begins the names of all its
   * tools, and says nothing of which one is meant.
   */
  findBegun(name: string): Map<number, number> {
    const key = nameKey(name);
    const found = new Map<number, number>();
    if (key.length < shortestBeginning) return found;
    for (const candidate of this.#sorted.beginningWith(key)) {
      for (const document of this.#documents.get(candidate) ?? []) {
        const { own = '', serverLength = 0 } = this.#parts.get(document) ?? {};
        if (candidate !== own && key.length <= serverLength) continue;
        found.set(document, Math.max(found.get(document) ?? 0, key.length / candidate.length));
      }
    }
    return found;
  }

  /** Every key with its documents; some may have none any more. */
  entries(): IterableIterator<[string, readonly number[]]> {
    return this.#documents.entries();
  }
}

function keysOf({ server, name }: Named): Set<string> {
  const bare = nameKey(name);
  return new Set([bare, nameKey(server) + bare]);
}

// Did you mean: the tools whose names are nearest to one that does not exist.

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
