/** Messages between the core and the worker that reads spills. */
import { readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { ErrorCode } from '../../base/errors.ts';
import type { FoundLines, LinePage, SpillQueryResult, SpillQuery, SpillViewQuery, SqlRows } from '../spill-queries.ts';
import type { SpillKind } from '../spill.ts';

/** The file to read; it stays open in this process while a reader uses it. */
export interface ReadTarget {
  readonly fd: number;
  /** The content itself, if it is not a file's. */
  readonly text?: string | undefined;
  /** Name of the file in the response. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly bytes: number;
}

export type ReaderRequest = SpillQuery | SpillViewQuery;

/** Results of the ops that return data; every other op returns a text and its fields. */
interface DataResults {
  readonly lines: LinePage;
  readonly find: FoundLines;
  readonly select: SqlRows;
}

export type ResponseTo<Question extends ReaderRequest> = Question['op'] extends keyof DataResults
  ? DataResults[Question['op']]
  : SpillQueryResult;

export type ReaderResponse = SpillQueryResult | DataResults[keyof DataResults];

export interface ReadRequest {
  readonly target: ReadTarget;
  /** Further results that an SQL statement joins, by table name. */
  readonly others: readonly { readonly name: string; readonly target: ReadTarget }[];
  readonly question: ReaderRequest;
  /** Maximum size of the returned text, in bytes (UTF-8). */
  readonly maxBytes: number;
  /** Line index built by an earlier query. */
  readonly index: LineIndex | undefined;
  /** 0 until it begins, then incremented with every step, so that a step that does not end is noticed. */
  readonly steps: Int32Array<SharedArrayBuffer>;
}

export type ReadReply =
  | { readonly ok: true; readonly answer: ReaderResponse; readonly index: LineIndex | undefined }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly fix: string | undefined };

export function newSteps(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4));
}

// An index of line starts: the number of the first line of every block, so that a line is found without reading the
// file from the start.

/** Lines are the parts between line feeds: a line feed at the end is followed by one more, empty line. */
export interface LineIndex {
  readonly totalLines: number;
  /** `lineFeeds[i]`: number of line feeds before byte `i * stride`. */
  readonly lineFeeds: readonly number[];
}

const stride = 1024 * 1024;
const lineFeed = 0x0a;

export function indexLines(fd: number, bytes: number, step: () => void): LineIndex {
  const lineFeeds: number[] = [];
  let count = 0;
  for (let from = 0; from < bytes; from += stride) {
    lineFeeds.push(count);
    const window = readWindow(fd, from, Math.min(stride, bytes - from));
    for (let at = window.indexOf(lineFeed); at >= 0; at = window.indexOf(lineFeed, at + 1)) count++;
    step();
  }
  return { totalLines: count + 1, lineFeeds };
}

/** Returns the offset where line `line` begins; the end of the file if there is no such line. */
export function startOfLine(fd: number, bytes: number, index: LineIndex, line: number): number {
  if (line <= 1) return 0;
  const before = line - 1;
  const block = Math.max(0, firstNotBelow(index.lineFeeds, before) - 1);
  let count = index.lineFeeds[block] ?? 0;
  const from = block * stride;
  const window = readWindow(fd, from, Math.min(stride, bytes - from));
  for (let at = window.indexOf(lineFeed); at >= 0; at = window.indexOf(lineFeed, at + 1)) {
    if (++count === before) return from + at + 1;
  }
  return bytes;
}

/** Index of the first number in an ascending list that is not less than `number`. */
function firstNotBelow(numbers: readonly number[], number: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Synchronous reads of an open file, in a worker thread.

/** Returns fewer bytes only at the end of the file. */
export function readWindow(fd: number, from: number, length: number): Buffer {
  const window = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < window.length) {
    const count = readSync(fd, window, filled, window.length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return window.subarray(0, filled);
}

const pieceLength = 1024 * 1024;

/** The text of a file from its beginning, in pieces that end between characters. */
export function* textPieces({ fd, bytes, text }: ReadTarget): Generator<string, void, undefined> {
  if (text !== undefined) return void (yield text);
  const decoder = new StringDecoder('utf8');
  for (let from = 0; from < bytes; from += pieceLength) {
    yield decoder.write(readWindow(fd, from, Math.min(pieceLength, bytes - from)));
  }
  yield decoder.end();
}

/** Length of these bytes up to the last complete character. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    // The first byte of a character tells how many follow it.
    if (byte >= 0xc0) return back < sequenceLength(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Number of bytes at the beginning that belong to an earlier character. */
export function brokenCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

/** Truncates a text to this many bytes, between characters. */
export function truncateToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text.slice(0, maxBytes)).subarray(0, Math.max(0, maxBytes));
  return bytes.toString('utf8', 0, wholeCharacters(bytes));
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** Longer JSON is not parsed, in bytes; its lines can be read. */
export const maxDocumentBytes = 64 * 1024 * 1024;
