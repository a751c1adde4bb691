/**
 * JSON that loses no digit: numbers a double cannot hold (12345678901234567890, 1.0, 1e400) keep their spelling.
 * They are held as JSON.rawJSON values, which JSON.stringify writes back to the letter.
 */

export type JsonObject = Record<string, unknown>;

/** Spellings that JSON.parse and JSON.stringify would change: 16 digits and more, fractions, exponents, minus zero. */
const riskyNumber = /\d{16}|\d\.\d|\d[eE]|-0/;

interface ReviverContext {
  readonly source?: string;
}

function keepSpelling(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : JSON.rawJSON(context.source);
}

/** JSON.parse, with the spelling of every number kept. Throws SyntaxError as JSON.parse does. */
export function parseJson(text: string): unknown {
  return riskyNumber.test(text) ? (JSON.parse(text, keepSpelling)) : (JSON.parse(text) as unknown);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
