/** Counts the tokens of shared texts: each object and each text once, large ones by samples. */
import { hash } from 'node:crypto';
import { parseJson, type JsonObject } from '../../base/json.ts';
import { withoutDuplicate } from '../../spills/payload.ts';
import type { SampledText } from '../../spills/spill-writer-messages.ts';
import type { SharedText } from '../activity-messages.ts';
import type { TokenCount } from '../call-record.ts';
import { type ResultIntake, zeroTokens } from '../ledger/ledger-entry.ts';
import { textToCount } from '../../spills/sample-text.ts';

/** Counting a shorter text is cheaper than caching it. */
const minCachedLength = 40;
const maxCachedTexts = 2000;

type CountText = (text: string) => number;

export class TokenCounts {
  readonly #known = new WeakMap<SharedText, TokenCount>();
  readonly #withoutDuplicate = new WeakMap<SharedText, Map<ResultIntake['reads'], SharedText>>();
  readonly #measured = new WeakMap<SampledText, SharedText>();
  /** Counts by hash of the text, least recently used first. */
  readonly #cached = new Map<string, number>();
  #count: CountText | undefined;
  /** Whether to estimate from now on, because nobody waits for exact counts. */
  isEstimating = false;

  get isReady(): boolean {
    return this.#count !== undefined || this.isEstimating;
  }

  /** Loads the tokenizer, which takes about 0.5 s and 100 MB of memory. */
  async load(): Promise<void> {
    const { countTokens } = await import('./count-tokens.ts');
    this.#count = countTokens;
  }

  /** Counts the text as it was sent. */
  count(shared: SharedText | undefined): TokenCount {
    if (shared === undefined) return zeroTokens;
    const known = this.#known.get(shared);
    if (known !== undefined) return known;
    const counted = this.#counted(shared);
    this.#known.set(shared, counted);
    return counted;
  }

  /** Counts a result as in the record of its call: content that is repeated as structured content counts once. */
  countOnce(shared: SharedText | undefined): TokenCount {
    return this.count(shared && this.#once(shared, 'text'));
  }

  /**
   * Counts what the model of a client app reads of a result: duplicates once, and no more than the app accepts.
   * `whole`: the count of the result as sent.
   */
  countIngested(shared: SharedText, whole: TokenCount, { tokens, bytes, reads }: ResultIntake): TokenCount {
    const once = this.#once(shared, reads);
    const counted = once === shared ? whole : this.count(once);
    // Stored images and audio are not counted, so the smaller count is right.
    const count = counted.tokens < whole.tokens ? counted : whole;
    const share = bytes !== undefined && once.bytes > bytes ? bytes / once.bytes : 1;
    const most = Math.min(tokens, Math.round(count.tokens * share));
    return count.tokens <= most ? count : { tokens: most, estimated: count.estimated || share < 1 };
  }

  #counted({ text, sample, bytes }: SharedText): TokenCount {
    if (this.#count === undefined || this.isEstimating) return estimate(bytes);
    if (text === undefined) return sample === undefined ? estimate(bytes) : this.#scaled(sample);
    const whole = typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, bytes).toString('utf8');
    const counted = textToCount(whole);
    return counted.scale === 1 ? { tokens: this.#cachedCount(whole), estimated: false } : this.#scaled(counted);
  }

  #scaled({ text, scale }: { readonly text: string; readonly scale: number }): TokenCount {
    return { tokens: Math.round((this.#count?.(text) ?? 0) * scale), estimated: scale !== 1 };
  }

  #cachedCount(text: string): number {
    if (text === '' || this.#count === undefined) return 0;
    if (text.length < minCachedLength) return this.#count(text);
    const key = hash('sha256', text, 'base64');
    const tokens = this.#cached.get(key) ?? this.#count(text);
    // Maps keep insertion order: the most recently used entry is last.
    this.#cached.delete(key);
    this.#cached.set(key, tokens);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > maxCachedTexts && oldest !== undefined) this.#cached.delete(oldest);
    return tokens;
  }

  #asShared(measured: SampledText): SharedText {
    const known = this.#measured.get(measured);
    if (known !== undefined) return known;
    const shared = { bytes: measured.bytes, text: undefined, sample: measured };
    this.#measured.set(measured, shared);
    return shared;
  }

  #once(shared: SharedText, reads: ResultIntake['reads']): SharedText {
    const measured = shared.size?.once[reads];
    if (measured !== undefined) return this.#asShared(measured);
    if (shared.isStructured !== true || typeof shared.text !== 'string') return shared;
    const byReads = this.#withoutDuplicate.get(shared) ?? new Map<ResultIntake['reads'], SharedText>();
    this.#withoutDuplicate.set(shared, byReads);
    const known = byReads.get(reads);
    if (known !== undefined) return known;
    const result = parseJson(shared.text) as JsonObject;
    const once = withoutDuplicate(result, reads);
    const text = once === result ? undefined : JSON.stringify(once);
    const made = text === undefined ? shared : { text, bytes: Buffer.byteLength(text) };
    byReads.set(reads, made);
    return made;
  }
}

/** About four bytes per token. */
function estimate(bytes: number): TokenCount {
  return { tokens: Math.ceil(bytes / 4), estimated: bytes > 0 };
}
