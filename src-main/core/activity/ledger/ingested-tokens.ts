/** Counts what the model of a client app reads of one result: duplicates once, and no more than the app accepts. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { textsOfStructure } from '../../spills/payload.ts';
import type { Result } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';
import type { TokenCount } from '../token-counter.ts';
import type { PayloadCounter } from './payload-counter.ts';

/** How an app takes one answer of a tool. */
export interface ResultIntake {
  /** The most it lets into its model's context: its own cut, else the window. */
  readonly tokens: number;
  /** The same in bytes, where that is what it counts. */
  readonly bytes: number | undefined;
  /** Which it hands on of an answer that says the same as text and as structured content. */
  readonly reads: 'text' | 'structured';
}

/** Counts a result that counts `whole` as sent. Never rejects. Raw bytes are too long to search for duplicates. */
export async function countIngested(
  result: Result,
  whole: TokenCount,
  taker: ResultIntake,
  counter: PayloadCounter,
): Promise<TokenCount> {
  if (result instanceof RawJson) return cut(whole, result.byteLength, taker);
  if (taker.bytes === undefined && !isObject(result['structuredContent'])) return cut(whole, 0, taker);
  let bytes = 0;
  const once = await counter.countText(() => {
    const text = JSON.stringify(withoutDuplicate(result, taker.reads));
    bytes = Buffer.byteLength(text);
    return text;
  });
  // Kept pictures and sound are in no count: then the whole is the smaller one.
  return cut(once.tokens < whole.tokens ? once : whole, bytes, taker);
}

/** Counts a server's result, duplicates once, as in the record of its call. Never rejects. */
export function countOnce(result: Result, counter: PayloadCounter): Promise<TokenCount> {
  const once = result instanceof RawJson ? result : withoutDuplicate(result, 'text');
  return once === result ? counter.count(result) : counter.countText(() => JSON.stringify(once));
}

/** Without the half that says the same again; itself where nothing does. */
export function withoutDuplicate(result: JsonObject, reads: ResultIntake['reads']): JsonObject {
  const repeating = textsOfStructure(result);
  if (repeating.size === 0) return result;
  if (reads === 'structured') {
    return { ...result, content: (result['content'] as unknown[]).filter((block) => !repeating.has(block)) };
  }
  const { structuredContent: _same, ...rest } = result;
  return rest;
}

function cut(count: TokenCount, bytes: number, { tokens, bytes: maxTotalBytes }: ResultIntake): TokenCount {
  const share = maxTotalBytes !== undefined && bytes > maxTotalBytes ? maxTotalBytes / bytes : 1;
  const most = Math.min(tokens, Math.round(count.tokens * share));
  return count.tokens <= most ? count : { tokens: most, estimated: count.estimated || share < 1 };
}
