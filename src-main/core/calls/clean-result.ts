/** Removes from results what is invisible to users but read by models, if the user enabled it (`results.clean`). */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { formatCount } from '../base/text-format.ts';
import { stripInvisible } from '../trust/scan/invisible-text.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';

/** A longer result is not parsed to clean it. In bytes. */
const maxCleanedBytes = 64 * 1024 * 1024;
const maxDepth = 64;

/**
 * Returns the same result if nothing is hidden in it, otherwise a copy that says how much was removed. Member names
 * stay unchanged.
 */
export function cleanResult(result: Result): Result {
  if (result instanceof RawJson) {
    if (result.byteLength > maxCleanedBytes)
      return withNote(result, 'It is too long to check for invisible characters.');
    const parsed = result.parse();
    const cleaned = cleanResult(parsed);
    return cleaned === parsed ? result : cleaned;
  }
  const counter = { removed: 0 };
  const cleaned = objectOrEmpty(cleanedValue(result, counter, 0));
  if (counter.removed === 0) return result;
  const { removed } = counter;
  return withNote(
    cleaned,
    `${formatCount(removed, 'invisible character')} ${removed === 1 ? 'was' : 'were'} removed from this result.`,
  );
}

function cleanedValue(value: unknown, counter: { removed: number }, depth: number): unknown {
  if (typeof value === 'string') {
    const { text, removed } = stripInvisible(value);
    counter.removed += removed;
    return text;
  }
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => cleanedValue(item, counter, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isBytes(value, key) ? item : cleanedValue(item, counter, depth + 1),
    ]),
  );
}

/** Whether a member contains Base64, which has no hidden characters and can be long. */
function isBytes({ type }: JsonObject, key: string): boolean {
  return key === 'blob' || (key === 'data' && (type === 'image' || type === 'audio'));
}

/** Adds a note for the model to the content, and for programs to `_meta`. */
function withNote(result: Result, note: string): Result {
  const noted = { 'tooltray/cleaned': note };
  if (result instanceof RawJson) return result.withMembers({ _meta: noted });
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return {
    ...result,
    content: [...content, { type: 'text', text: note }],
    _meta: { ...objectOrEmpty(result['_meta']), ...noted },
  };
}
