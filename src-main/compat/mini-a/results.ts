/** Results of `proxy-dispatch`: a text, and facts for programs in `_meta`. */
import { AppError } from '../../core/base/errors.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { firstTextOf } from '../../core/calls/read-arguments.ts';
import { toToon } from '../../core/spills/toon.ts';

/** `_meta` key of the members that mini-a returns next to its text. */
const factsKey = 'tooltray/dispatch';

/**
 * `more` are content blocks that follow the text. No `structuredContent`, because apps that support it show the model
 * nothing else, and
 * the text is the result.
 */
export function envelope(facts: JsonObject, text: string, more: readonly unknown[] = []): JsonObject {
  return {
    content: [{ type: 'text', text }, ...more],
    _meta: { [factsKey]: facts },
    ...(facts['error'] !== undefined && { isError: true }),
  };
}

export function errorEnvelope(facts: JsonObject, error: string, more: readonly unknown[] = []): JsonObject {
  return envelope({ ...facts, error }, `Error: ${error}`, more);
}

/** Mini-a's estimate: four characters per token. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The text of a detailed result: TOON, as in mini-a, or JSON if TOON cannot represent it. */
export function toDetailText(value: unknown): string {
  try {
    return toToon(value);
  } catch {
    return JSON.stringify(value);
  }
}

// Inputs of `proxy-dispatch` as models write them: numbers and booleans may be strings.

/** Throws AppError `bad_request` if not a boolean. */
export function readFlag(input: JsonObject, key: string, otherwise: boolean): boolean {
  const value = input[key];
  if (value === undefined || value === null) return otherwise;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new AppError('bad_request', `'${key}' must be true or false.`, { fix: 'Omit it.' });
}

/** Whether list and search return all details. Throws AppError `bad_request` for another format. */
export function isDetailed(input: JsonObject): boolean {
  const format = firstTextOf(input, ['format'])?.text.toLowerCase() ?? 'compact';
  if (format === 'compact' || format === 'detail') return format === 'detail';
  throw new AppError('bad_request', `Unknown format '${format}'.`, { fix: 'Formats: compact, detail.' });
}
