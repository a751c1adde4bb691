/** The size of a result, and the beginning and end of one that can neither be stored nor returned whole. */
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty, tryParsePlainJson } from '../../base/json.ts';
import { textToCount } from '../sample-text.ts';
import type { Excerpt, ResultSize, SampledText } from '../spill-writer-messages.ts';
import { payloadBytes, payloadTexts, withoutDuplicate } from '../payload.ts';

/** Share of the excerpt that is taken from the beginning. */
const headShare = 0.7;

/** `json`: the whole result; other content is truncated as it is. */
export function excerptOf(json: Buffer, maxBytes: number): Excerpt {
  return excerptOfResult(resultIn(json.toString('utf8')), maxBytes);
}

/** `json`: the whole result. */
export function measureResult(json: Buffer): ResultSize {
  const text = json.toString('utf8');
  const result = resultIn(text);
  const once = withoutDuplicate(result, 'text');
  const whole = once === result ? sampled(text) : undefined;
  return {
    payloadBytes: payloadBytes(result),
    once: whole
      ? { text: whole, structured: whole }
      : { text: sampledResult(once), structured: sampledResult(withoutDuplicate(result, 'structured')) },
  };
}

function resultIn(text: string): JsonObject {
  const result = tryParsePlainJson(text);
  return isObject(result) ? result : { content: [{ type: 'text', text }] };
}

function sampledResult(result: JsonObject): SampledText {
  return sampled(JSON.stringify(result));
}

function sampled(text: string): SampledText {
  return { bytes: Buffer.byteLength(text), ...textToCount(text) };
}

export function excerptOfResult(result: JsonObject, maxBytes: number): Excerpt {
  const text = payloadTexts(withoutBytes(result)).join('\n');
  const head = beginning(text, Math.floor(maxBytes * headShare));
  const tail = end(text.slice(head.length), Math.floor(maxBytes * (1 - headShare)));
  return { payloadBytes: payloadBytes(result), head, tail, isError: result['isError'] === true };
}

function beginning(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // A truncated character reads as U+FFFD.
  return Buffer.from(text.slice(0, maxBytes))
    .toString('utf8', 0, maxBytes)
    .replace(/\uFFFD+$/, '');
}

function end(text: string, maxBytes: number): string {
  if (maxBytes === 0) return '';
  return Buffer.from(text.slice(-maxBytes))
    .subarray(-maxBytes)
    .toString('utf8')
    .replace(/^\uFFFD+/, '');
}

/** Replaces Base64 data with its kind and length. */
function withoutBytes(result: JsonObject): JsonObject {
  const { content } = result;
  if (!Array.isArray(content)) return result;
  const blocks = (content as unknown[]).map((block) => {
    const data = isObject(block) ? (block['data'] ?? objectOrEmpty(block['resource'])['blob']) : undefined;
    if (!isObject(block) || typeof data !== 'string') return block;
    const { mimeType } = isObject(block['resource']) ? block['resource'] : block;
    return {
      type: 'text',
      text: `[${textOrEmpty(block['type'])} ${textOrEmpty(mimeType)}, ${data.length} characters of base64]`,
    };
  });
  return { ...result, content: blocks };
}
