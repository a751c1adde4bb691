/** The files that the drafts of one answer are written to, and how much may be written. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { AnswerTooLarge } from './consumer.ts';

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

export class DraftFile {
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
