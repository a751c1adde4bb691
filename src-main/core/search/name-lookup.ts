/** Finds documents by their typed name, bare or with the server before it, whatever stands between the words. */

import { lowerBound } from './sorted-words.ts';

/** `github__create-issue`, `github:create_issue` and `GitHub CreateIssue` are one key. */
export function nameKey(name: string): string {
  return name.toLowerCase().replace(/[\s_:./-]+/g, '');
}

/** Fewer letters begin too many names to mean one of them. */
const shortestBeginning = 4;

export class NameLookup {
  readonly #documents = new Map<string, number[]>();
  #sorted: readonly string[] | undefined;

  /** One list of keys per document, in the order of document numbers. */
  constructor(keysByDocument: Iterable<readonly string[]>) {
    let number = 0;
    for (const keys of keysByDocument) {
      for (const key of keys) {
        const list = this.#documents.get(key);
        if (list === undefined) this.#documents.set(key, [number]);
        else if (list.at(-1) !== number) list.push(number);
      }
      number += 1;
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
    const sorted = (this.#sorted ??= [...this.#documents.keys()].sort());
    for (let i = lowerBound(sorted, key); i < sorted.length; i += 1) {
      const candidate = sorted[i] ?? '';
      if (!candidate.startsWith(key)) break;
      for (const document of this.#documents.get(candidate) ?? []) {
        found.set(document, Math.max(found.get(document) ?? 0, key.length / candidate.length));
      }
    }
    return found;
  }

  /** Every key with its documents. */
  entries(): IterableIterator<[string, readonly number[]]> {
    return this.#documents.entries();
  }
}
