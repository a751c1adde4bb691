/** The log: one JSON object per line, masked, bounded, buffered; it never causes its caller to fail. */
import type { Writable } from 'node:stream';
import { RotatingFile } from './rotating-file.ts';
import { Masker } from './mask.ts';
import type { RequestIds } from './trace-context.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof logLevels)[number];

/** Additional fields. Errors may occur anywhere in them and are written with their causes. */
type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with a longer scope: `servers` → `servers.github`. */
  child(scope: string): Log;
  /** Writes buffered lines now. */
  flush(): void;
  /** Writes buffered lines; later lines are written at once. */
  close(): void;
}

interface LogOptions {
  /** The log file; the older half is `<file>.1`. Absent: nothing is stored. */
  readonly file?: string | undefined;
  /** The minimum level; default: `info`. */
  readonly level?: LogLevel;
  /** Masks the secrets of the config; without it only secrets with a known name or shape are masked. */
  readonly masker?: Masker;
  /** Maximum size of one file, in bytes (default: 5 MiB); two are kept. */
  readonly maxBytes?: number;
  /** Also receives readable lines, for example `process.stderr`. */
  readonly stderr?: Writable | undefined;
  /** Also receives the lines of the file, for example `process.stdout`. */
  readonly stdout?: Writable | undefined;
  /** Ids of the HTTP request that a line belongs to. */
  readonly requestIds?: (() => RequestIds | undefined) | undefined;
  /** Called after each write to the file, with the error or undefined. */
  readonly onWrite?: ((error?: unknown) => void) | undefined;
}

/**
 * Maximum length of a text and of a line, in characters, so that an error with a 50 MB result does not fill the log.
 */
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
    requestIds = () => undefined,
    maxBytes = 5 * 1024 * 1024,
  } = options;
  // A pipe that its reader has closed emits an error, which would end the process.
  stderr?.on('error', () => undefined);
  stdout?.on('error', () => undefined);
  const logFile = file === undefined ? undefined : new RotatingFile(file, { maxBytes, lostNote, onWrite });
  const maxWaiting = Math.min(maxPendingLength, maxBytes / 4);
  return new MaskedLog(
    { logFile, maxWaiting, stderr, stdout, masker, requestIds, least: logLevels.indexOf(level) },
    '',
  );
}

interface Sinks {
  readonly logFile: RotatingFile | undefined;
  /** In characters. */
  readonly maxWaiting: number;
  readonly stderr: Writable | undefined;
  readonly stdout: Writable | undefined;
  readonly masker: Masker;
  readonly requestIds: () => RequestIds | undefined;
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
    const { logFile, maxWaiting, stderr, stdout, masker, requestIds, least } = this.#sinks;
    if (logLevels.indexOf(level) < least) return;
    try {
      const time = new Date().toISOString();
      const said = orInstead(() => shorten(masker.maskText(message)), '(a message that could not be written)');
      const head = { time, level, scope: masker.maskText(this.#scope), message: said, ...requestIds() };
      const facts = orInstead(() => JSON.stringify(masker.maskObject(fields), shortenTexts), unwritable);
      const written = line(head, facts);
      logFile?.write(() => written, written.length);
      if (logFile !== undefined && logFile.pendingLength > maxWaiting) logFile.flush();
      stderr?.write(readable(head, facts));
      stdout?.write(written);
    } catch {
      // A failing log must not cause its caller to fail.
    }
  }
}

/** Replaces fields that cannot be represented as JSON. */
const unwritable = '{"unwritable":true}';

function orInstead(make: () => string, instead: string): string {
  try {
    return make();
  } catch {
    return instead;
  }
}

type Head = Readonly<Record<'time' | 'level' | 'scope' | 'message', string>> & Partial<RequestIds>;

function lostNote(lostLines: number): string {
  return `${JSON.stringify({ time: new Date().toISOString(), lostLines })}\n`;
}

function line(head: Head, facts: string): string {
  const start = JSON.stringify(head);
  if (facts === '{}') return `${start}\n`;
  if (facts.length > maxLineLength) return `${JSON.stringify({ ...head, cut: facts.slice(0, maxTextLength) })}\n`;
  // Our own fields come first, so that others cannot imitate them.
  return `${start.slice(0, -1)},"fields":${facts}}\n`;
}

function readable({ time, level, scope, message }: Head, facts: string): string {
  const text = `${time.slice(11, 23)} ${level.padEnd(5)} ${scope === '' ? '' : `[${scope}] `}${message}`;
  // Text of servers must not control the terminal.
  return `${(facts === '{}' ? text : `${text} ${facts.slice(0, maxTextLength)}`).replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')}\n`;
}

function shortenTexts(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? shorten(value) : value;
}

function shorten(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}… (${text.length} characters)`;
}
