/**
 * A server's output and its events, in order: the last lines in memory for errors, everything in a bounded file for
 * the user.
 */
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { RotatingFile } from '../../base/rotating-file.ts';
import { type LogLevel, formatLogLine } from './server-log-format.ts';

interface ServerLogOptions {
  /** The bounded file that receives everything. */
  readonly file?: RotatingFile | undefined;
  /** Masks secrets in a text. */
  readonly mask: (text: string) => string;
  /** ms since 1970. */
  readonly now?: () => number;
}

const maxLines = 200;
const maxRingChars = 64 * 1024;
/** Longer lines are cut, so that output without line breaks stays bounded. In characters. */
const maxLineChars = 8 * 1024;

/** One per server; it outlives restarts, so that the last lines of a dead process can be read. */
export class ServerLog {
  readonly #options: ServerLogOptions;
  readonly #now: () => number;
  /** Lines of stderr. */
  readonly #lines: string[] = [];
  /** Total number of lines on stderr, including dropped ones. */
  #said = 0;
  #ringChars = 0;
  #decoder = new StringDecoder('utf8');
  #unfinished = '';

  constructor(options: ServerLogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Adds a chunk of stderr. */
  appendStderr(chunk: Buffer): void {
    const parts = (this.#unfinished + this.#decoder.write(chunk)).split('\n');
    this.#unfinished = parts.pop() ?? '';
    for (const line of parts) this.#add(line);
    while (this.#unfinished.length > maxLineChars) {
      this.#add(this.#unfinished.slice(0, maxLineChars));
      this.#unfinished = this.#unfinished.slice(maxLineChars);
    }
  }

  /** Adds a log message that was sent through MCP; `level` is the server's. */
  appendServerMessage(level: LogLevel, text: string): void {
    this.#write('server', level, text);
  }

  /** Adds an event of Tooltray. */
  appendEvent(text: string, level?: LogLevel): void {
    this.#write('tooltray', level, text);
  }

  /** Called at the end of the process; completes a line without a line break. */
  end(): void {
    const rest = this.#unfinished + this.#decoder.end();
    this.#unfinished = '';
    if (rest !== '') this.#add(rest);
  }

  /** The last lines of stderr, oldest first, without control sequences and with secrets masked. */
  lines(count: number = maxLines): string[] {
    return this.#lines.slice(-count).map((line) => this.#clean(line));
  }

  /** Total number of lines on stderr, for `linesSince`. */
  get lineCount(): number {
    return this.#said;
  }

  /** Like `lines`, but only those after the first `said` lines. */
  linesSince(said: number, count: number): string[] {
    const fresh = Math.min(count, this.#said - said);
    return fresh > 0 ? this.lines(fresh) : [];
  }

  /** Flushes pending lines before the file is read. */
  flush(): void {
    this.#options.file?.flush();
  }

  /** Writes pending lines and closes the file. */
  close(): void {
    this.end();
    this.#options.file?.close();
  }

  #add(line: string): void {
    const cut = shorten(line);
    this.#said++;
    this.#lines.push(cut);
    this.#ringChars += cut.length;
    while (this.#lines.length > maxLines || this.#ringChars > maxRingChars) {
      this.#ringChars -= this.#lines.shift()?.length ?? 0;
    }
    this.#write('server', undefined, cut);
  }

  #write(from: 'server' | 'tooltray', level: LogLevel | undefined, text: string): void {
    const at = this.#now();
    const cut = shorten(text);
    // Each line of a text is an entry of its own, so that none can imitate another.
    const line = (part: string): string => formatLogLine({ at, from, level, text: this.#clean(part) });
    this.#options.file?.write(() => cut.split('\n').map(line).join(''), cut.length);
  }

  #clean(line: string): string {
    // A terminal would show only what follows the last carriage return (progress bars).
    const seen = line.replace(/\r+$/, '').split('\r').pop() ?? '';
    return this.#options.mask(stripVTControlCharacters(seen).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ''));
  }
}

function shorten(line: string): string {
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line;
}
