/** The log: one JSON object per line, masked, bounded, buffered, and never a reason for the caller to fail. */
import type { Writable } from 'node:stream';
import { RotatingFile } from './rotating-file.ts';
import { Masker } from './mask.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof logLevels)[number];

/** Facts next to the message. Errors may stand anywhere in them and are written with their causes. */
type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log under a longer scope: `servers` → `servers.github`. */
  child(scope: string): Log;
  /** Writes what is buffered, now. */
  flush(): void;
  /** Writes what is buffered; later lines are written at once. */
  close(): void;
}

interface LogOptions {
  /** The log file; the older half is `<file>.1`. Nothing is stored if absent. */
  readonly file?: string | undefined;
  /** The least level that is written; `info` by default. */
  readonly level?: LogLevel;
  /** Knows the secrets of the config; without it secrets are known by name and shape only. */
  readonly masker?: Masker;
  /** Size at which one file is full, in bytes (5 MiB by default); two are kept. */
  readonly maxBytes?: number;
  /** Writes readable lines there too, as to `process.stderr`. */
  readonly stderr?: Writable | undefined;
  /** Writes the lines of the file there too, as to `process.stdout`. */
  readonly stdout?: Writable | undefined;
  /** The outcome of each write to the file: the error, or undefined. */
  readonly onWrite?: ((error?: unknown) => void) | undefined;
}

/** Longest text and longest line, in characters: a server's 50 MB answer in an error must not fill the log. */
const maxTextLength = 16_000;
const maxLineLength = 64_000;
/** Maximum size of pending lines, in characters; large enough for a burst. */
const maxPendingLength = 64 * 1024;

export function createLog(options: LogOptions = {}): Log {
  const {
    file,
    stderr,
    stdout,
    onWrite = () => undefined,
    masker = new Masker(),
    level = 'info',
    maxBytes = 5 * 1024 * 1024,
  } = options;
  // A pipe that the reader has closed reports it as an event, which would end the process.
  stderr?.on('error', () => undefined);
  stdout?.on('error', () => undefined);
  const logFile = file === undefined ? undefined : new RotatingFile(file, { maxBytes, lostNote, onWrite });
  const maxWaiting = Math.min(maxPendingLength, maxBytes / 4);
  return new MaskedLog({ logFile, maxWaiting, stderr, stdout, masker, least: logLevels.indexOf(level) }, '');
}

interface Sinks {
  readonly logFile: RotatingFile | undefined;
  /** In characters. */
  readonly maxWaiting: number;
  readonly stderr: Writable | undefined;
  readonly stdout: Writable | undefined;
  readonly masker: Masker;
  readonly least: number;
}

class MaskedLog implements Log {
  readonly #sinks: Sinks;
  readonly #scope: string;

  constructor(sinks: Sinks, scope: string) {
    this.#sinks = sinks;
    this.#scope = scope;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(scope: string): Log {
    return new MaskedLog(this.#sinks, this.#scope === '' ? scope : `${this.#scope}.${scope}`);
  }

  flush(): void {
    this.#sinks.logFile?.flush();
  }

  close(): void {
    this.#sinks.logFile?.close();
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { logFile, maxWaiting, stderr, stdout, masker, least } = this.#sinks;
    if (logLevels.indexOf(level) < least) return;
    try {
      const time = new Date().toISOString();
      const said = orInstead(() => shorten(masker.maskText(message)), '(a message that could not be written)');
      const head = { time, level, scope: masker.maskText(this.#scope), message: said };
      const facts = orInstead(() => JSON.stringify(masker.maskObject(fields), shortenTexts), unwritable);
      const written = line(head, facts);
      logFile?.write(() => written, written.length);
      if (logFile !== undefined && logFile.pendingLength > maxWaiting) logFile.flush();
      stderr?.write(readable(head, facts));
      stdout?.write(written);
    } catch {
      // A log that cannot be written is no reason to fail the caller.
    }
  }
}

/** Written instead of fields that JSON cannot represent. */
const unwritable = '{"unwritable":true}';

function orInstead(make: () => string, instead: string): string {
  try {
    return make();
  } catch {
    return instead;
  }
}

type Head = Readonly<Record<'time' | 'level' | 'scope' | 'message', string>>;

function lostNote(lostLines: number): string {
  return `${JSON.stringify({ time: new Date().toISOString(), lostLines })}\n`;
}

function line(head: Head, facts: string): string {
  const start = JSON.stringify(head);
  if (facts === '{}') return `${start}\n`;
  if (facts.length > maxLineLength) return `${JSON.stringify({ ...head, cut: facts.slice(0, maxTextLength) })}\n`;
  // The head comes first and its names are ours: fields of the same name are kept apart.
  return `${start.slice(0, -1)},"fields":${facts}}\n`;
}

function readable({ time, level, scope, message }: Head, facts: string): string {
  const text = `${time.slice(11, 23)} ${level.padEnd(5)} ${scope === '' ? '' : `[${scope}] `}${message}`;
  // Text of servers must not steer the terminal.
  return `${(facts === '{}' ? text : `${text} ${facts.slice(0, maxTextLength)}`).replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')}\n`;
}

function shortenTexts(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? shorten(value) : value;
}

function shorten(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}… (${text.length} characters)`;
}
