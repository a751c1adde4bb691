/** Rewrites strings of JSON while their bytes pass, escaped as JSON.stringify does it. */
import { type Consumer, Malformed } from './consumer.ts';
import type { HeardBytes } from './heard-bytes.ts';
import type { PartDraft } from './part-draft.ts';
import { type EscapeListener, StringEscapes, writeUtf8 } from './string-escapes.ts';

const quote = 0x22;
const backslash = 0x5c;

const shortEscapes: Readonly<Record<number, number>> = {
  0x22: 0x22,
  0x5c: 0x5c,
  0x08: 0x62,
  0x0c: 0x66,
  0x0a: 0x6e,
  0x0d: 0x72,
  0x09: 0x74,
};

export class PrettyString implements Consumer, EscapeListener {
  readonly #draft: PartDraft;
  readonly #heard: HeardBytes;
  readonly #escapes = new StringEscapes(this);
  readonly #character = Buffer.allocUnsafe(4);
  /** Of the string so far, in bytes for what is plain, in characters for what is escaped. */
  length = 0;
  done = true;

  /** `heard`: gets the string's text where it listens. */
  constructor(draft: PartDraft, heard: HeardBytes) {
    this.#draft = draft;
    this.#heard = heard;
  }

  /** The opening quote came. */
  begin(): void {
    this.done = false;
    this.length = 0;
    this.#draft.byte(quote);
  }

  push(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && !this.done) {
      if (this.#escapes.active) this.#escapes.byte(bytes[at++] as number);
      else at = this.#plain(bytes, at, end);
    }
    return at;
  }

  character(codePoint: number): void {
    const length = writeUtf8(codePoint, this.#character, 0);
    const escape = shortEscapes[codePoint];
    if (escape !== undefined) {
      this.#draft.byte(backslash);
      this.#draft.byte(escape);
    } else if (codePoint < 0x20) this.loneSurrogate(codePoint);
    else this.#draft.push(this.#character, 0, length);
    this.length++;
    this.#heard.add(this.#character, 0, length);
  }

  /** Stays an escape: UTF-8 has nothing else for it. */
  loneSurrogate(unit: number): void {
    this.#draft.text(`\\u${unit.toString(16).padStart(4, '0')}`);
  }

  /** Everything up to the next byte that means something, and that byte. */
  #plain(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte === quote || byte === backslash || byte < 0x20) break;
    }
    if (at > start) this.#run(bytes, start, at);
    if (at === end) return end;
    const byte = bytes[at] as number;
    if (byte === backslash) this.#escapes.begin();
    else if (byte === quote) this.#end();
    else throw new Malformed('A control character in a string.');
    return at + 1;
  }

  #run(bytes: Uint8Array, start: number, end: number): void {
    if (this.#escapes.waiting) this.#escapes.settle();
    this.#draft.push(bytes, start, end);
    this.length += end - start;
    this.#heard.add(bytes, start, end);
  }

  #end(): void {
    if (this.#escapes.waiting) this.#escapes.settle();
    this.#draft.byte(quote);
    this.done = true;
  }
}
