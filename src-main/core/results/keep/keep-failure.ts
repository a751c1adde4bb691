/** Why an answer could not be kept, in words for people and models. */
import { AppError } from '../../base/errors.ts';

/** `code`: of the operating system or SQLite, or one of ours: too_large, busy, closed, thread. */
export class KeepFailure extends Error {
  override readonly name = 'KeepFailure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const noRoom = 'Make room on it, or delete kept answers: tooltray spills prune.';
const noRight =
  "Give yourself the right to write there, or remove the folder: it is made anew with Tooltray's next start.";

const reasons: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  ENOSPC: ['the disk is full', noRoom],
  EDQUOT: ['your share of the disk is used up', noRoom],
  EROFS: ['the disk is read-only', 'Make it writable, or set TOOLTRAY_HOME to another disk.'],
  EACCES: ['Tooltray may not write there', noRight],
  EPERM: ['Tooltray may not write there', noRight],
  EMFILE: ['too many files are open', 'Try again in a moment.'],
  ENFILE: ['too many files are open', 'Try again in a moment.'],
  busy: ['too many long answers arrive at once', 'Call the tool again in a moment, or ask it for less.'],
  closed: ['Tooltray stops', 'Call the tool again once it runs.'],
  thread: ['the thread that writes answers ended', 'Call the tool again, or ask it for less.'],
};

/** As AppError spill_failed; an AppError stays itself. */
export function spillFailure(error: unknown, folder: string, maxBytes: number): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (code === 'too_large') {
    const limit = `${Math.round(maxBytes / 100_000) / 10} MB`;
    return new AppError('spill_failed', `The answer is larger than all kept answers together may be (${limit}).`, {
      fix: 'Ask the tool for less, or raise results.maxBytes in the config.',
      cause: error,
    });
  }
  const [what, fix] = reasons[code] ?? [`of an error (${code || 'unknown'})`, 'See the log for more.'];
  return new AppError('spill_failed', `The answer could not be kept in ${folder}: ${what}.`, { fix, cause: error });
}

function codeOf(error: unknown): string {
  const { code, errcode } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    errcode?: unknown;
  };
  // SQLite: SQLITE_FULL and SQLITE_READONLY; its other errors say less than its own text.
  if (errcode === 13) return 'ENOSPC';
  if (typeof errcode === 'number' && (errcode & 0xff) === 8) return 'EROFS';
  return typeof code === 'string' ? code : '';
}
