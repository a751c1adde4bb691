/**
 * Writes a result that is too long to parse while its bytes arrive. The text of a result with a single text block is
 * unescaped, so that it has lines; anything else is written verbatim.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { objectOrEmpty } from '../../base/json.ts';
import { type DraftedResult, extensionOf } from '../spill-writer-messages.ts';
import { endBytes, type PartLook, sampledPayload, summaryOf } from './summary.ts';
import { textTypeOf } from './text-type.ts';

const quote = 0x22;
const backslash = 0x5c;
/** The beginning of a result with a single text. */
const opening = /^\s*\{\s*"content"\s*:\s*\[\s*\{\s*"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*"/;
const maxOpeningLength = 256;
/** Maximum length of what follows the text; a longer tail is written below the text. */
const maxTailLength = 64 * 1024;
const bufferBytes = 1024 * 1024;
const newline = 0x0a;
const escapes: Readonly<Record<number, number>> = { 0x62: 0x08, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09 };

export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge';
}

export class RawText {
  readonly #file: RawFile;
  #state: 'opening' | 'text' | 'tail' | 'raw' = 'opening';
  /** Incomplete bytes to continue from. */
  #held: Buffer = Buffer.alloc(0);
  #begin = '';
  #tail: Buffer[] = [];
  #tailBytes = 0;

  /** Throws file system errors. */
  constructor(path: string, maxBytes: number) {
    this.#file = new RawFile(path, maxBytes);
  }

  /** Throws ResultTooLarge, or file system errors. */
  push(bytes: Buffer): void {
    if (this.#state === 'raw') return this.#file.write(bytes);
    if (this.#state === 'tail') return this.#addTail(bytes);
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = Buffer.alloc(0);
    if (this.#state === 'text') return this.#unescape(all);
    if (all.length < maxOpeningLength) this.#held = Buffer.from(all);
    else this.#open(all);
  }

  end(): DraftedResult {
    if (this.#state === 'opening') this.#open(this.#held);
    else if (this.#held.length > 0) this.#file.write(this.#held);
    const remains = this.#remains();
    const { look, payload } = this.#file.finish();
    const mimeType = textTypeOf(look);
    const summary = summaryOf({ kind: 'text', mimeType, look, note: undefined });
    const { bytes, lines } = look;
    const extension = extensionOf(mimeType, 'txt');
    const part = { kind: 'text', mimeType, extension, bytes, lines, summary, payload } as const;
    return { parts: [{ ...part, file: this.#file.path }], remains };
  }

  /** Closes the file in its current state. */
  stop(): void {
    this.#file.close();
  }

  #open(all: Buffer): void {
    const [begin] = opening.exec(all.toString('latin1', 0, maxOpeningLength)) ?? [];
    if (begin === undefined) {
      this.#state = 'raw';
      return this.#file.write(all);
    }
    this.#begin = begin;
    this.#state = 'text';
    this.#unescape(all.subarray(begin.length));
  }

  #unescape(bytes: Buffer): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === quote) {
        this.#file.write(bytes.subarray(start, at));
        this.#state = 'tail';
        return this.#addTail(bytes.subarray(at + 1));
      }
      if (byte !== backslash) continue;
      if (at > start) this.#file.write(bytes.subarray(start, at));
      // A surrogate pair takes twelve bytes.
      if (bytes.length - at < 12 && !bytes.subarray(at).includes(quote, 2)) {
        this.#held = Buffer.from(bytes.subarray(at));
        return;
      }
      at += this.#escape(bytes, at + 1);
      start = at + 1;
    }
    this.#file.write(bytes.subarray(start));
  }

  /** Returns the number of bytes after the backslash. */
  #escape(bytes: Buffer, at: number): number {
    const letter = bytes[at] as number;
    if (letter !== 0x75) {
      this.#file.writeByte(escapes[letter] ?? letter);
      return 1;
    }
    const unit = hexUnit(bytes, at + 1);
    const isHigh = unit >= 0xd800 && unit < 0xdc00 && bytes[at + 5] === backslash && bytes[at + 6] === 0x75;
    const low = isHigh ? hexUnit(bytes, at + 7) : 0;
    const isPair = low >= 0xdc00 && low < 0xe000;
    this.#file.write(Buffer.from(isPair ? String.fromCharCode(unit, low) : String.fromCharCode(unit)));
    return isPair ? 11 : 5;
  }

  #addTail(bytes: Buffer): void {
    const wasLong = this.#tailBytes > maxTailLength;
    this.#tailBytes += bytes.length;
    if (this.#tailBytes <= maxTailLength) return void this.#tail.push(Buffer.from(bytes));
    // Also stores structured content that repeats the text, and all other members, so that nothing is lost.
    if (!wasLong) this.#file.write(Buffer.concat([Buffer.of(newline), ...this.#tail.splice(0)]));
    this.#file.write(bytes);
  }

  /** The result without its text, if it can be parsed. */
  #remains(): string {
    const nothing = { inline: [], rest: {} };
    if (this.#tailBytes > maxTailLength || this.#tail.length === 0) return JSON.stringify(nothing);
    const tail = Buffer.concat(this.#tail).toString('utf8');
    try {
      const { content, structuredContent: _, ...rest } = objectOrEmpty(JSON.parse(`${this.#begin}"${tail}`));
      return JSON.stringify({ inline: (content as unknown[]).slice(1), rest });
    } catch {
      this.#file.write(Buffer.from(`\n${tail}`));
      return JSON.stringify(nothing);
    }
  }
}

/** A code unit from its four hexadecimal digits. */
function hexUnit(bytes: Buffer, at: number): number {
  return parseInt(bytes.toString('latin1', at, at + 4), 16);
}

/** A file that is written in large pieces, and sampled meanwhile. */
class RawFile {
  readonly path: string;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #used = 0;
  #written = 0;
  #lines = 1;
  #lineLength = 0;
  #maxLineLength = 0;

  constructor(path: string, maxBytes: number) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#descriptor = openSync(path, 'wx+', 0o600);
  }

  write(bytes: Buffer): void {
    for (let from = 0; from < bytes.length;) {
      const count = bytes.copy(this.#buffer, this.#used, from);
      this.#used += count;
      from += count;
      if (this.#used === bufferBytes) this.#flush();
    }
  }

  writeByte(byte: number): void {
    this.#buffer[this.#used++] = byte;
    if (this.#used === bufferBytes) this.#flush();
  }

  finish(): { readonly look: PartLook; readonly payload: DraftedResult['parts'][number]['payload'] } {
    this.#flush();
    const bytes = this.#written;
    const read = (start: number, length: number): Buffer => {
      const window = Buffer.alloc(Math.min(length, bytes - start));
      readSync(this.#descriptor as number, window, 0, window.length, start);
      return window;
    };
    const maxLineLength = Math.max(this.#maxLineLength, this.#lineLength);
    const [first, last] = [read(0, endBytes), read(Math.max(0, bytes - endBytes), endBytes)];
    const look = { bytes, lines: this.#lines, maxLineLength, first, last };
    const payload = sampledPayload(bytes, read);
    this.close();
    return { look, payload };
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #flush(): void {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#written += bytes.length;
    this.#used = 0;
    if (this.#written > this.#maxBytes) throw new ResultTooLarge();
    let start = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, start)) {
      this.#maxLineLength = Math.max(this.#maxLineLength, this.#lineLength + at - start);
      this.#lineLength = 0;
      this.#lines++;
      start = at + 1;
    }
    this.#lineLength += bytes.length - start;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor as number, bytes, at, bytes.length - at);
  }
}
