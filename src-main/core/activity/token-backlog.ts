/** Texts of finished calls that wait for their tokens to be counted: one after the other, and never too many bytes of them. */
import type { CallTexts } from './call-record.ts';
import type { TokenCount, TokenCounter } from './token-counter.ts';

export interface CallTokens {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly estimated: boolean;
}

interface Item {
  readonly texts: CallTexts;
  readonly bytes: number;
  readonly done: (tokens: CallTokens) => void;
}

/** Answers of calls are held in memory until they are counted; beyond this their tokens are estimated. */
const mostBytes = 64 * 1024 * 1024;

export class TokenBacklog {
  readonly #counter: Pick<TokenCounter, 'count'>;
  readonly #items: Item[] = [];
  #bytes = 0;
  #work: Promise<void> | undefined;

  constructor(counter: Pick<TokenCounter, 'count'>) {
    this.#counter = counter;
  }

  /** Asks for room to hold texts of this size; `add` or `release` gives it back. A single text always finds room. */
  reserve(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > mostBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Counts later; `bytes` is what was reserved. */
  add(texts: CallTexts, bytes: number, done: (tokens: CallTokens) => void): void {
    this.#items.push({ texts, bytes, done });
    this.#work ??= this.#run();
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#work;
  }

  async #run(): Promise<void> {
    for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) {
      const tokensIn = await this.#counter.count(item.texts.arguments);
      const tokensOut = await this.#countGiven(item);
      this.release(item.bytes);
      item.done({
        tokensIn: tokensIn.tokens,
        tokensOut: tokensOut.tokens,
        estimated: tokensIn.estimated || tokensOut.estimated,
      });
    }
    this.#work = undefined;
  }

  #countGiven({ texts, bytes }: Item): Promise<TokenCount> {
    try {
      return this.#counter.count(typeof texts.given === 'string' ? texts.given : texts.given());
    } catch {
      return Promise.resolve({ tokens: Math.ceil(bytes / 4), estimated: true });
    }
  }
}
