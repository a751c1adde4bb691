/**
 * Texts of finished calls that wait for their tokens to be counted: a batch after the other, and never too many bytes
 * of them.
 */
import { RawJson } from '../wire/raw-json.ts';
import type { CountedText, CountedTexts } from './call-record.ts';
import { countBytes } from './ledger/payload-counter.ts';
import type { TokenCount, TokenCounter } from './token-counter.ts';

export interface CallTokens {
  readonly tokensIn: number;
  readonly tokensSent: number;
  readonly tokensOut: number;
  readonly estimated: boolean;
}

interface Item {
  readonly texts: CountedTexts;
  readonly bytes: number;
  readonly done: (tokens: CallTokens) => void;
}

/** Answers of calls are held in memory until they are counted; beyond this their tokens are estimated. */
const maxBytes = 64 * 1024 * 1024;

/** Short texts are counted together; a longer one alone, so that there is only one of them as a text. */
const batchBytes = 256 * 1024;

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
    if (this.#bytes > 0 && this.#bytes + bytes > maxBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Counts later; `bytes` is what was reserved. */
  add(texts: CountedTexts, bytes: number, done: (tokens: CallTokens) => void): void {
    this.#items.push({ texts, bytes, done });
    this.#work ??= this.#run();
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    await this.#work;
  }

  async #run(): Promise<void> {
    // Records are written many at once: the first is not sent ahead of the others.
    await Promise.resolve();
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      await Promise.all(batch.map((item) => this.#count(item)));
    }
    this.#work = undefined;
  }

  #next(): Item[] {
    let bytes = 0;
    const tooMuch = this.#items.findIndex((item, at) => (bytes += item.bytes) > batchBytes && at > 0);
    return this.#items.splice(0, tooMuch < 0 ? this.#items.length : tooMuch);
  }

  async #count(item: Item): Promise<void> {
    const { arguments: args, given, sent } = item.texts;
    // All three are asked for before the first is waited for.
    const counted = this.#counter.count(args);
    const out = this.#countText(given);
    const apart = sent === 'same' ? out : 'text' in sent ? this.#countText(sent.text) : sent;
    const tokensIn = await counted;
    const tokensOut = await out;
    const tokensSent = apart === out ? tokensOut : await apart;
    this.release(item.bytes);
    item.done({
      tokensIn: tokensIn.tokens,
      tokensSent: tokensSent.tokens,
      tokensOut: tokensOut.tokens,
      estimated: tokensIn.estimated || tokensSent.estimated || tokensOut.estimated,
    });
  }

  #countText(text: CountedText): Promise<TokenCount> {
    return text instanceof RawJson
      ? countBytes(text, (piece) => this.#counter.count(piece()))
      : this.#counter.count(text);
  }
}
