/** Ops head, tail, slice and read: a range of the file, truncated to a limit. */
import type { LinePage, SpillQueryResult, SpillViewQuery } from '../spill-queries.ts';
import {
  brokenCharacter,
  type LineIndex,
  type ReadTarget,
  readWindow,
  startOfLine,
  wholeCharacters,
} from './reader-messages.ts';

interface Stretch {
  /** First byte (inclusive) and last byte (exclusive). */
  readonly from: number;
  readonly to: number;
}

export function readHead(target: ReadTarget, index: LineIndex, lines: number, maxBytes: number): SpillQueryResult {
  const to = endOfLine(target, index, lines);
  const { totalLines } = index;
  return { ...readFrom(target, { from: 0, to }, maxBytes, totalLines === 1), fields: { lines, totalLines } };
}

/** Returns the last lines; of a tail that is too long, its end. */
export function readTail(target: ReadTarget, index: LineIndex, lines: number, maxBytes: number): SpillQueryResult {
  const { fd, bytes } = target;
  const fields = { lines, totalLines: index.totalLines };
  const wanted = startOfLine(fd, bytes, index, index.totalLines - lines + 1);
  const from = Math.max(wanted, bytes - maxBytes);
  if (from === wanted) return { ...readFrom(target, { from, to: bytes }, maxBytes), fields };
  const window = readWindow(fd, from, bytes - from);
  const text = window.toString('utf8', brokenCharacter(window));
  const why = index.totalLines === 1 ? oneLine : '';
  const note = `[TRUNCATED at ${maxBytes} bytes: the first ${from - wanted} bytes of these lines are omitted.${why} From there: op='read', fromByte=${wanted}]`;
  return { text: `${note}\n${text}`, fields, truncated: true };
}

export function readSlice(
  target: ReadTarget,
  index: LineIndex,
  wanted: { readonly fromLine: number; readonly toLine: number | undefined },
  maxBytes: number,
): SpillQueryResult {
  const { totalLines } = index;
  const fromLine = Math.min(wanted.fromLine, totalLines);
  const toLine = Math.max(fromLine, Math.min(wanted.toLine ?? totalLines, totalLines));
  const fields = { fromLine, toLine, totalLines };
  // A range after the last line must stay empty.
  if (wanted.fromLine > totalLines) {
    return { text: `(the file ends with line ${totalLines})`, fields, truncated: false };
  }
  return { ...readFrom(target, stretchOf(target, index, fromLine, toLine), maxBytes, totalLines === 1), fields };
}

/** Maximum length of a line shown to the user, in characters. */
const maxLineLength = 4000;

/** The same range as rows. An incomplete last line is left for the next page, unless it is the only one. */
export function viewLines(
  target: ReadTarget,
  index: LineIndex,
  { fromLine, toLine }: Extract<SpillViewQuery, { op: 'lines' }>,
  maxBytes: number,
): LinePage {
  const { totalLines } = index;
  if (fromLine > totalLines) return { lines: [], totalLines };
  const { text, next } = takeFrom(target, stretchOf(target, index, fromLine, toLine), maxBytes);
  const rows = text.split('\n');
  const whole = next === undefined ? rows : rows.slice(0, Math.max(1, rows.length - 1));
  const lines = whole.map((line, at) => {
    const isCut = line.length > maxLineLength;
    return { number: fromLine + at, text: isCut ? line.slice(0, maxLineLength) : line, isCut };
  });
  return { lines, totalLines };
}

export function readBytes(target: ReadTarget, index: LineIndex, fromByte: number, maxBytes: number): SpillQueryResult {
  const { bytes } = target;
  const from = Math.min(fromByte, bytes);
  const fields = { totalLines: index.totalLines, byteSize: bytes, ...(from > 0 && { fromByte: from }) };
  return { ...readFrom(target, { from, to: bytes }, maxBytes), fields };
}

/** Explains why fewer lines return no less, and what does. */
const oneLine = " It is a single line: op='grep' shows what surrounds a match.";

