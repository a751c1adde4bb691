/** Remembers the tokens of texts that come again: one list goes to many sessions, one answer is counted by record and ledger. */
import { hash } from 'node:crypto';
import type { TokenCount, TokenCounter } from './token-counter.ts';

/** Shorter ones cost less to count than to remember. */
const shortest = 40;

export class TokenCache {
  readonly #counter: Pick<TokenCounter, 'count'>;
  readonly #most: number;
  readonly #known = new Map<string, Promise<TokenCount>>();

  /** `most`: how many texts are remembered, those used last. */
  constructor(counter: Pick<TokenCounter, 'count'>, most = 2000) {
    this.#counter = counter;
    this.#most = most;
  }

  count(text: string): Promise<TokenCount> {
    if (text.length < shortest) return this.#counter.count(text);
    const key = hash('sha256', text, 'base64');
    const count = this.#known.get(key) ?? this.#count(key, text);
    // Maps keep the order of insertion: the one used last stands last.
    this.#known.delete(key);
    this.#known.set(key, count);
    return count;
  }

  #count(key: string, text: string): Promise<TokenCount> {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= this.#most && oldest !== undefined) this.#known.delete(oldest);
    const count = this.#counter.count(text);
    void count.then(({ estimated }) => {
      // There may be time to count it when it comes again.
      if (estimated && this.#known.get(key) === count) this.#known.delete(key);
    });
    return count;
  }
}
