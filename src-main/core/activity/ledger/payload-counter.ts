/** Counts the tokens of what messages carry: later, each object once, and never holding more than there is room for. */
import { isObject } from '../../base/json.ts';
import type { DeferredQueue } from '../../base/scheduling/deferred-queue.ts';
import { RawJson } from '../../wire/raw-json.ts';
import type { TokenCount, TokenCounter } from '../token-counter.ts';
import { zeroTokens } from './ledger-entry.ts';

/** Big answers wait as the bytes they are; beyond this much of them, further ones are estimated by their size. */
const maxBytes = 64 * 1024 * 1024;
/** Bigger ones are estimated from pieces: the counter would do no more with the whole. */
const maxFullCountBytes = 4 * 1024 * 1024;

export class PayloadCounter {
  readonly #counter: Pick<TokenCounter, 'count'>;
  readonly #putOff: DeferredQueue;
  /** One answer is what a server sent, what the pipeline gave and what crossed the line, all at once. */
  readonly #known = new WeakMap<object, Promise<TokenCount>>();
  readonly #counting = new Set<() => void>();
  #bytes = 0;
  #gaveUp = false;

  constructor(counter: Pick<TokenCounter, 'count'>, putOff: DeferredQueue) {
    this.#counter = counter;
    this.#putOff = putOff;
  }

  /** The o200k tokens of the JSON text as it goes over the line; undefined counts nothing. Never rejects. */
  count(payload: unknown): Promise<TokenCount> {
    if (payload === undefined) return Promise.resolve(zeroTokens);
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
    if (this.#bytes > 0 && this.#bytes + byteLength > maxBytes) return bySize(byteLength);
    if (byteLength > maxFullCountBytes) return countBytes(raw, (text) => this.countText(text));
    this.#bytes += byteLength;
    const count = await countBytes(raw, (text) => this.countText(text));
    this.#bytes -= byteLength;
    return count;
  }

  /** Counts a text that is made later. */
  countText(text: () => string): Promise<TokenCount> {
    return new Promise((resolve) => {
      this.#putOff.add(() => {
        try {
          this.#countNow(text(), resolve);
        } catch {
          // What could not be written out did not cross the line either.
          resolve(zeroTokens);
        }
      });
    });
  }

  /** Waits for the counter no longer: what it has not counted, and what comes, is estimated by its size. */
  estimateRemaining(): void {
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

/** Counts raw bytes; beyond 4 MB every caller gets the same estimate from samples. */
export async function countBytes(
  raw: RawJson,
  count: (text: () => string) => Promise<TokenCount>,
): Promise<TokenCount> {
  if (raw.byteLength <= maxFullCountBytes) return count(() => raw.text());
  const { text, scale } = sampleBytes(raw.chunks, maxFullCountBytes / 8);
  const { tokens } = await count(() => text);
  return { tokens: Math.round(tokens * scale), estimated: true };
}

/** About four bytes to a token. */
function bySize(bytes: number): TokenCount {
  return { tokens: Math.ceil(bytes / 4), estimated: true };
}

// Pieces of a huge text that is held as bytes, without ever making it a text.

interface ByteSample {
  readonly text: string;
  /** Factor from a count over the samples to the whole. */
  readonly scale: number;
}

const sampleCount = 32;

/**
 * `length` bytes in all, in pieces spread evenly from first to last. A character cut at an edge is one replacement
 * mark.
 */
export function sampleBytes(chunks: readonly Buffer[], length: number): ByteSample {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (total <= length) return { text: Buffer.concat(chunks).toString('utf8'), scale: 1 };
  const each = Math.max(1, Math.floor(length / sampleCount));
  const step = (total - each) / (sampleCount - 1);
  const cuts = Array.from({ length: sampleCount }, (_, index) => range(chunks, Math.floor(index * step), each));
  return { text: cuts.join(''), scale: total / (each * sampleCount) };
}

function range(chunks: readonly Buffer[], start: number, length: number): string {
  const found: Buffer[] = [];
  let before = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, start - before), Math.max(0, start + length - before));
    if (part.length > 0) found.push(part);
    before += chunk.length;
  }
  return Buffer.concat(found).toString('utf8');
}
