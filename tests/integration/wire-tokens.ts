/** Counts, independently of the ledger, the tokens that a client app received: each frame as sent. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect } from 'vitest';
import type { Params, RawMessage } from '../support/raw-client.ts';

/** o200k tokens of the text, by the tokenizer itself. */
export function tokensOf(text: string): number {
  return encode(text, { disallowedSpecial: new Set() }).length;
}

/** Tokens of a frame's payload: the text of its `result`, `error`, or `params`. */
export function payloadTokens(line: string): number {
  const { result, error, params } = JSON.parse(line) as RawMessage;
  const payload = result ?? error ?? params;
  if (payload === undefined) return 0;
  const text = JSON.stringify(payload);
  // Counts exactly what was sent.
  expect(line).toContain(text);
  return tokensOf(text);
}

/** What a client app received, by request. */
export class WireTokens {
  readonly #sums = new Map<string, number>();

  /** `what`: the test's own label. */
  add(what: string, line: string): void {
    this.#sums.set(what, this.of(what) + payloadTokens(line));
  }

  of(...what: readonly string[]): number {
    return what.reduce((sum, each) => sum + (this.#sums.get(each) ?? 0), 0);
  }

  get total(): number {
    return this.of(...this.#sums.keys());
  }
}

/** A request, and the test's own label for its result. */
export interface Step {
  readonly what: string;
  readonly method: string;
  readonly params?: Params;
}

export function toolStep(what: string, name: string, args: Params = {}): Step {
  return { what, method: 'tools/call', params: { name, arguments: args } };
}

export function listStep(): Step {
  return { what: 'lists', method: 'tools/list' };
}
