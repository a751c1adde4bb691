/**
 * JSON that loses no digit: numbers a double cannot hold (12345678901234567890, 1.0, 1e400) keep their spelling.
 * They are held as JSON.rawJSON values, which JSON.stringify writes back to the letter.
 */
import { isNestedTooDeep, maxNesting } from './json-nesting.ts';

export type JsonObject = Record<string, unknown>;

/**
 * Spellings that JSON.parse and JSON.stringify would change: 16 digits and more, fractions, exponents, minus zero.
 * What stands behind a quote, letter or dot is no number of JSON: without that every `"jsonrpc":"2.0"` would be read slowly.
 */
const riskyNumber = /(?<![\w".])\d(?:\d{15}|\d*(?:\.\d|[eE]))|(?<![\w"])-0/;

interface ReviverContext {
  readonly source?: string;
}

function keepSpelling(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : JSON.rawJSON(context.source);
}

/** JSON.parse, with the spelling of every number kept. Throws SyntaxError as JSON.parse does, RangeError beyond `maxNesting`. */
export function parseJson(text: string): unknown {
  if (isNestedTooDeep(text)) throw new RangeError(`The JSON is nested more than ${maxNesting} levels deep.`);
  return riskyNumber.test(text) ? JSON.parse(text, keepSpelling) : (JSON.parse(text) as unknown);
}

/** The number that a value is, also where its spelling is kept; anything else as it is. */
export function plainNumber(value: unknown): unknown {
  return JSON.isRawJSON(value) ? Number((value as { rawJSON: string }).rawJSON) : value;
}

/** A text that somebody sent, or what else they sent in its place as JSON: `String` runs, and fails on, an object's own `toString`. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
