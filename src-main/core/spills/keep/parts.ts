/** A text on its way into a part: JSON pretty-printed where it is a whole object or list, anything else as it is. */
import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { parseJson } from '../../base/json.ts';
import { type ByteTarget, type Consumer, Malformed } from './json-bytes.ts';
import { type DraftPlace, PartDraft } from './part-draft.ts';
import { PrettyJson } from './pretty-json.ts';
import { ShapeBuilder, type ShapeNode } from './shape.ts';

/** So much of a text is held: most of what only looks like JSON shows it by then. */
const longestHeld = 64 * 1024;

export class TextPart implements ByteTarget {
  readonly #place: DraftPlace;
  #draft: PartDraft | undefined;
  #json: PrettyJson | undefined;
  #shape: ShapeBuilder | undefined;
  #held: Buffer | undefined;
  /** The text as it came. */
  readonly mark = new TextMark();
  #isPlain: boolean;
  /** It began as JSON and turned out to be none when it could not be taken back: it has to be read again, as plain text. */
  spoiled = false;

  constructor(place: DraftPlace, isPlain: boolean) {
    this.#place = place;
    this.#isPlain = isPlain;
  }

  push(bytes: Uint8Array, start: number, end: number): void {
    if (this.spoiled) return;
    if (this.#draft === undefined) {
      const first = firstLetter(bytes, start, end);
      const isShort = this.length + end - start <= longestHeld;
      // White space alone says nothing yet.
      if (first === undefined && isShort && !this.#isPlain) {
        this.#hold(bytes, start, end);
        return;
      }
      this.#begin(first === 0x7b || first === 0x5b);
      if (this.#held !== undefined) this.#take(this.#held, 0, this.#held.length);
    }
    this.#hold(bytes, start, end);
    this.#take(bytes, start, end);
  }

  /** The text is over. */
  end(): void {
    if (this.#draft === undefined) {
      this.#begin(false);
      this.#take(this.#held ?? Buffer.alloc(0), 0, this.#held?.length ?? 0);
    }
    if (this.#json !== undefined && !this.#json.done && !this.spoiled) this.#fallBack();
    if (this.spoiled) this.#draft?.discard();
    else this.#draft?.end();
  }

  get isJson(): boolean {
    return this.#json !== undefined;
  }

  get shape(): ShapeNode | undefined {
    return this.#shape?.root;
  }

  get draft(): PartDraft {
    if (this.#draft === undefined) throw new Malformed('A text that was not ended.');
    return this.#draft;
  }

  /** The text as it came, of one that is short. */
  get raw(): Buffer | undefined {
    return this.#held;
  }

  /** Length of the text as it came. */
  get length(): number {
    return this.mark.length;
  }

  #begin(looksLikeJson: boolean): void {
    const isJson = looksLikeJson && !this.#isPlain;
    this.#draft = new PartDraft(this.#place, isJson);
    this.#shape = isJson ? new ShapeBuilder() : undefined;
    this.#json = isJson ? new PrettyJson(this.#draft, this.#shape) : undefined;
  }

  #take(bytes: Uint8Array, start: number, end: number): void {
    if (this.#json === undefined) {
      this.#draft?.push(bytes, start, end);
      return;
    }
    try {
      const stop = this.#json.push(bytes, start, end);
      if (firstLetter(bytes, stop, end) === undefined) return;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
    this.#fallBack();
  }

  /** It is no JSON after all. */
  #fallBack(): void {
    this.#isPlain = true;
    if (this.#held === undefined) {
      this.spoiled = true;
      return;
    }
    this.#draft?.discard();
    this.#begin(false);
    this.#take(this.#held, 0, this.#held.length);
  }

  #hold(bytes: Uint8Array, start: number, end: number): void {
    const isFirst = this.length === 0;
    this.mark.push(bytes, start, end);
    if (this.length > longestHeld) this.#held = undefined;
    else if (isFirst) this.#held = Buffer.from(bytes.subarray(start, end));
    else this.#held = Buffer.concat([this.#held as Buffer, bytes.subarray(start, end)]);
  }
}

/** The first byte that is no white space. */
function firstLetter(bytes: Uint8Array, start: number, end: number): number | undefined {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
  }
  return undefined;
}

// A value of JSON on its way into a part, or into memory where it is short.

interface JsonPartOptions {
  readonly place: DraftPlace;
  /** Gather its shape, and make it comparable. */
  readonly watched: boolean;
  readonly ended: (part: JsonPart) => void;
  /** Gets the same bytes. */
  readonly beside?: ByteTarget;
}

