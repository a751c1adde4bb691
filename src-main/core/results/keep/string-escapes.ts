/** Escapes in strings of JSON, a byte at a time: which UTF-16 unit one stands for, with halves of surrogate pairs joined. */
import { Malformed } from './consumer.ts';

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
