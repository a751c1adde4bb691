/** Messages between the core and the thread that stores results. */
import { textOrEmpty } from '../base/json.ts';
import { AppError } from '../base/errors.ts';
import { formatBytes } from '../base/text-format.ts';
import type { ResultReading } from './payload.ts';
import type { SpillKind, SpillSummary } from './spill.ts';

/** A job of the result writer: store a result, return an excerpt of it, or measure it. */
export type SpillWriteJob =
  | {
      readonly do: 'store';
      /** Absolute prefix of the file names. */
      readonly stem: string;
      readonly maxBytes: number;
      readonly textKind: 'text' | 'toon';
    }
  /** Writes nothing; returns its size and both ends, together at most `bytes`. */
  | { readonly do: 'excerpt'; readonly bytes: number }
  | { readonly do: 'measure' };

export type ToSpillWriter =
  /** `bytes`: length of the whole result. */
  | { readonly kind: 'begin'; readonly job: SpillWriteJob; readonly bytes: number }
  /** The buffer is transferred. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' };

export type FromSpillWriter =
  | { readonly kind: 'taken' }
  | { readonly kind: 'stored'; readonly result: DraftedResult }
  | { readonly kind: 'excerpt'; readonly excerpt: Excerpt }
  | { readonly kind: 'measured'; readonly size: ResultSize }
  /** `code`: of the operating system, or `too_large`. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** The payload of a part that is counted: as sent by the server, without duplicates. */
export interface Payload {
  readonly bytes: number;
  /** The whole text, or pieces of a long one. */
  readonly texts: readonly string[];
  /** Factor from a count over the texts to the whole. */
  readonly scale: number;
}

/** The beginning and the end of a result, for a model that cannot receive the whole. */
export interface Excerpt {
  readonly payloadBytes: number;
  readonly head: string;
  readonly tail: string;
  readonly isError: boolean;
}

/** The size of a result that was measured away from the main thread. */
export interface ResultSize {
  /** Size of the content, duplicates counted once, in bytes. */
  readonly payloadBytes: number;
  /** The JSON text of the result without duplicates, by what the reader takes; for counting tokens. */
  readonly once: Readonly<Record<ResultReading, SampledText>>;
}

export interface SampledText {
  /** Size of the whole text (UTF-8). */
  readonly bytes: number;
  /** The whole text, or pieces of a long one. */
  readonly text: string;
  /** Factor from a count over the pieces to the whole. */
  readonly scale: number;
}

/** A part of a result that is not stored yet; plain data that is sent between threads. */
export interface DraftedPart {
  readonly kind: SpillKind;
  readonly mimeType: string;
  readonly extension: string;
  readonly bytes: number;
  readonly lines: number | undefined;
  readonly summary: SpillSummary;
  readonly payload: Payload;
  /** The bytes of the part, unless they are in `file`. */
  readonly content?: Buffer | undefined;
  readonly file?: string | undefined;
}

export interface DraftedResult {
  /** The main part first; never empty. */
  readonly parts: readonly DraftedPart[];
  /** JSON of `ResultRemains`, because numbers with preserved spelling cannot be sent between threads. */
  readonly remains: string;
}

/** Everything outside the parts: blocks returned inline, and the members of the result. */
export interface ResultRemains {
  readonly inline: readonly Record<string, unknown>[];
  readonly rest: Record<string, unknown>;
}

// Errors of storing a result, in words for users and models.

/** `code`: of the operating system or SQLite, or one of ours: too_large, busy, closed, thread. */
export class SpillWriteError extends Error {
  override readonly name = 'KeepFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const outOfCapacity = 'Free disk space, or delete spilled results: tooltray spill prune.';
const noRight = 'Grant your user write permission, or remove the folder; Tooltray recreates it at the next start.';

const reasons: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  ENOSPC: ['the disk is full', outOfCapacity],
  EDQUOT: ['your disk quota is used up', outOfCapacity],
  EROFS: ['the disk is read-only', 'Make it writable, or set TOOLTRAY_HOME to another disk.'],
  EACCES: ['Tooltray has no write permission there', noRight],
  EPERM: ['Tooltray has no write permission there', noRight],
  EMFILE: ['too many files are open', 'Try again in a moment.'],
  ENFILE: ['too many files are open', 'Try again in a moment.'],
  busy: ['too many large results arrived at the same time', 'Call the tool again later, or request less.'],
  closed: ['Tooltray stops', 'Call the tool again once it runs.'],
  thread: ['the writer thread exited', 'Call the tool again, or request less.'],
};

/** Converts an error to AppError `spill_failed`; an AppError is returned unchanged. */
export function toSpillError(error: unknown, folder: string, maxBytes: number): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (code === 'too_large') {
    const limit = formatBytes(maxBytes);
    return new AppError('spill_failed', `The result is larger than the total spill limit (${limit}).`, {
      fix: 'Request less, or raise results.maxBytes in the config.',
      cause: error,
    });
  }
  const [what, fix] = reasons[code] ?? [`of an error (${code || 'unknown'})`, 'See the log for more.'];
  return new AppError('spill_failed', `The result could not be stored in ${folder}: ${what}.`, { fix, cause: error });
}

function codeOf(error: unknown): string {
  const { code, errcode } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    errcode?: unknown;
  };
  // SQLite: SQLITE_FULL and SQLITE_READONLY; messages of other errors are clearer than the code.
  if (errcode === 13) return 'ENOSPC';
  if (typeof errcode === 'number' && (errcode & 0xff) === 8) return 'EROFS';
  return textOrEmpty(code);
}

// Maps a media type to the kind and the extension of a spill file.

/** No extension that a computer would run or open as a program. */
const extensions: Readonly<Record<string, string>> = {
  'application/gzip': 'gz',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'application/zip': 'zip',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'audio/x-wav': 'wav',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/jpg': 'jpg',
  'image/png': 'png',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/tab-separated-values': 'tsv',
  'text/toon': 'toon',
  'text/xml': 'xml',
  'text/yaml': 'yaml',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** The type without parameters: text/plain for `text/plain; charset=utf-8`; undefined for an invalid type. */
export function plainMediaType(type: unknown): string | undefined {
  if (typeof type !== 'string' || type.length > 200) return undefined;
  const plain = type.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(plain) ? plain : undefined;
}

/** `otherwise`: for a type that is not in the table. */
export function extensionOf(type: string, otherwise: string): string {
  return extensions[type] ?? otherwise;
}

export function isTextKind(kind: SpillKind): boolean {
  return kind === 'text' || kind === 'json' || kind === 'toon';
}

/** The kind of a file in a permitted folder, by its extension; undefined if only its content tells. */
export function kindOfExtension(extension: string): SpillKind | undefined {
  const plain = extension.toLowerCase();
  if (plain === 'json' || plain === 'toon') return plain;
  const type = Object.keys(extensions).find((each) => extensions[each] === plain);
  if (type?.startsWith('text/') || plain === 'xml' || plain === 'yaml') return 'text';
  return type === undefined ? undefined : mediaKind(type);
}

/** The type of files with this extension. */
export function extensionMediaType(extension: string): string {
  return Object.keys(extensions).find((each) => extensions[each] === extension) ?? 'application/octet-stream';
}

/** The kind of bytes that are not text. */
export function mediaKind(type: string): 'image' | 'audio' | 'binary' {
  if (type.startsWith('image/')) return 'image';
  return type.startsWith('audio/') ? 'audio' : 'binary';
}
