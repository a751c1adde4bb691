/** What reads a value out of bytes that come in pieces. */
import { isSpace } from '../../base/json.ts';

export interface Consumer {
  /** Takes bytes from `start`; answers where it stopped: at `end`, or behind its value. Throws Malformed. */
  push(bytes: Uint8Array, start: number, end: number): number;
  /** The value was read to its end. */
  readonly done: boolean;
}

/** Takes bytes that belong together. */
export interface ByteTarget {
  push(bytes: Uint8Array, start: number, end: number): void;
}

/** What came is no JSON. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** More bytes would be written than may be kept. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

// Walk over an object or a list of JSON in pieces, and hand each value to whoever wants it.

/** Names may be this long, in bytes. */
const longestName = 64 * 1024;

const begin = 0;
const first = 1;
const next = 2;
const inName = 3;
const colon = 4;
const value = 5;
const inValue = 6;
const after = 7;

/** Makes the consumer of a value that begins with the byte. */
type MakeConsumer = (firstByte: number, name: string) => Consumer;

/** One class for both: they differ in names and brackets only. */
class ContainerScanner implements Consumer {
  readonly #isObject: boolean;
  readonly #make: MakeConsumer;
  readonly #ended: () => void;
  #state = begin;
  #name = '';
  #inner: Consumer | undefined;
  done = false;

  constructor(isObject: boolean, make: MakeConsumer, ended: () => void) {
    this.#isObject = isObject;
    this.#make = make;
    this.#ended = ended;
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && !this.done) {
      if (this.#inner !== undefined) at = this.#feed(this.#inner, bytes, at, end);
      else if (isSpace(bytes[at])) at++;
      else at = this.#token(bytes[at] as number, at);
    }
    return at;
  }

  #feed(inner: Consumer, bytes: Uint8Array, start: number, end: number): number {
    const at = inner.push(bytes, start, end);
    if (inner.done) {
      this.#inner = undefined;
      this.#state = this.#state === inName ? colon : after;
    }
    return at;
  }

  /** Answers where to go on: at the same byte where a value begins with it. */
  #token(byte: number, at: number): number {
    const closing = this.#isObject ? 0x7d : 0x5d;
    if (this.#state === begin) {
      if (byte !== (this.#isObject ? 0x7b : 0x5b)) throw new Malformed('Another value than was expected.');
      this.#state = first;
    } else if (this.#state === after) {
      if (byte === closing) this.#end();
      else if (byte === 0x2c) this.#state = next;
      else throw new Malformed('Values without a comma between them.');
    } else if (this.#state === colon) {
      if (byte !== 0x3a) throw new Malformed('A name without its colon.');
      this.#state = value;
    } else if (this.#state === first && byte === closing) this.#end();
    else {
      this.#beginInner(byte);
      return at;
    }
    return at + 1;
  }

  #beginInner(byte: number): void {
    if (this.#isObject && this.#state !== value) {
      this.#state = inName;
      const name: Buffer[] = [];
      this.#inner = new StringReader({ push: (bytes, start, end) => addTo(name, bytes, start, end) }, () => {
        this.#name = Buffer.concat(name).toString('utf8');
      });
    } else {
      this.#state = inValue;
      this.#inner = this.#make(byte, this.#name);
    }
  }

  #end(): void {
    this.done = true;
    this.#ended();
  }
}

export class ObjectScanner extends ContainerScanner {
  constructor(make: MakeConsumer, ended: () => void) {
    super(true, make, ended);
  }
}

export class ListScanner extends ContainerScanner {
  constructor(make: MakeConsumer, ended: () => void) {
    super(false, make, ended);
  }
}

function addTo(pieces: Buffer[], bytes: Uint8Array, start: number, end: number): void {
  if (pieces.length > 0 || end - start > longestName) throw new Malformed('A name that is too long.');
  pieces.push(Buffer.from(bytes.subarray(start, end)));
}

// Reads a string of JSON into the UTF-8 that it stands for, in pieces. Half a surrogate pair becomes U+FFFD, as UTF-8 has it.

const quote = 0x22;
const backslash = 0x5c;
/** Long texts pass in pieces of this length. */
const longestPiece = 64 * 1024;
const firstPiece = 256;
const replacement = 0xfffd;

export class StringReader implements Consumer, EscapeListener {
  readonly #target: ByteTarget;
  readonly #ended: () => void;
  readonly #escapes = new StringEscapes(this);
  #piece = Buffer.allocUnsafe(firstPiece);
  #used = 0;
  #opened = false;
  done = false;