/** Returns text for a model, noting what is missing. `isOneLine`: the file is one line and lines were requested. */
function readFrom(
  target: ReadTarget,
  stretch: Stretch,
  maxBytes: number,
  isOneLine = false,
): Omit<SpillQueryResult, 'fields'> {
  const { text, next } = takeFrom(target, stretch, maxBytes);
  if (next === undefined) return { text, truncated: false };
  const size = stretch.to - stretch.from;
  const note = `[TRUNCATED at ${maxBytes} bytes of ${size}.${isOneLine ? oneLine : ''} Continue with op='read', fromByte=${next}; the file has ${target.bytes} bytes]`;
  return { text: `${text}\n${note}`, truncated: true };
}

/** `next`: the first omitted byte. */
function takeFrom({ fd }: ReadTarget, { from, to }: Stretch, maxBytes: number): { text: string; next?: number } {
  const window = readWindow(fd, from, Math.min(maxBytes, to - from));
  if (from + window.length >= to) return { text: window.toString('utf8') };
  // Less than one character would make no progress.
  const length = wholeCharacters(window) || window.length;
  return { text: window.toString('utf8', 0, length), next: from + length };
}

function stretchOf(target: ReadTarget, index: LineIndex, fromLine: number, toLine: number): Stretch {
  const from = startOfLine(target.fd, target.bytes, index, fromLine);
  return { from, to: endOfLine(target, index, toLine) };
}

/** Returns the offset where line `line` ends, without its line feed. */
function endOfLine({ fd, bytes }: ReadTarget, index: LineIndex, line: number): number {
  return line >= index.totalLines ? bytes : startOfLine(fd, bytes, index, line + 1) - 1;
}

/** Reads the lines of a file of any size, one block at a time. */
export interface FileLine {
  /** Starts at 1. */
  readonly number: number;
  readonly text: string;
  /** Set for a part of an overlong line: the byte where this part begins. All parts have the same number. */
  readonly partFrom?: number;
}

const blockLength = 4 * 1024 * 1024;
const lineFeed = 0x0a;

/** A line feed at the end of the file is followed by one more, empty line. */
export function* eachLine(fd: number, bytes: number): Generator<FileLine, void, undefined> {
  let number = 1;
  let from = 0;
  let isInside = false;
  while (from < bytes) {
    const window = readWindow(fd, from, Math.min(blockLength, bytes - from));
    // The file has been truncated meanwhile.
    if (window.length === 0) return;
    const isLast = from + window.length >= bytes;
    const wholeLines = isLast ? window.length : window.lastIndexOf(lineFeed) + 1;
    const length = wholeLines === 0 ? wholeCharacters(window) || window.length : wholeLines;
    const text = window.toString('utf8', 0, length);
    if (wholeLines === 0) yield { number, text, partFrom: from };
    else number = yield* linesOf(text, number, isInside ? from : undefined);
    isInside = wholeLines === 0;
    from += length;
  }
  if (bytes === 0 || endsWithLineFeed(fd, bytes)) yield { number, text: '' };
}

/** Returns the number of the next line. `partFrom`: the first line began before. */
function* linesOf(text: string, first: number, partFrom: number | undefined): Generator<FileLine, number, undefined> {
  let number = first;
  let start = 0;
  const part = partFrom === undefined ? {} : { partFrom };
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield { number, text: text.slice(start, end), ...(number === first && part) };
    number++;
    start = end + 1;
  }
  if (start < text.length) yield { number, text: text.slice(start), ...(number === first && part) };
  return number;
}

function endsWithLineFeed(fd: number, bytes: number): boolean {
  return readWindow(fd, bytes - 1, 1)[0] === lineFeed;
}

// Op stat: the size of a file.

/** `index`: absent for content without lines. */
export function describeFile({ file, kind, bytes }: ReadTarget, index: LineIndex | undefined): SpillQueryResult {
  const tokens = Math.ceil(bytes / 4);
  const size = `Size: ${bytes} bytes`;
  if (index === undefined) {
    const text = `File: ${file}\n${size}\nKind: ${kind}, not text`;
    return { text, fields: { byteSize: bytes }, truncated: false };
  }
  const text = `File: ${file}\n${size} (~${tokens} tokens)\nLines: ${index.totalLines}`;
  const fields = { byteSize: bytes, lineCount: index.totalLines, estimatedTokens: tokens };
  return { text, fields, truncated: false };
}
