/** What is written of one part: in memory while it is short, in a file of its own from then on; looked at as it passes. */
import { createHash, type Hash } from 'node:crypto';
import type { DraftFile, DraftPlace } from './draft-place.ts';

/** The first and the last bytes that are held for a preview. */
const heldBytes = 8192;
const firstBuffer = 256;
const newline = 0x0a;

export class PartDraft {
  readonly #place: DraftPlace;
  readonly #hash: Hash | undefined;
  #buffer = Buffer.allocUnsafe(firstBuffer);
  #used = 0;
  #written = 0;
  #file: DraftFile | undefined;
  #first = Buffer.alloc(0);
  #last = Buffer.alloc(0);
  #lines = 1;
  #lineLength = 0;
  #longestLine = 0;

  /** `hashed`: to be compared with another draft. */
  constructor(place: DraftPlace, hashed = false) {
    this.#place = place;
    this.#hash = hashed ? createHash('sha256') : undefined;
  }

  get bytes(): number {
    return this.#written + this.#used;
  }

  /** The file that holds the draft; undefined while it is in memory. */
  get file(): string | undefined {
    return this.#file?.path;
  }

  byte(value: number): void {
    if (this.#used === this.#buffer.length) this.#makeRoom();
    this.#buffer[this.#used++] = value;
  }

  push(bytes: Uint8Array, start: number, end: number): void {
    let from = start;
    while (from < end) {
      if (this.#used === this.#buffer.length) this.#makeRoom();
      const count = Math.min(end - from, this.#buffer.length - this.#used);
      copy(bytes, from, this.#buffer, this.#used, count);
      this.#used += count;
      from += count;
    }
  }

  text(text: string): void {
    const bytes = Buffer.from(text);
    this.push(bytes, 0, bytes.length);
  }

  /** Everything, where it is in memory. Nothing may be added any more. */
  get content(): Buffer {
    return this.#buffer.subarray(0, this.#used);
  }

  /** Nothing is added any more: the file is whole and closed. */
  end(): void {
    if (this.#file === undefined) {
      this.#look();
      return;
    }
    this.#flush();
    this.#file.close();
  }

  discard(): void {
    this.#file?.remove();
    this.#used = 0;
  }

  /** After the end: lines, and the bytes at both ends; all of it in `first` where it is short. */
  get look(): DraftLook {
    return {
      bytes: this.bytes,
      lines: this.#lines,
      longestLine: Math.max(this.#longestLine, this.#lineLength),
      first: this.#first,
      last: this.#last,
    };
  }

  /** After the end, of a hashed draft; asked once. */
  digest(): string {
    return this.#hash?.digest('base64') ?? '';
  }

  #makeRoom(): void {
    const { length } = this.#buffer;
    if (this.#file === undefined && length < this.#place.longestInMemory) {
      const larger = Buffer.allocUnsafe(Math.min(length * 4, this.#place.longestInMemory));
      this.#buffer.copy(larger, 0, 0, this.#used);
      this.#buffer = larger;
      return;
    }
    this.#file ??= this.#place.open();
    this.#flush();
  }

  #flush(): void {
    this.#look();
    this.#file?.write(this.#buffer, this.#used);
    this.#written += this.#used;
    this.#used = 0;
  }

  #look(): void {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#hash?.update(bytes);
    if (this.#first.length < heldBytes) {
      this.#first = Buffer.concat([this.#first, bytes.subarray(0, heldBytes - this.#first.length)]);
    }
    const last = bytes.length >= heldBytes ? bytes : Buffer.concat([this.#last, bytes]);
    this.#last = Buffer.from(last.subarray(Math.max(0, last.length - heldBytes)));
    this.#countLines(bytes);
  }

  #countLines(bytes: Buffer): void {
    let length = this.#lineLength;
    for (let at = 0; at < bytes.length; at++, length++) {
      if (bytes[at] !== newline) continue;
      this.#lines++;
      if (length > this.#longestLine) this.#longestLine = length;
      length = -1;
    }
    this.#lineLength = length;
  }
}

export interface DraftLook {
  readonly bytes: number;
  readonly lines: number;
  /** In bytes. */
  readonly longestLine: number;
  readonly first: Buffer;
  readonly last: Buffer;
}

/** A loop beats the call into native code for the short pieces that most are. */
function copy(source: Uint8Array, from: number, target: Buffer, to: number, count: number): void {
  if (count > 64) target.set(source.subarray(from, from + count), to);
  else for (let i = 0; i < count; i++) target[to + i] = source[from + i] as number;
}