  constructor(target: ByteTarget, ended: () => void) {
    this.#target = target;
    this.#ended = ended;
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    if (!this.#opened) {
      if (bytes[at++] !== quote) throw new Malformed('No string.');
      this.#opened = true;
    }
    while (at < end) {
      if (this.#escapes.active) {
        this.#escapes.byte(bytes[at++] as number);
        continue;
      }
      at = this.#plain(bytes, at, end);
      if (at === end) return end;
      const byte = bytes[at++] as number;
      if (byte === backslash) this.#escapes.begin();
      else if (byte === quote) {
        this.#end();
        return at;
      } else throw new Malformed('A control character in a string.');
    }
    return end;
  }

  character(codePoint: number): void {
    if (this.#piece.length - this.#used < 4) this.#makeRoom();
    this.#used += writeUtf8(codePoint, this.#piece, this.#used);
  }

  loneSurrogate(): void {
    this.character(replacement);
  }

  /** Copies up to the next byte that means something; answers where that is. */
  #plain(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const first = bytes[at] as number;
      if (first === quote || first === backslash || first < 0x20) {
        if (first !== backslash) this.#escapes.settle();
        return at;
      }
      if (this.#escapes.waiting) this.#escapes.settle();
      if (this.#used === this.#piece.length) this.#makeRoom();
      at = this.#copy(bytes, at, Math.min(end, at + this.#piece.length - this.#used));
    }
    return at;
  }

  #copy(bytes: Uint8Array, start: number, end: number): number {
    const piece = this.#piece;
    let used = this.#used;
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === quote || byte === backslash || byte < 0x20) break;
      piece[used++] = byte;
    }
    this.#used = used;
    return at;
  }

  #end(): void {
    this.#target.push(this.#piece, 0, this.#used);
    this.done = true;
    this.#ended();
  }

  #makeRoom(): void {
    if (this.#piece.length < longestPiece) {
      const larger = Buffer.allocUnsafe(this.#piece.length * 4);
      this.#piece.copy(larger, 0, 0, this.#used);
      this.#piece = larger;
      return;
    }
    this.#target.push(this.#piece, 0, this.#used);
    this.#used = 0;
  }
}

// Escapes in strings of JSON, a byte at a time: which UTF-16 unit one stands for, with halves of surrogate pairs joined.

const letters: Readonly<Record<number, number>> = {
  0x22: 0x22,
  0x5c: 0x5c,
  0x2f: 0x2f,
  0x62: 0x08,
  0x66: 0x0c,
  0x6e: 0x0a,
  0x72: 0x0d,
  0x74: 0x09,
};

/** Hears what escapes say. */
export interface EscapeListener {
  /** A character beyond the surrogates, or a whole pair of them. */
  character(codePoint: number): void;
  /** Half a pair, with nothing to go with it. */
  loneSurrogate(unit: number): void;
}

export class StringEscapes {
  readonly #listener: EscapeListener;
  /** How many hexadecimal digits are still to come; -1: the letter behind the backslash is. */
  #missing = 0;
  #unit = 0;
  /** The first half of a pair, waiting for the second. */
  #high = 0;

  constructor(listener: EscapeListener) {
    this.#listener = listener;
  }

  /** Bytes belong to an escape now. */
  active = false;

  /** A backslash came. */
  begin(): void {
    this.active = true;
    this.#missing = -1;
  }

  /** Something else than a backslash follows, or the string ends: half a pair stays alone. */
  settle(): void {
    if (this.#high === 0) return;
    const high = this.#high;
    this.#high = 0;
    this.#listener.loneSurrogate(high);
  }

  /** Whether `settle` has something to do. */
  get waiting(): boolean {
    return this.#high !== 0;
  }

  /** A byte of the escape. Throws Malformed. */
  byte(byte: number): void {
    if (this.#missing > 0) this.#digit(byte);
    else if (byte === 0x75) {
      this.#missing = 4;
      this.#unit = 0;
    } else this.#letter(byte);
  }

  #letter(byte: number): void {
    const unit = letters[byte];
    if (unit === undefined) throw new Malformed('An escape that JSON does not have.');
    this.active = false;
    this.settle();
    this.#listener.character(unit);
  }

  #digit(byte: number): void {
    const digit = hexDigit(byte);
    if (digit < 0) throw new Malformed('An escape without four digits.');
    this.#unit = (this.#unit << 4) | digit;
    if (--this.#missing > 0) return;
    this.active = false;
    this.#finish(this.#unit);
  }

  #finish(unit: number): void {
    if (unit >= 0xdc00 && unit <= 0xdfff && this.#high !== 0) {
      const pair = 0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00);
      this.#high = 0;
      this.#listener.character(pair);
      return;
    }
    this.settle();
    if (unit >= 0xd800 && unit <= 0xdbff) this.#high = unit;
    else if (unit >= 0xdc00 && unit <= 0xdfff) this.#listener.loneSurrogate(unit);
    else this.#listener.character(unit);
  }
}

