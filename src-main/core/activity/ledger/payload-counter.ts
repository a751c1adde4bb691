/** Counts the tokens of what messages carry: later, each object once, and never holding more than there is room for. */
import { isObject } from '../../base/json.ts';
import { RawJson } from '../../wire/raw-json.ts';
import type { TokenCount, TokenCounter } from '../token-counter.ts';
import type { Batch } from './batch.ts';
import { nothing } from './entry.ts';
import { sampleBytes } from './sample-bytes.ts';

/** Big answers wait as the bytes they are; beyond this much of them, further ones are estimated by their size. */
const mostBytes = 64 * 1024 * 1024;
/** Bigger ones are estimated from pieces: the counter would do no more with the whole. */
export const longestWhole = 4 * 1024 * 1024;

export class PayloadCounter {
  readonly #counter: Pick<TokenCounter, 'count'>;
  readonly #batch: Batch;
  /** One answer is what a server sent, what the pipeline gave and what crossed the line, all at once. */
  readonly #known = new WeakMap<object, Promise<TokenCount>>();
  readonly #counting = new Set<() => void>();
  #bytes = 0;
  #gaveUp = false;

  constructor(counter: Pick<TokenCounter, 'count'>, batch: Batch) {
    this.#counter = counter;
    this.#batch = batch;
  }

  /** The o200k tokens of the JSON text as it goes over the line; undefined counts nothing. Never rejects. */
  count(payload: unknown): Promise<TokenCount> {
    if (payload === undefined) return Promise.resolve(nothing);
    if (!(payload instanceof RawJson) && !isObject(payload)) return this.countText(() => JSON.stringify(payload));
    const known = this.#known.get(payload);
    if (known !== undefined) return known;
    const count =
      payload instanceof RawJson ? this.#countBytes(payload) : this.countText(() => JSON.stringify(payload));
    this.#known.set(payload, count);
    return count;
  }

  async #countBytes(raw: RawJson): Promise<TokenCount> {
    const { byteLength } = raw;
    if (this.#bytes > 0 && this.#bytes + byteLength > mostBytes) return bySize(byteLength);
    if (byteLength > longestWhole) {
      const { text, scale } = sampleBytes(raw.chunks, longestWhole / 8);
      const { tokens } = await this.countText(() => text);
      return { tokens: Math.round(tokens * scale), estimated: true };
    }
    this.#bytes += byteLength;
    const count = await this.countText(() => raw.text());
    this.#bytes -= byteLength;
    return count;
  }

  /** Counts a text that is made later. */
  countText(text: () => string): Promise<TokenCount> {
    return new Promise((resolve) => {
      this.#batch.add(() => {
        try {
          this.#countNow(text(), resolve);
        } catch {
          // What could not be written out did not cross the line either.
          resolve(nothing);
        }
      });
    });
  }

  /** Waits for the counter no longer: what it has not counted, and what comes, is estimated by its size. */
  giveUp(): void {
    this.#gaveUp = true;
    for (const settle of this.#counting) settle();
    this.#counting.clear();
  }

  #countNow(text: string, resolve: (count: TokenCount) => void): void {
    const estimate = (): void => resolve(bySize(text.length));
    if (this.#gaveUp) return estimate();
    this.#counting.add(estimate);
    void this.#counter.count(text).then((count) => {
      this.#counting.delete(estimate);
      resolve(count);
    });
  }
}

/** About four bytes to a token. */
function bySize(bytes: number): TokenCount {
  return { tokens: Math.ceil(bytes / 4), estimated: true };
}
