/** A query as the words that are looked up, bounded so that no query can take long. */

import { tellingWeight } from './stop-words.ts';
import { tokenize } from './tokenize.ts';

export interface QueryWord {
  readonly word: string;
  /** 0 to 1. */
  readonly weight: number;
}

export interface Query {
  /** What was asked, trimmed and cut. */
  readonly text: string;
  /** Distinct words; stop words only where there is nothing else. */
  readonly words: readonly QueryWord[];
  /** Parts that look like a typed tool name (`read_file`, `github:create_issue`), at most sixteen. */
  readonly names: readonly string[];
}

const maxLength = 4_000;
const maxWords = 64;
const maxNames = 16;

const looksLikeName = /[\p{L}\p{N}](?:[_:./-]+[\p{L}\p{N}]|(?<=\p{Ll})\p{Lu})/u;

export function parseQuery(query: string): Query {
  const text = query.slice(0, maxLength).trim();
  const words = [...new Set(tokenize(text))].map((word) => ({ word, weight: tellingWeight(word) }));
  const telling = words.filter(({ weight }) => weight > 0);
  const parts = text.split(/[\s,;!?"'`()[\]{}]+/).map((part) => part.replace(/[.:]+$/, ''));
  return {
    text,
    words: (telling.length > 0 ? telling : words.map(({ word }) => ({ word, weight: 1 }))).slice(0, maxWords),
    names: parts.filter((part) => looksLikeName.test(part)).slice(0, maxNames),
  };
}
