/**
 * Splits a TOML text into statements with their positions, which no TOML parser reports. The text is known to be valid.
 */

export interface TomlStatement {
  readonly kind: 'table' | 'list' | 'pair';
  /** All keys from the root: for a table its own, for a pair those of its table and its own. */
  readonly path: readonly string[];
  /** From the start of its first line to the end of its last one, including the line break. */
  readonly start: number;
  readonly end: number;
}

/** In file order; comments and blank lines between them belong to none. */
export function tomlStatements(text: string): TomlStatement[] {
  const found: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let start = 0; start < text.length;) {
    const first = skipBlanks(text, start);
    if (text[first] === '[') {
      const isList = text[first + 1] === '[';
      const { keys } = readKeys(text, first + (isList ? 2 : 1));
      const end = endOfLine(text, first);
      table = keys;
      found.push({ kind: isList ? 'list' : 'table', path: keys, start, end });
      start = end;
    } else if (text[first] === undefined || '#\r\n'.includes(text[first])) {
      start = endOfLine(text, first);
    } else {
      const { keys, end: equals } = readKeys(text, first);
      const end = endOfStatement(text, equals + 1);
      found.push({ kind: 'pair', path: [...table, ...keys], start, end });
      start = end;
    }
  }
  return found;
}

/** Parses dotted keys, bare or quoted, up to the following sign. */
function readKeys(text: string, start: number): { readonly keys: string[]; readonly end: number } {
  const keys: string[] = [];
  for (let at = skipBlanks(text, start); ; at = skipBlanks(text, at + 1)) {
    const quote = text[at];
    const end = quote === '"' || quote === "'" ? endOfString(text, at) : endOfBare(text, at);
    const written = text.slice(at, end);
    keys.push(quote === '"' ? unquoted(written) : quote === "'" ? written.slice(1, -1) : written);
    at = skipBlanks(text, end);
    if (text[at] !== '.') return { keys, end: at };
  }
}

function unquoted(written: string): string {
  // TOML's long escapes have no equivalent in JSON.
  const plain = written.replace(/\\U([0-9a-fA-F]{8})/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return JSON.parse(plain.replace(/\t/g, '\\t')) as string;
}

function endOfBare(text: string, start: number): number {
  return start + (/^[\w-]*/.exec(text.slice(start, start + 1000))?.[0].length ?? 0);
}

/** Offset after the value: the first line break outside of strings, comments and brackets. */
function endOfStatement(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (sign === '"' || sign === "'") at = endOfString(text, at) - 1;
    else if (sign === '#') at = endOfComment(text, at) - 1;
    else if ('[{'.includes(sign)) depth++;
    else if (']}'.includes(sign)) depth--;
    else if (sign === '\n' && depth === 0) return at + 1;
  }
  return text.length;
}

/** Returns the end of a string of any kind; `start` is at the first quote. */
function endOfString(text: string, start: number): number {
  const quote = text[start] ?? '';
  const isLong = text.startsWith(quote.repeat(3), start);
  const close = isLong ? quote.repeat(3) : quote;
  let at = start + close.length;
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  let end = at + close.length;
  // A multi-line string may end with one or two quotes of its own.
  while (isLong && text[end] === quote && end - at < 5) end++;
  return end;
}

function endOfComment(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}
