/** A result with its JSON told as TOON, where that is shorter by enough to be worth another notation and nothing gets lost. */
import { isObject, type JsonObject, parseJson } from '../base/json.ts';
import { fromToon, toToon } from './toon.ts';

const formatKey = 'tooltray/format';

/** At most this share of the JSON's length. */
const mostShare = 0.85;
/** Longer texts (in characters) are not rewritten on the main thread. */
const longestText = 1024 * 1024;

export function toToonResult(result: JsonObject): JsonObject {
  const { content, structuredContent, ...rest } = result;
  const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return result;
  const json = compact(block['text']);
  // What differs from the text says more than the text.
  const isSame = structuredContent === undefined || JSON.stringify(structuredContent) === json;
  const toon = json === undefined || !isSame ? undefined : losslessToon(json);
  if (toon === undefined || toon.length > block['text'].length * mostShare) return result;
  const meta = isObject(rest['_meta']) ? rest['_meta'] : {};
  return { ...rest, content: [{ ...block, text: toon }], _meta: { ...meta, [formatKey]: 'toon' } };
}

/** What stands at the top of an answer's data. */
export interface TopOfData {
  readonly topLevelKeys?: readonly string[];
  readonly elements?: number;
}

/** Of a result that is told as TOON, in which nobody sees it any more: as it was before. */
export function topOfData({ content }: JsonObject): TopOfData {
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  const json = isObject(block) && typeof block['text'] === 'string' ? compact(block['text']) : undefined;
  const value: unknown = json === undefined ? undefined : JSON.parse(json);
  if (Array.isArray(value)) return { elements: value.length };
  return isObject(value) ? { topLevelKeys: Object.keys(value) } : {};
}

/** A text alone does not say so: `note: hello` may be meant as it stands. */
export function isToldAsToon({ _meta: meta }: JsonObject): boolean {
  return isObject(meta) && meta[formatKey] === 'toon';
}

/** The JSON of an object or array without its spaces; undefined for any other text. */
function compact(text: string): string | undefined {
  if (text.length > longestText || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(parseJson(text));
  } catch {
    return undefined;
  }
}

/** undefined where a number would change its spelling, or anything else its value. */
function losslessToon(json: string): string | undefined {
  try {
    const toon = toToon(JSON.parse(json));
    return JSON.stringify(fromToon(toon)) === json ? toon : undefined;
  } catch {
    return undefined;
  }
}
