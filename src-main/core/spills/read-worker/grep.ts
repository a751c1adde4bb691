/** Operation `grep`: returns matching lines up to a limit, and the number of all matches. */
import type { FoundLines, SpillQueryResult, SpillLine } from '../spill-queries.ts';
import { ElementMatcher, type FoundElement } from './grep-elements.ts';
import { eachLine, type FileLine } from './read-lines.ts';
import type { ReadTarget } from './reader-messages.ts';

interface Wanted {
  readonly pattern: string;
  readonly context: number;
  readonly limit?: number | undefined;
  readonly elements?: boolean;
}

/** Returns matches as numbered, grouped lines. Calls `step` before each piece of text is matched. */
export function grepLines(target: ReadTarget, wanted: Wanted, maxBytes: number, step: () => void): SpillQueryResult {
  const { pattern, limit = Number.MAX_SAFE_INTEGER } = wanted;
  // A request with context lines gets lines instead of elements.
  if (wanted.elements === true && target.kind === 'json' && wanted.context === 0)
    return grepElements(target, wanted, maxBytes, step);
  const { found, matchCount, totalLines } = search(target, wanted, maxBytes, step);
  const limited = !found.isFull && matchCount > limit;
  const fields = { pattern, matchCount, returnedMatches: found.returned, totalLines, ...(limited && { limited }) };
  const note = limited ? `[LIMITED to first ${limit} of ${matchCount} matches]` : undefined;
  const cut = `[TRUNCATED at ${maxBytes} bytes: ${found.returned} of ${matchCount} matches shown. Use a longer pattern; op='slice' shows full lines]`;
  const lines = found.rows.map((row, at) => rowText(row, found.rows[at - 1]?.number));
  const text = [...lines, found.isFull ? cut : note].filter((part) => part !== undefined).join('\n');
  return { text: text === '' ? '(no matches)' : text, fields, truncated: found.isFull };
}

/** Greps data that has one value per line; returns the elements that contain the matches, as JSON. */
function grepElements(
  target: ReadTarget,
  { pattern, limit = Number.MAX_SAFE_INTEGER }: Wanted,
  maxBytes: number,
  step: () => void,
): SpillQueryResult {
  const regex = linePattern(pattern);
  const elements = new ElementMatcher();
  const notes: string[] = [];
  let [bytes, returned, matchCount, totalLines, lastMatch] = [0, 0, 0, 0, 0];
  let [isFull, before] = [false, Number.MAX_SAFE_INTEGER];
  const show = ({ fromLine, toLine, text, matches }: FoundElement): void => {
    if (isFull || returned >= limit) return;
    const isLine = toLine === fromLine;
    const apart = isLine && fromLine > before + 1 ? '---\n' : '';
    const row = `${apart}${fromLine}${isLine ? '' : `-${toLine}`}: ${text}`;
    bytes += Buffer.byteLength(row) + 1;
    isFull = bytes > maxBytes;
    if (isFull) return;
    notes.push(row);
    returned += matches;
    // Adjacent elements are distinguished by line, because each has one line.
    before = isLine ? fromLine : totalLines;
  };
  for (const line of joined(eachLine(target.fd, target.bytes))) {
    totalLines = line.number;
    const ended = elements.addLine(line);
    const match = findInLine(regex, line.text, step);
    if (match !== undefined && line.number !== lastMatch) {
      matchCount++;
      lastMatch = line.number;
      const { text } = excerpt(line, match);
      const shown = { fromLine: line.number, toLine: line.number, text, matches: 1 };
      if (!elements.match(line.number, text.trim())) show(shown);
    }
    for (const one of ended) show(one);
  }
  const limited = !isFull && matchCount > returned;
  const note = `[LIMITED to first ${returned} of ${matchCount} matches]`;
  const cut = `[TRUNCATED at ${maxBytes} bytes: ${returned} of ${matchCount} matches shown. Use a longer pattern; op='query' returns selected fields]`;
  const text = [...notes, ...(isFull ? [cut] : limited ? [note] : [])].join('\n');
  const fields = { pattern, matchCount, returnedMatches: returned, totalLines, ...(limited && { limited }) };
  return { text: text === '' ? '(no matches)' : text, fields, truncated: isFull };
}

/** The same as rows. */
export function findLines(
  target: ReadTarget,
  wanted: Pick<Wanted, 'pattern' | 'limit'>,
  maxBytes: number,
  step: () => void,
): FoundLines {
  const { found, matchCount } = search(target, { ...wanted, context: 0 }, maxBytes, step);
  return { lines: found.rows, matchCount };
}

interface Found {
  readonly found: GrowingRows;
  readonly matchCount: number;
  readonly totalLines: number;
}

function search(target: ReadTarget, wanted: Wanted, maxBytes: number, step: () => void): Found {
  const { pattern, context, limit = Number.MAX_SAFE_INTEGER } = wanted;
  const regex = linePattern(pattern);
  const found = new GrowingRows(context, limit, maxBytes);
  let matchCount = 0;
  let totalLines = 0;
  let lastMatch = 0;
  for (const line of joined(eachLine(target.fd, target.bytes))) {
    totalLines = line.number;
    const match = findInLine(regex, line.text, step);
    if (match === undefined) {
      found.pass(line);
      continue;
    }
    // Parts of one long line count as one matching line.
    if (line.number !== lastMatch) matchCount++;
    lastMatch = line.number;
    found.match(line, match);
  }
  return { found, matchCount, totalLines };
}

