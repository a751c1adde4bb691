/**
 * Turns results and arguments into lines that can be searched for destinations: one spelling, one line per value, one
 * layer of encoding removed. The first character of a line states what it was, so that a text cannot claim to be a
 * field of a record.
 */
import { isObject, type JsonObject, objectOrEmpty, tryParsePlainJson } from '../../base/json.ts';
import type { Result } from '../../wire/message.ts';
import { RawJson } from '../../wire/raw-json.ts';
import { isAscii } from '../text-prefilter.ts';
import { decodeOneLayer } from './decode-layer.ts';
import { argumentTexts, spacedNumbers } from './destinations.ts';
import { isRecipientRecord } from './tool-roles.ts';

/** The tool, resource, or prompt that a text came from. */
export interface Source {
  /** `server:tool`, or the server with the name of the item. */
  readonly of: string;
  readonly server: string;
  /** Mail or chat. */
  readonly messages: boolean;
  /** When it was first read, in ms since 1970. */
  readonly at: number;
}

/** A JSON value that a record lists as a recipient: of a payment, a meeting, a shared file, or in an address book. */
export const recipientMark = '\u0001';
/** Any other JSON value. */
export const fieldMark = '\u0002';
/** A line of plain text. */
export const plainMark = '\u0003';

/** In characters. An address at a boundary is in both pieces. */
const pieceLength = 65_536;
const overlap = 400;
const maxDepth = 40;
/** Maximum length of a value that may be an address or a name. */
const maxFieldLength = 320;

/** Lines of the arguments of a call, in pieces of about 64,000 characters. */
export function argumentPieces(args: JsonObject): Generator<string, void> {
  return inPieces(linesOfArguments(args));
}

function* linesOfArguments(args: JsonObject): Generator<string, void> {
  for (const { text } of argumentTexts(args))
    for (const piece of piecesOf(text.slice(0, memoryOfArgument))) yield linesOf(piece, ' ');
}

const memoryOfArgument = 1_000_000;

/** Lines of everything that a model reads of a result, in pieces of about 64,000 characters. */
export function readPieces(read: Result | RawJson | string, source: Source): Generator<string, void> {
  return inPieces(linesIn(read, source));
}

function* inPieces(all: Iterable<string>): Generator<string, void> {
  let piece = '';
  for (const lines of all) {
    piece += lines;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* linesIn(read: Result | RawJson | string, source: Source): Generator<string, void> {
  const isAddressBook = isRecipientRecord(source.of.slice(source.server.length));
  // The author of a message also writes its list of recipients.
  const fields: FieldReader = { mark: isAddressBook ? recipientMark : fieldMark, hasRecords: !source.messages };
  if (typeof read === 'string') yield* linesOfText(read, fields);
  // Raw bytes, which are too large to parse here.
  else if (read instanceof RawJson) for (const chunk of read.chunks) yield* linesOfBytes(chunk);
  else {
    const { _meta, content, ...others } = read;
    for (const block of Array.isArray(content) ? (content as unknown[]) : [content]) {
      const { text, ...rest } = objectOrEmpty(block);
      if (typeof text === 'string') yield* linesOfText(text, fields);
      yield* linesOfFields(rest, fields, 0);
    }
    yield* linesOfFields(others, fields, 0);
  }
}

interface FieldReader {
  /** Marker of the value being read. */
  readonly mark: string;
  /** Whether keys can make values recipients. */
  readonly hasRecords: boolean;
}

function* linesOfBytes(chunk: Uint8Array): Generator<string, void> {
  for (let from = 0; from < chunk.length; from += pieceLength)
    yield linesOf(Buffer.from(chunk.subarray(Math.max(0, from - overlap), from + pieceLength)).toString('utf8'), ' ');
}

/** A JSON text contains fields; any other text contains lines. */
function* linesOfText(text: string, fields: FieldReader): Generator<string, void> {
  const json = /^\s*[[{]/.test(text) ? tryParsePlainJson(text) : undefined;
  if (json !== undefined) return yield* linesOfFields(json, fields, 0);
  for (const piece of piecesOf(text)) {
    yield linesOf(piece, ' ');
    // A name on its own, after a colon or in quotes, is one that the server lists.
    yield piece
      .split(/[\n\r"\t]|: /)
      .map((line) => line.trim())
      .filter((line) => line !== '' && line.length <= maxNameLength)
      .map((line) => lineOf(line, plainMark))
      .join('');
  }
}

const maxNameLength = 60;

function* linesOfFields(value: unknown, fields: FieldReader, depth: number): Generator<string, void> {
  if (typeof value === 'string' || typeof value === 'number' || JSON.isRawJSON(value)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.length <= maxFieldLength) yield linesOf(text, fields.mark);
    else for (const piece of piecesOf(text)) yield linesOf(piece, ' ');
  } else if (depth > maxDepth) return;
  else if (Array.isArray(value)) for (const item of value) yield* linesOfFields(item, fields, depth + 1);
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (key.includes('@') || key.includes('.')) yield linesOf(key, fields.mark);
      if (key === 'data' && typeof value['mimeType'] === 'string') continue;
      const isRecord = fields.hasRecords && fields.mark === fieldMark && isRecipientRecord(key);
      yield* linesOfFields(value[key], isRecord ? { ...fields, mark: recipientMark } : fields, depth + 1);
    }
  }
}

function* piecesOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; from += pieceLength)
    yield text.slice(Math.max(0, from - overlap), from + pieceLength);
}

/** A text as one line, followed by one line per decoded spelling. */
function linesOf(text: string, mark: string): string {
  const line = lineOf(text, mark);
  const others = [...decodeOneLayer(text), ...spacedNumbers(text).filter((number) => !line.includes(number))];
  return others.length === 0 ? line : [line, ...others.map((other) => lineOf(other, ' '))].join('');
}

/** Marks and invisible characters that are inserted between letters to hide an address. */
const invisible =
  /\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0f]|\udb40[\udc00-\uddef]/g;

/** Lower case, normalized width, no invisible characters, no line breaks, no leading `www.`. */
function lineOf(text: string, mark: string): string {
  const plain = isAscii(text) ? text : text.replace(invisible, '').normalize('NFKC');
  const line = plain
    .toLowerCase()
    .replace(/\\\//g, '/')
    .replace(/[\u0000-\u001f]|\\[nrt]/g, ' ')
    .replace(/\bwww\./g, '');
  return `${mark}${line}\n`;
}