/** Writes a character as UTF-8; answers how many bytes it took. */
export function writeUtf8(codePoint: number, target: Uint8Array, at: number): number {
  if (codePoint < 0x80) {
    target[at] = codePoint;
    return 1;
  }
  if (codePoint < 0x800) {
    target[at] = 0xc0 | (codePoint >> 6);
    target[at + 1] = 0x80 | (codePoint & 0x3f);
    return 2;
  }
  if (codePoint < 0x10000) {
    target[at] = 0xe0 | (codePoint >> 12);
    target[at + 1] = 0x80 | ((codePoint >> 6) & 0x3f);
    target[at + 2] = 0x80 | (codePoint & 0x3f);
    return 3;
  }
  target[at] = 0xf0 | (codePoint >> 18);
  target[at + 1] = 0x80 | ((codePoint >> 12) & 0x3f);
  target[at + 2] = 0x80 | ((codePoint >> 6) & 0x3f);
  target[at + 3] = 0x80 | (codePoint & 0x3f);
  return 4;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

// The grammar of numbers in JSON (RFC 8259, section 6), a byte at a time.

const numberStates = {
  sign: 0,
  zero: 1,
  integer: 2,
  point: 3,
  fraction: 4,
  exponent: 5,
  exponentSign: 6,
  exponentDigits: 7,
} as const;

const { sign, zero, integer, point, fraction, exponent, exponentSign, exponentDigits } = numberStates;

/** The state that a first byte leads to; -1 where no number begins with it. */
export function beginNumber(byte: number): number {
  if (byte === 0x2d) return sign;
  if (byte === 0x30) return zero;
  return isDigit(byte) ? integer : -1;
}

/** The state that another byte leads to; -1 where the number cannot go on with it. */
export function continueNumber(state: number, byte: number): number {
  if (isDigit(byte)) return afterDigit(state, byte);
  if (byte === 0x2e) return state === zero || state === integer ? point : -1;
  if (byte === 0x65 || byte === 0x45) return state === zero || state === integer || state === fraction ? exponent : -1;
  if (byte === 0x2b || byte === 0x2d) return state === exponent ? exponentSign : -1;
  return -1;
}

/** Whether a number may end in this state. */
export function isWhole(state: number): boolean {
  return state === zero || state === integer || state === fraction || state === exponentDigits;
}

function afterDigit(state: number, byte: number): number {
  if (state === sign) return byte === 0x30 ? zero : integer;
  if (state === zero) return -1;
  if (state === point) return fraction;
  return state === exponent || state === exponentSign ? exponentDigits : state;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

// Which brackets of JSON are open, a byte for each: nesting may be as deep as memory lasts.

/** Deeper nesting is no document; as text nothing of it is lost. */
const mostLevels = 10_000_000;

export class JsonStack {
  #levels = new Uint8Array(64);
  depth = 0;

  /** Whether the innermost bracket is an object's. */
  get inObject(): boolean {
    return this.#levels[this.depth - 1] === 1;
  }

  push(isObject: boolean): void {
    if (this.depth === this.#levels.length) this.#grow();
    this.#levels[this.depth++] = isObject ? 1 : 0;
  }

  /** Closes the innermost bracket; answers whether it was an object's. */
  pop(): boolean {
    const { inObject } = this;
    this.depth--;
    return inObject;
  }

  #grow(): void {
    if (this.depth >= mostLevels) throw new Malformed('Nested too deep.');
    const larger = new Uint8Array(this.#levels.length * 4);
    larger.set(this.#levels);
    this.#levels = larger;
  }
}

// The beginning of a name or a number, held while its bytes pass: enough to know it by.

/** Names and numbers are heard up to this length, in bytes. */
const longest = 200;

export class HeardBytes {
  readonly #bytes = Buffer.allocUnsafe(longest);
  #length = 0;
  #listening = false;

  get listening(): boolean {
    return this.#listening;
  }

  get text(): string {
    return this.#bytes.toString('utf8', 0, this.#length);
  }

  /** Something new begins; `listening`: whether anybody wants it. */
  begin(listening: boolean): void {
    this.#listening = listening;
    this.#length = 0;
  }

  byte(value: number): void {
    if (this.#listening && this.#length < longest) this.#bytes[this.#length++] = value;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#listening) return;
    const count = Math.min(end - start, longest - this.#length);
    for (let i = 0; i < count; i++) this.#bytes[this.#length++] = bytes[start + i] as number;
  }
}