export class JsonPart implements Consumer {
  readonly draft: PartDraft;
  readonly #json: PrettyJson;
  readonly #shape: ShapeBuilder | undefined;
  readonly #ended: (part: JsonPart) => void;
  readonly #beside: ByteTarget | undefined;

  constructor({ place, watched, ended, beside }: JsonPartOptions) {
    this.draft = new PartDraft(place, watched);
    this.#shape = watched ? new ShapeBuilder() : undefined;
    this.#json = new PrettyJson(this.draft, this.#shape);
    this.#ended = ended;
    this.#beside = beside;
  }

  get done(): boolean {
    return this.#json.done;
  }

  get shape(): ShapeNode | undefined {
    return this.#shape?.root;
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    const at = this.#json.push(bytes, start, end);
    this.#beside?.push(bytes, start, at);
    if (this.#json.done) {
      this.draft.end();
      this.#ended(this);
    }
    return at;
  }

  /** The value, if it takes at most this many bytes; undefined if it does not, or is nested too deep to be a value here. */
  parse(most: number): { readonly value: unknown } | undefined {
    if (this.draft.bytes > most || this.draft.file !== undefined) return undefined;
    try {
      return { value: parseJson(this.draft.content.toString('utf8')) };
    } catch {
      return undefined;
    }
  }
}

// Base64 on its way into a part: decoded as it passes.

/** Plain and URL-safe letters; what is left over at the end is padded. */
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

export class Base64Part implements ByteTarget {
  readonly draft: PartDraft;
  /** Letters that do not fill three bytes yet. */
  #rest = '';
  #ended = false;
  /** Something that is not base64 came: it has to be read again, as text. */
  spoiled = false;

  constructor(place: DraftPlace) {
    this.draft = new PartDraft(place);
  }

  push(bytes: Uint8Array, start: number, end: number): void {
    if (this.spoiled) return;
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
    // MIME breaks the lines.
    const letters = this.#rest + (/\s/.test(piece) ? piece.replace(/\s+/g, '') : piece);
    if (!base64.test(letters) || (this.#ended && letters !== '')) {
      this.spoiled = true;
      return;
    }
    const whole = letters.length - (letters.length % 4);
    this.#ended ||= letters[whole - 1] === '=';
    this.#rest = letters.slice(whole);
    this.#write(letters.slice(0, whole));
  }

  end(): void {
    // A padding of its own, or a single letter that is no byte.
    if (this.#rest.length === 1 || /^.?=/.test(this.#rest)) this.spoiled = true;
    else this.#write(this.#rest);
    if (this.spoiled) this.draft.discard();
    else this.draft.end();
  }

  #write(letters: string): void {
    const decoded = Buffer.from(letters, 'base64');
    this.draft.push(decoded, 0, decoded.length);
  }
}

// Many texts in one file, one after the other, where a file for each would drown the reader.

const pieceBytes = 256 * 1024;

export class TextGathering {
  /** Where the first of them stood in the answer. */
  readonly order: number;
  readonly draft: PartDraft;
  texts = 0;

  constructor(place: DraftPlace, order: number) {
    this.draft = new PartDraft(place);
    this.order = order;
  }

  add(text: Uint8Array): void {
    if (this.texts++ > 0) this.draft.byte(0x0a);
    this.draft.push(text, 0, text.length);
  }

  /** Takes over a text that has a draft of its own: as it came, if it is short enough to be at hand. */
  take(part: TextPart): void {
    const { file } = part.draft;
    if (file === undefined) this.add(part.raw ?? part.draft.content);
    else {
      this.add(Buffer.alloc(0));
      this.#copy(file);
      part.draft.discard();
    }
  }

  #copy(file: string): void {
    const descriptor = openSync(file, 'r');
    try {
      const piece = Buffer.allocUnsafe(pieceBytes);
      for (let count = -1; count !== 0;) {
        count = readSync(descriptor, piece);
        this.draft.push(piece, 0, count);
      }
    } finally {
      closeSync(descriptor);
    }
  }
}

/** By what a text is known again without being held: its length and a checksum. */
export class TextMark implements ByteTarget {
  #checksum = 0;
  length = 0;

  push(bytes: Uint8Array, start: number, end: number): void {
    this.length += end - start;
    this.#checksum = crc32(bytes.subarray(start, end), this.#checksum);
  }

  equals(other: TextMark): boolean {
    return this.length === other.length && this.#checksum === other.#checksum;
  }
}
