/**
 * JSON without loss of digits: numbers that a double cannot represent (12345678901234567890, 1.0, 1e400) keep their
 * spelling. They are JSON.rawJSON values, which JSON.stringify writes verbatim.
 */

export type JsonObject = Record<string, unknown>;

/**
 * JSON.parse that preserves the spelling of every number. Throws SyntaxError as JSON.parse does, RangeError beyond
 * `maxNesting`.
 */
export function parseJson(text: string): unknown {
  const marked = withMarkedNumbers(text);
  if (marked === undefined) throw new RangeError(`The JSON is nested more than ${maxNesting} levels deep.`);
  const value = JSON.parse(marked) as unknown;
  return marked === text ? value : withSpellings(value);
}

/** Node 20, which may run a shim, cannot preserve spellings. */
const keepsSpellings = typeof (JSON as Partial<typeof JSON>).rawJSON === 'function';

// Parses numbers with a special spelling as marked strings. A reviver is called for every value: a megabyte of numbers
// took 250 ms with one, and takes 10 ms this way.

/** A random prefix that no text starts with by chance. */
const mark = `\u0001${Math.random().toString(36).slice(2)}:`;
const openingMark = JSON.stringify(mark).slice(0, -1);
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The text with each number that JSON.parse and JSON.stringify would change as a marked string. Undefined if nested too deep. */
function withMarkedNumbers(text: string): string | undefined {
  const parts: string[] = [];
  let from = 0;
  const isDeep = isNestedTooDeep(text, (start, end) => {
    const spelling = text.slice(start, end);
    // An invalid number stays unchanged, so that JSON.parse rejects it.
    if (!keepsSpellings || String(Number(spelling)) === spelling || !jsonNumber.test(spelling)) return;
    parts.push(text.slice(from, start), openingMark, spelling, '"');
    from = end;
  });
  if (isDeep) return undefined;
  return parts.length === 0 ? text : `${parts.join('')}${text.slice(from)}`;
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
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;

/**
 * Whether lists and objects are nested deeper than `maxNesting`. Calls `onNumber` with the range of each number that
 * JSON.parse and JSON.stringify might change.
 */
export function isNestedTooDeep(text: string, onNumber?: (start: number, end: number) => void): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxNesting) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (onNumber !== undefined && !isShortDecimal(text, at, end)) onNumber(at, end);
      at = end - 1;
    }
  }
  return false;
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === quote) break;
    if (code === backslash) end++;
  }
  return end;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (!isDigit(code) && code !== dot && code !== minus && code !== 0x2b && code !== 0x65 && code !== 0x45) break;
  }
  return end;
}

/**
 * Whether it is certain that JSON.stringify writes the number as it is spelled: at most 15 digits, which every double
 * represents, no exponent, no trailing zero after a point, and not near zero.
 */
function isShortDecimal(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  if (end - start > 15 || first === minus) return false;
  if (first === zero) return end === start + 1;
  let points = 0;
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === dot) points++;
    else if (!isDigit(code)) return false;
  }
  const last = text.charCodeAt(end - 1);
  return points === 0 || (points === 1 && last !== zero && last !== dot);
}

function isDigit(code: number): boolean {
  return code >= zero && code <= 0x39;
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
