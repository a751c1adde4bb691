/** A log file that never grows beyond twice its limit: the full one becomes `<name>.1`, replacing the one before. */
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

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
