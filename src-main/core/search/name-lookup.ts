/** Finds documents by their typed name, bare or with the server before it, whatever stands between the words. */

import { SortedWords } from './sorted-words.ts';

/** `github__create-issue`, `github:create_issue` and `GitHub CreateIssue` are one key. */
export function nameKey(name: string): string {
  return name.toLowerCase().replace(/[\s_:./-]+/g, '');
}

/** Fewer letters begin too many names to mean one of them. */
const shortestBeginning = 4;

export interface Named {
  readonly server: string;
  readonly name: string;
}

export class NameLookup {
  /** A key keeps its place when its last document goes: `#sorted` has it, and it may well come back. */
  readonly #documents = new Map<string, number[]>();
  readonly #sorted = new SortedWords();

  add(document: number, named: Named): void {
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

  /** Documents whose name begins so, with the part of it that was typed (0 to 1). */
  findBegun(name: string): Map<number, number> {
    const key = nameKey(name);
    const found = new Map<number, number>();
    if (key.length < shortestBeginning) return found;
    for (const candidate of this.#sorted.beginningWith(key)) {
      for (const document of this.#documents.get(candidate) ?? []) {
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
