/** What the operating system says about a file, as an AppError that a model can act on. */
import { AppError } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import { shownPath } from './shown-path.ts';

const meanings: Readonly<Record<string, readonly [code: ErrorCode, text: string]>> = {
  EACCES: ['not_allowed', 'may not be accessed by this user'],
  EEXIST: ['bad_request', 'exists already'],
  EISDIR: ['bad_request', 'is a folder, not a file'],
  ELOOP: ['not_allowed', 'is a symbolic link that leads nowhere useful'],
  ENAMETOOLONG: ['bad_request', 'has a name that is too long'],
  ENOENT: ['not_found', 'does not exist'],
  ENOSPC: ['call_failed', 'could not be written: the disk is full'],
  ENOTDIR: ['bad_request', 'goes through a file as if it were a folder'],
  EPERM: ['not_allowed', 'may not be changed by this user'],
  EROFS: ['not_allowed', 'is on a read-only disk'],
};

/** The `code` of an error that Node threw, or ''; `instanceof Error` fails for those from another context (node:vm). */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** An AppError stays itself. */
export function fileError(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  const code = errorCode(error);
  const [kind, text] = meanings[code] ?? ['call_failed', `could not be used (${code || 'unknown reason'})`];
  return new AppError(kind, `"${shownPath(path)}" ${text}.`, { cause: error });
}
