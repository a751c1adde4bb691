/** Two bounded files of lines, written in batches: the current one and, beside it as `<file>.1`, the one before. */
import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from './app-paths.ts';

const flushMs = 200;
const longestBuffer = 64 * 1024;

export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #lines: string[] = [];
  #buffered = 0;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Takes a line, its line feed included. */
  write(line: string): void {
    this.#lines.push(line);
    this.#buffered += line.length;
    if (this.#closed || this.#buffered > Math.min(longestBuffer, this.#maxBytes / 4)) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  /** Writes what is buffered. Lines that cannot be written (disk full) are counted, and the count is written later. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#buffered = 0;
    try {
      const note =
        this.#lost === 0 ? '' : `${JSON.stringify({ time: new Date().toISOString(), lostLines: this.#lost })}\n`;
      this.#append(Buffer.from(note + lines.join('')));
      this.#lost = 0;
    } catch {
      this.#lost += lines.length;
    }
  }

  close(): void {
    this.#closed = true;
    this.flush();
  }

  /** Opens the file for each batch, so that several processes can share it and its removal does no harm. */
  #append(bytes: Buffer): void {
    let descriptor = this.#open();
    try {
      const size = fstatSync(descriptor).size;
      if (size > 0 && size + bytes.length > this.#maxBytes) {
        closeSync(descriptor);
        renameSync(this.#path, `${this.#path}.1`);
        descriptor = this.#open();
      }
      writeSync(descriptor, bytes);
    } finally {
      closeSync(descriptor);
    }
  }

  #open(): number {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
    let descriptor: number;
    try {
      descriptor = openSync(this.#path, flags, 0o600);
    } catch {
      ensurePrivateDir(dirname(this.#path));
      descriptor = openSync(this.#path, flags, 0o600);
    }
    if ((fstatSync(descriptor).mode & 0o077) !== 0 && process.platform !== 'win32') fchmodSync(descriptor, 0o600);
    return descriptor;
  }
}
