/** Answers kept on disk, as the tools that make and read them see it; until there is a store, each of them is told so. */
import { AppError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';

export interface KeptResult {
  /** Absolute path; what `resultFile` says. */
  readonly file: string;
  readonly format: 'json' | 'toon';
  /** Size of the file. */
  readonly bytes: number;
}

/** What may be asked of a kept answer; lines are counted from 1. */
export type ResultQuestion =
  | { readonly op: 'stat' }
  | { readonly op: 'head' | 'tail'; readonly lines: number }
  /** Both ends included; without `toLine` up to the last line. */
  | { readonly op: 'slice'; readonly fromLine: number; readonly toLine: number | undefined }
  | { readonly op: 'grep'; readonly pattern: string; readonly context: number }
  /** `maxBytes` 0: as much as the usual cap lets through. */
  | { readonly op: 'read'; readonly maxBytes: number };

export interface ResultAnswer {
  readonly text: string;
  /** What the op reports besides its text: `byteSize`, `totalLines`, `matchCount` … */
  readonly fields: JsonObject;
  /** The text was cut at the cap. */
  readonly truncated: boolean;
}

export interface ResultFiles {
  /** An answer of more bytes (UTF-8) than this is kept unasked; 0: none is. */
  readonly threshold: number;
  /** Throws AppError unsupported where nothing can be kept: to be asked before a tool is called for a file in vain. */
  check(): void;
  /** Writes an answer down. Rejects with AppError. */
  keep(result: unknown): Promise<KeptResult>;
  /** Rejects with AppError as `readText` does. */
  query(file: string, question: ResultQuestion): Promise<ResultAnswer>;
  /** The whole of a kept file as JSON text. Rejects with AppError not_found, bad_request (no file), not_allowed (not one of ours), unsupported. */
  readText(file: string): Promise<string>;
}

export const noResultFiles: ResultFiles = {
  threshold: 0,
  check: () => {
    throw notKept();
  },
  keep: () => Promise.reject(notKept()),
  query: () => Promise.reject(notKept()),
  readText: () => Promise.reject(notKept()),
};

function notKept(): AppError {
  return new AppError('unsupported', 'Results are not kept on disk yet.', { fix: 'Ask for the answer itself.' });
}
