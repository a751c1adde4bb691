/** What is written of one part: in memory while it is short, in a file of its own from then on; looked at as it passes. */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { AnswerTooLarge } from './json-bytes.ts';

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

/** The files that the drafts of one answer are written to, and how much may be written. */
export class DraftPlace {
  /** Drafts of up to this many bytes stay in memory. */
  readonly longestInMemory: number;
  readonly #stem: string;
  readonly #mostBytes: number;
  readonly #files = new Set<DraftFile>();
  #count = 0;
  #written = 0;

  /** Files are called `<stem>-1.tmp` and so on. Without files at all: `longestInMemory` Infinity. */
  constructor(stem: string, mostBytes: number, longestInMemory: number) {
    this.#stem = stem;
    this.#mostBytes = mostBytes;
    this.longestInMemory = longestInMemory;
  }

  /** Throws what the file system throws. */
  open(): DraftFile {
    const file = new DraftFile(`${this.#stem}-${++this.#count}.tmp`, (bytes) => this.#spend(bytes));
    this.#files.add(file);
    return file;
  }

  /** Takes away all of them. */
  clear(): void {
    for (const file of this.#files) file.remove();
    this.#files.clear();
    this.#written = 0;
  }

  #spend(bytes: number): void {
    this.#written += bytes;
    if (this.#written > this.#mostBytes) throw new AnswerTooLarge();
  }
}

class DraftFile {
  readonly path: string;
  readonly #spend: (bytes: number) => void;
  #descriptor: number | undefined;

  constructor(path: string, spend: (bytes: number) => void) {
    this.path = path;
    this.#spend = spend;
    this.#descriptor = openSync(path, 'wx', 0o600);
  }

  /** The first `length` bytes. */
  write(bytes: Uint8Array, length: number): void {
    if (this.#descriptor === undefined) return;
    this.#spend(length);
    for (let at = 0; at < length;) at += writeSync(this.#descriptor, bytes, at, length - at);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}
