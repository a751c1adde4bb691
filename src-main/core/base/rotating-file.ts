/** A log file that never grows beyond twice its limit: the full one becomes `<name>.1`, replacing the one before. */
import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensurePrivateDir } from './app-paths.ts';

/** The text to write, made only if it is really written. */
type LazyText = () => string;

interface Waiting {
  readonly text: LazyText;
  readonly size: number;
}

/** What waiting costs besides the text itself; without it a flood of empty lines would count as nothing. */
const entryCost = 64;

export class RotatingFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #waiting: Waiting[] = [];
  #waitingSize = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #file: FileHandle | undefined;
  #fileSize = 0;

  /** `maxBytes` is the limit of one file; nothing is created before the first write. */
  constructor(path: string, maxBytes: number = 1024 * 1024) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Queues a text; `size` is about its length. Under a flood the oldest waiting texts give way. */
  write(text: LazyText, size: number): void {
    this.#waiting.push({ text, size: size + entryCost });
    this.#waitingSize += size + entryCost;
    if (this.#waitingSize > this.#maxBytes) this.#dropOldest();
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when everything that waited is written and the file is closed. Never rejects. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
  }

  /** Half of it at once, so that a flood does not pay for each line. */
  #dropOldest(): void {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.slice(Math.ceil(before / 2));
    this.#dropped += before - this.#waiting.length;
    this.#waitingSize = this.#waiting.reduce((sum, one) => sum + one.size, 0);
  }

  async #writeAll(): Promise<void> {
    // One turn later, so that the lines of one chunk are written together.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) await this.#append(this.#takeWaiting());
    } catch {
      // A full or read-only disk must not touch the server; the last lines are still in memory.
      this.#waiting = [];
      this.#waitingSize = 0;
    } finally {
      this.#writing = undefined;
    }
  }

  #takeWaiting(): string {
    const note = this.#dropped === 0 ? '' : `[${this.#dropped} lines were not logged: too many at once]\n`;
    const text = note + this.#waiting.map((one) => one.text()).join('');
    this.#waiting = [];
    this.#waitingSize = 0;
    this.#dropped = 0;
    return text;
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#file ??= await this.#open();
    if (this.#fileSize > 0 && this.#fileSize + bytes.length > this.#maxBytes) {
      await this.#file.close();
      this.#file = undefined;
      await rename(this.#path, `${this.#path}.1`);
      this.#file = await this.#open();
    }
    await this.#file.write(bytes);
    this.#fileSize += bytes.length;
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const file = await open(this.#path, 'a', 0o600);
    this.#fileSize = (await file.stat()).size;
    return file;
  }
}

// Two bounded files of lines, written in batches: the current one and, beside it as `<file>.1`, the one before.

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
