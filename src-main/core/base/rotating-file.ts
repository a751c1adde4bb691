/**
 * A log file with at most twice its limit: the full one becomes `<name>.1`, replacing the previous one. Written once
 * per turn.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from './app-paths.ts';
import { formatCount } from './text-format.ts';

interface RotatingFileOptions {
  /** Maximum size of one file, in bytes (default: 1 MiB). */
  readonly maxBytes?: number;
  /** Returns the text that replaces dropped lines. */
  readonly lostNote?: (lines: number) => string;
  /** Called after each write, with the error or undefined. */
  readonly onWrite?: (error?: unknown) => void;
}

interface WaitingLine {
  /** Created only if it is written. */
  readonly text: () => string;
  readonly size: number;
}

/** Overhead of a pending entry besides its text, so that many empty lines count as well. */
const entryCost = 64;

export class RotatingFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #lostNote: (lines: number) => string;
  readonly #onWrite: (error?: unknown) => void;
  #waiting: WaitingLine[] = [];
  #waitingSize = 0;
  #lost = 0;
  #next: NodeJS.Immediate | undefined;
  #closed = false;

  /** Creates nothing before the first write. */
  constructor(path: string, options: RotatingFileOptions = {}) {
    const { maxBytes = 1024 * 1024, lostNote = (lines) => `[not logged: ${formatCount(lines, 'line')}]\n` } = options;
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#lostNote = lostNote;
    this.#onWrite = options.onWrite ?? (() => undefined);
  }

  /**
   * Adds a line with its line feed; `size`: its approximate length. When too many are pending, the oldest are dropped.
   */
  write(text: () => string, size: number): void {
    this.#waiting.push({ text, size: size + entryCost });
    this.#waitingSize += size + entryCost;
    // A character takes up to three bytes, so that all pending lines fit into one file.
    if (this.#waitingSize > this.#maxBytes / 3) this.#dropOldest();
    if (this.#closed) this.flush();
    else this.#next ??= setImmediate(() => this.flush());
  }

  /** Length of pending lines, in characters. */
  get pendingLength(): number {
    return this.#waitingSize;
  }

  /** Writes pending lines. Lines that cannot be written (disk full) are counted, and the count is written later. */
  flush(): void {
    clearImmediate(this.#next);
    this.#next = undefined;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingSize = 0;
    if (lines.length === 0) return;
    try {
      const note = this.#lost === 0 ? '' : this.#lostNote(this.#lost);
      this.#append(Buffer.from(note + lines.map(({ text }) => text()).join('')));
      this.#lost = 0;
      this.#onWrite();
    } catch (error) {
      this.#lost += lines.length;
      this.#onWrite(error);
    }
  }

  /** Writes pending lines; later lines are written at once. */
  close(): void {
    this.#closed = true;
    this.flush();
  }

  /** Drops half of them at once, so that a flood does not pay per line; the last line stays. */
  #dropOldest(): void {
    const dropped = this.#waiting.splice(0, Math.floor(this.#waiting.length / 2));
    this.#lost += dropped.length;
    for (const { size } of dropped) this.#waitingSize -= size;
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
