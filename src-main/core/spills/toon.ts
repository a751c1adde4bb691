/** TOON: JSON data in fewer tokens, with lists of similar objects as tables. Source: toonformat.dev. */
import { decode, encode, rawString } from '@toon-format/toon';
import { isObject, type JsonObject, objectOrEmpty, parseJson } from '../base/json.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import { resultBytes, type DataOutline } from './spill.ts';

/** Throws if the value cannot be represented in TOON: nested too deeply, half of a surrogate pair. */
export function toToon(value: unknown): string {
  return encode(encodable(value));
}

/** Throws SyntaxError for invalid TOON, and for an integer that would lose digits. */
export function fromToon(text: string): unknown {
  const value: unknown = decode(text);
  refuseRounded(value);
  return value;
}

/** Converts a value as JSON.stringify would: omits undefined members and preserves the spelling of numbers. */
function encodable(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return rawString((value as { rawJSON: string }).rawJSON);
  if (Array.isArray(value)) return value.map(encodable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, encodable(member)]])),
  );
}

/** The library parses every number as a double; a call must never use another id than was written. */
function refuseRounded(value: unknown): void {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new SyntaxError('It has an integer with more digits than TOON supports. Use JSON');
  }
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseRounded);
}

// Converts the JSON in a result to TOON if that is considerably shorter and loses nothing.

const formatKey = 'tooltray/format';

/** Maximum length relative to the JSON. */
const maxShare = 0.85;
/** Longer texts are not converted on the main thread, in characters. */
const maxTextLength = 1024 * 1024;

export function toToonResult(result: JsonObject): JsonObject {
  const { content, structuredContent, ...rest } = result;
  const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return result;
  const json = compact(block['text']);
  // Structured content that differs from the text contains more than the text.
  const isSame = structuredContent === undefined || JSON.stringify(structuredContent) === json;
  const toon = json === undefined || !isSame ? undefined : losslessToon(json);
  if (toon === undefined || toon.length > block['text'].length * maxShare) return result;
  const meta = objectOrEmpty(rest['_meta']);
  return { ...rest, content: [{ ...block, text: toon }], _meta: { ...meta, [formatKey]: 'toon' } };
}

/** Returns the outline of a result before its conversion to TOON, which hides it. */
export function outlineOf({ content }: JsonObject): DataOutline {
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  const json = isObject(block) && typeof block['text'] === 'string' ? compact(block['text']) : undefined;
  const value: unknown = json === undefined ? undefined : JSON.parse(json);
  if (Array.isArray(value)) return { elements: value.length };
  return isObject(value) ? { topLevelKeys: Object.keys(value) } : {};
}

/** Tests the mark in `_meta`, because a text alone is ambiguous: `note: hello` may be literal. */
export function isToonResult({ _meta: meta }: JsonObject): boolean {
  return isObject(meta) && meta[formatKey] === 'toon';
}

/** The JSON of an object or array without white space; undefined for any other text. */
function compact(text: string): string | undefined {
  if (text.length > maxTextLength || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(parseJson(text));
  } catch {
    return undefined;
  }
}

/** Undefined if a number would change its spelling, or another value would change. */
function losslessToon(json: string): string | undefined {
  try {
    const toon = toToon(JSON.parse(json));
    return JSON.stringify(fromToon(toon)) === json ? toon : undefined;
  } catch {
    return undefined;
  }
}

// Separates images and audio of a result from the rest, because they are not read as text.

interface MediaAside {
  readonly rest: Result;
  readonly media: readonly JsonObject[];
}

/** A result of more than `longest` bytes is not separated. */
export function separateMedia(result: Result, longest: number): MediaAside {
  if (resultBytes(result) > longest) return { rest: result, media: [] };
  const parsed = result instanceof RawJson ? result.parse() : result;
  const blocks = Array.isArray(parsed['content']) ? (parsed['content'] as unknown[]) : [];
  const media = blocks.filter(isMedia);
  if (media.length === 0) return { rest: result, media };
  return { rest: withoutMedia(parsed), media };
}

export function withoutMedia(result: JsonObject): JsonObject {
  const { content } = result;
  return Array.isArray(content)
    ? { ...result, content: (content as unknown[]).filter((block) => !isMedia(block)) }
    : result;
}

function isMedia(block: unknown): block is JsonObject {
  return isObject(block) && (block['type'] === 'image' || block['type'] === 'audio');
}
