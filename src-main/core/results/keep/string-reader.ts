/** Reads a string of JSON into the UTF-8 that it stands for, in pieces. Half a surrogate pair becomes U+FFFD, as UTF-8 has it. */
import { type ByteTarget, type Consumer, Malformed } from './consumer.ts';
import { type EscapeListener, StringEscapes, writeUtf8 } from './string-escapes.ts';

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