/** `before`: the number of the previous row. */
function rowText({ number, text }: SpillLine, before = number): string {
  return `${number > before + 1 ? '---\n' : ''}${number}: ${text}`;
}

/** Parts of a long line overlap, so that matches across a boundary are found. */
function* joined(lines: Iterable<FileLine>): Generator<FileLine, void, undefined> {
  let before: FileLine | undefined;
  for (const line of lines) {
    const end = before?.partFrom !== undefined && before.number === line.number ? before.text.slice(-overlap) : '';
    const { number, text, partFrom } = line;
    yield partFrom === undefined ? line : { number, text: end + text, partFrom: partFrom - Buffer.byteLength(end) };
    before = line;
  }
}

// Collects matching lines and their context, up to a text of limited size.

/** In characters. Of a longer line, only the part around the match is shown. */
const maxLineLength = 1000;
const beforeMatch = 200;

class GrowingRows {
  readonly #context: number;
  readonly #maxMatches: number;
  readonly #maxBytes: number;
  readonly rows: SpillLine[] = [];
  /** Preceding lines, shown as context if a following line matches. */
  #before: SpillLine[] = [];
  #after = 0;
  #bytes = 0;
  #returned = 0;
  #isFull = false;

  constructor(context: number, maxMatches: number, maxBytes: number) {
    // A line takes at least four bytes, so more of them cannot be shown.
    this.#context = Math.min(context, Math.ceil(maxBytes / 4));
    this.#maxMatches = maxMatches;
    this.#maxBytes = maxBytes;
  }

  get #lastShown(): number | undefined {
    return this.rows.at(-1)?.number;
  }

  /** Number of shown matches. */
  get returned(): number {
    return this.#returned;
  }

  /** Whether more would not fit. */
  get isFull(): boolean {
    return this.#isFull;
  }

  match(line: FileLine, found: Match): void {
    const isBelowLimit = !this.#isFull && this.#returned < this.#maxMatches;
    this.#after = isBelowLimit ? this.#context : 0;
    if (!isBelowLimit) return;
    const before = this.#before.filter(({ number }) => number !== line.number);
    this.#before = [];
    for (const row of before) this.#show(row);
    if (this.#lastShown !== line.number && this.#show(excerpt(line, found))) this.#returned++;
  }

  pass(line: FileLine): void {
    const { number } = line;
    // The first part of a split line stands for the whole line.
    const isKnown = number === this.#lastShown || number === this.#before.at(-1)?.number;
    if (this.#isFull || this.#context === 0 || isKnown) return;
    if (this.#after > 0) {
      this.#after--;
      this.#show(excerpt(line));
      return;
    }
    this.#before.push(excerpt(line));
    if (this.#before.length > this.#context) this.#before.shift();
  }

  #show(row: SpillLine): boolean {
    if (this.#isFull || row.number === this.#lastShown) return !this.#isFull;
    this.#bytes += Buffer.byteLength(rowText(row, this.#lastShown)) + 1;
    if (this.#bytes > this.#maxBytes) {
      this.#isFull = true;
      return false;
    }
    this.rows.push(row);
    return true;
  }
}

/** A line as shown: a long one around the match, without half of a surrogate pair. */
function excerpt(line: FileLine, { at, length }: Match = { at: 0, length: 0 }): SpillLine {
  const { number, text, partFrom } = line;
  if (text.length <= maxLineLength && partFrom === undefined) return { number, text };
  const from = Math.max(0, Math.min(at - beforeMatch, text.length - maxLineLength));
  const to = Math.min(text.length, Math.max(from + maxLineLength, Math.min(at + length, from + 2 * maxLineLength)));
  const middle = text
    .slice(from, to)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '');
  const place =
    partFrom === undefined
      ? `characters ${from + 1} to ${to} of ${text.length}`
      : `a part of the line: more with op='read', fromByte=${partFrom + Buffer.byteLength(text.slice(0, from))}`;
  const prefix = from > 0 || partFrom !== undefined ? '…' : '';
  return { number, text: `${prefix}${middle}${to < text.length ? '…' : ''} [${place}]` };
}

// The pattern of op grep: a regular expression, or literal text if it is not a valid one. Ignores case.

interface Match {
  readonly at: number;
  readonly length: number;
}

/** Longer lines are searched in pieces, because the cost of a pattern may be quadratic. */
const pieceLength = 64 * 1024;
/** Overlap of pieces, so that matches across a boundary are found. */
const overlap = 1024;

function linePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i');
  } catch {
    return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'i');
  }
}

/** `step` is called before each piece. */
function findInLine(pattern: RegExp, text: string, step: () => void): Match | undefined {
  // The carriage return of a Windows line break is not part of the line.
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  for (let from = 0; ; from += pieceLength - overlap) {
    step();
    const piece = line.length <= pieceLength ? line : line.slice(from, from + pieceLength);
    const found = pattern.exec(piece);
    if (found !== null) return { at: from + found.index, length: found[0].length };
    if (from + pieceLength >= line.length) return undefined;
  }
}
