/**
 * JSON without loss of digits: numbers that a double cannot represent (12345678901234567890, 1.0, 1e400) keep their
 * spelling. They are JSON.rawJSON values, which JSON.stringify writes verbatim.
 */

export type JsonObject = Record<string, unknown>;

/**
 * Spellings that JSON.parse and JSON.stringify would change: 16 digits and more, fractions, exponents, minus zero.
 * Digits after a quote, letter or dot are not a JSON number; otherwise every `"jsonrpc":"2.0"` would take the slow
 * path.
 */
const riskyNumber = /(?<![\w".])\d(?:\d{15}|\d*(?:\.\d|[eE]))|(?<![\w"])-0/;

/**
 * JSON.parse that preserves the spelling of every number. Throws SyntaxError as JSON.parse does, RangeError beyond
 * `maxNesting`.
 */
export function parseJson(text: string): unknown {
  if (isNestedTooDeep(text)) throw new RangeError(`The JSON is nested more than ${maxNesting} levels deep.`);
  if (!riskyNumber.test(text) || !keepsSpellings) return JSON.parse(text) as unknown;
  const marked = withMarkedNumbers(text);
  if (marked === text) return JSON.parse(text) as unknown;
  return withSpellings(JSON.parse(marked));
}

/** Node 20, which may run a shim, cannot preserve spellings. */
const keepsSpellings = typeof (JSON as Partial<typeof JSON>).rawJSON === 'function';

// Parses numbers with a special spelling as marked strings. A reviver is called for every value: a megabyte of numbers
// took 250 ms with one, and takes 25 ms this way.

/** A random prefix that no text starts with by chance. */
const mark = `\u0001${Math.random().toString(36).slice(2)}:`;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function withMarkedNumbers(text: string): string {
  const written = JSON.stringify(mark).slice(0, -1);
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    if (!isPartOfNumber(code)) continue;
    let end = at + 1;
    while (end < text.length && isPartOfNumber(text.charCodeAt(end))) end++;
    const spelling = text.slice(at, end);
    // An invalid number stays unchanged, so that JSON.parse rejects it.
    if (String(Number(spelling)) !== spelling && jsonNumber.test(spelling)) {
      parts.push(text.slice(from, at), written, spelling, '"');
      from = end;
    }
    at = end - 1;
  }
  return parts.length === 0 ? text : `${parts.join('')}${text.slice(from)}`;
}

/** A digit, `-`, `+`, `.`, `e` or `E`. */
function isPartOfNumber(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e || code === 0x65 || code === 0x45
  );
}

function withSpellings(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? JSON.rawJSON(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = value as unknown[];
    for (let at = 0; at < list.length; at++) {
      const item = list[at];
      if (typeof item === 'string' || typeof item === 'object') list[at] = withSpellings(item);
    }
    return list;
  }
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'string' ? member.startsWith(mark) : typeof member === 'object')
      defineMember(value as JsonObject, key, withSpellings(member));
  }
  return value;
}

/** A number as a plain number, also if its spelling is preserved; other values unchanged. */
export function toPlainNumber(value: unknown): unknown {
  return isSpelled(value) ? Number((value as { rawJSON: string }).rawJSON) : value;
}

/** Whether it is a number with preserved spelling. Node 20, which may run a shim, has no such values. */
const isSpelled: (value: unknown) => boolean = (JSON as Partial<typeof JSON>).isRawJSON ?? (() => false);

/**
 * A text as it is, other values as JSON. (`String` would call, and fail on, an object's own
 * `toString`.)
 */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSpelled(value);
}

/** The value if it is an object, otherwise an empty object: for members that foreign data may lack. */
export function objectOrEmpty(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * Maximum nesting of JSON. JSON.parse accepts any depth, but JSON.stringify, a reviver and other recursive functions
 * overflow the stack from about a thousand levels on. Real documents stay below a hundred.
 */
export const maxNesting = 500;

const quote = 0x22;
const backslash = 0x5c;

/** Whether lists and objects are nested deeper than `maxNesting`. Almost free for texts with fewer brackets. */
export function isNestedTooDeep(text: string): boolean {
  // Each nesting level takes two characters.
  if (text.length <= 2 * maxNesting || !hasManyBrackets(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === quote) at = endOfString(text, at);
    else if (letter === 0x5b || letter === 0x7b) {
      if (++depth > maxNesting) return true;
    } else if (letter === 0x5d || letter === 0x7d) depth--;
  }
  return false;
}

function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++count > maxNesting) return true;
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** Undefined for invalid JSON; undefined is not a JSON value. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The same with plain numbers, as JSON.parse reads them. */
export function tryParsePlainJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Defines a plain member, even for `__proto__`, whose assignment would set the prototype. */
export function defineMember(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The value if it is a text, otherwise an empty text. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Copies a JSON value and replaces each of its texts; `path` are the keys and indexes of the text. */
export function mapTexts(
  value: unknown,
  onText: (text: string, path: readonly PropertyKey[]) => string,
  path: readonly PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') return onText(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, onText, [...path, index]));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, onText, [...path, key])]));
}

// White space between the tokens of JSON (RFC 8259, section 2).

/** `byte`: UTF-8; undefined at the end. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}
