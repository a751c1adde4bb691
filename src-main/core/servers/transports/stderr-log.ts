/** What a server says on stderr: the last lines in memory for people, and a bounded file for the rest. */
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { RotatingFile } from '../../base/rotating-file.ts';

interface StderrLogOptions {
  /** Where everything goes as well, within its own bounds. */
  readonly file?: RotatingFile | undefined;
  /** Hides secrets in a text. */
  readonly mask: (text: string) => string;
}

const maxLines = 200;
const maxRingChars = 64 * 1024;
/** A line without an end is cut here, so that a flood without line breaks stays bounded too. */
const maxLineChars = 8 * 1024;

/** One per server; it outlives restarts, so the last words of a process that died can be read afterwards. */
export class StderrLog {
  readonly #options: StderrLogOptions;
  readonly #lines: string[] = [];
  #ringChars = 0;
  #decoder = new StringDecoder('utf8');
  #unfinished = '';

  constructor(options: StderrLogOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    const parts = (this.#unfinished + this.#decoder.write(chunk)).split('\n');
    this.#unfinished = parts.pop() ?? '';
    for (const line of parts) this.#add(line);
    while (this.#unfinished.length > maxLineChars) {
      this.#add(this.#unfinished.slice(0, maxLineChars));
      this.#unfinished = this.#unfinished.slice(maxLineChars);
    }
  }

  /** The process has ended: what was said without a line break counts too. */
  end(): void {
    const rest = this.#unfinished + this.#decoder.end();
    this.#unfinished = '';
    if (rest !== '') this.#add(rest);
  }

  /** The last lines, oldest first, without control sequences and with secrets masked. */
  lines(count: number = maxLines): string[] {
    return this.#lines.slice(-count).map((line) => this.#clean(line));
  }

  /** Writes out what is waiting and closes the file. */
  close(): void {
    this.end();
    this.#options.file?.close();
  }

  #add(line: string): void {
    const cut = line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line;
    this.#lines.push(cut);
    this.#ringChars += cut.length;
    while (this.#lines.length > maxLines || this.#ringChars > maxRingChars) {
      this.#ringChars -= this.#lines.shift()?.length ?? 0;
    }
    this.#options.file?.write(() => `${this.#clean(cut)}\n`, cut.length);
  }

  #clean(line: string): string {
    // Only what follows the last carriage return would be seen in a terminal (progress bars).
    const seen = line.replace(/\r+$/, '').split('\r').pop() ?? '';
    return this.#options.mask(stripVTControlCharacters(seen).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ''));
  }
}
