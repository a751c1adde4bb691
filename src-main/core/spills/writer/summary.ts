/** Summarizes a part for the model: its shape, its tables, both its ends, and the payload to count. */
import { formatNumber } from '../../base/text-format.ts';
import { isTextKind, type Payload } from '../spill-writer-messages.ts';
import { queryExample, describeShapeNode, shapeOf } from '../value-shape.ts';
import type { SpillKind, SpillSummary } from '../spill.ts';
import { describeTables } from '../tables/describe-tables.ts';
import { formatOf, sampleLength, tablesInText } from '../tables/text-tables.ts';
import { type Table, tablesIn } from '../tables/value-tables.ts';

/** A sample of a file: its number of lines and the bytes at both ends; a short file is entirely in `first`. */
export interface PartLook {
  readonly bytes: number;
  readonly lines: number;
  /** In bytes. */
  readonly maxLineLength: number;
  readonly first: Buffer;
  readonly last: Buffer;
}

export const endBytes = 8192;
const newline = 0x0a;

export function inspect(content: Buffer): PartLook {
  let [lines, maxLineLength, start] = [1, 0, 0];
  for (let at = content.indexOf(newline); at >= 0; at = content.indexOf(newline, start)) {
    maxLineLength = Math.max(maxLineLength, at - start);
    lines++;
    start = at + 1;
  }
  maxLineLength = Math.max(maxLineLength, content.length - start);
  const last = content.subarray(Math.max(0, content.length - endBytes));
  return { bytes: content.length, lines, maxLineLength, first: content.subarray(0, sampleLength), last };
}

/** Longer texts are counted by pieces, in bytes. */
const maxCountedLength = 4 * 1024 * 1024;
const pieces = 32;
const pieceBytes = 16 * 1024;

/**
 * Returns the texts whose tokens are counted. Images and audio are excluded, because their cost depends on the model.
 */
export function payloadOf(payload: Buffer, isText: boolean): Payload {
  const bytes = payload.length;
  if (!isText) return { bytes, texts: [], scale: 0 };
  if (bytes <= maxCountedLength) return { bytes, texts: [payload.toString('utf8')], scale: 1 };
  return sampledPayload(bytes, (start, length) => payload.subarray(start, start + length));
}

/** `read`: returns the bytes from `start` on. */
export function sampledPayload(bytes: number, read: (start: number, length: number) => Buffer): Payload {
  const step = (bytes - pieceBytes) / (pieces - 1);
  // A truncated character becomes one replacement character, which does not affect the estimate.
  const texts = Array.from({ length: pieces }, (_, at) => read(Math.floor(at * step), pieceBytes).toString('utf8'));
  return { bytes, texts, scale: bytes / (pieces * pieceBytes) };
}

const headLength = 300;
const tailLength = 150;
const maxKeys = 50;
/** Longer lines deserve a warning, because line-based tools return them whole. */
const longLine = 2_000;
const maxNoteLength = 200;

interface PartFacts {
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly look: PartLook;
  /** The parsed JSON. */
  readonly value?: unknown;
  /** Position in the result; undefined if it is not informative. */
  readonly note: string | undefined;
}

export function summaryOf({ kind, mimeType, look, value, note }: PartFacts): SpillSummary {
  const notes = note === undefined ? [] : [plainNote(note)];
  if (!isTextKind(kind)) return { shape: [...notes, mimeType], head: '', tail: '' };
  const ends = endsOf(look, kind === 'json');
  if (value === undefined) {
    const tables = kind === 'text' ? textTables(look) : undefined;
    return { shape: [...notes, ...lengthNotes(look)], ...(tables && describeTables(tables)), ...ends };
  }
  const shape = shapeOf([value]);
  const example = queryExample(shape);
  return {
    shape: [...notes, ...describeShapeNode(shape)].slice(0, 12),
    ...(shape.types.has('object') && { topLevelKeys: [...shape.members.keys()].slice(0, maxKeys) }),
    ...(shape.types.has('array') && { elements: shape.lengths?.most ?? 0 }),
    ...(example !== undefined && { example, ...describeTables(tablesIn(value)) }),
    ...ends,
  };
}

function plainNote(note: string): string {
  return note
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .slice(0, maxNoteLength)
    .toWellFormed();
}

/** Undefined for a text that is not a table. */
function textTables({ first, bytes }: PartLook): readonly [Table, ...Table[]] | undefined {
  const text = first.toString('utf8');
  const isWhole = first.length === bytes;
  const format = formatOf(text, isWhole);
  if (format.kind === 'lines' || format.kind === 'json') return undefined;
  const [main, ...others] = tablesInText(() => [text], format);
  return isWhole ? [main, ...others] : [{ ...main, rowCount: undefined }];
}

function lengthNotes({ lines, maxLineLength }: PartLook): string[] {
  if (maxLineLength < longLine) return [];
  return [lines === 1 ? 'in one line' : `the longest line has ${formatNumber(maxLineLength)} bytes`];
}

/** JSON is shown without its white space. */
function endsOf({ bytes, first: begin, last }: PartLook, isJson: boolean): { head: string; tail: string } {
  const isWhole = begin.length === bytes;
  const first = isWhole ? begin : begin.subarray(0, endBytes);
  const tell = (text: string): string => (isJson ? withoutLayout(text) : text);
  // The second half of a truncated character reads as U+FFFD.
  const start = tell(isWhole ? first.toString('utf8') : first.toString('utf8').replace(/\uFFFD+$/, ''));
  const head = well(start.slice(0, headLength));
  if (isWhole) return { head, tail: well(start.slice(Math.max(head.length, start.length - tailLength))) };
  const end = tell(last.toString('utf8').replace(/^\uFFFD+/, ''));
  return { head, tail: well(end.slice(-tailLength)) };
}

/** Removes the layout of JSON; strings contain no line feeds. */
function withoutLayout(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimStart().replace(/^("(?:[^"\\]|\\.)*"): /, '$1:'))
    .join('');
}

/** Removes half of a surrogate pair at a cut. */
function well(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
