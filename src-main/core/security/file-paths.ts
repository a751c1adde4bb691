/** Helpers for any file path: containment in a folder, display, and error texts. */
import { isAbsolute, relative, sep } from 'node:path';
import { AppError, type ErrorCode } from '../base/errors.ts';

// Checks paths as text, before the file system is accessed: which are refused, and which are inside of others.

const maxPathLength = 4096;

/** Limit of file systems: bytes on POSIX, UTF-16 units on Windows. */
const maxNameLength = 255;

/** Device names of Windows, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const reservedName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$/i;

/** Throws AppError `bad_request` for an invalid path, `not_allowed` for one that leads outside of the folders. */
export function assertPathName(path: string, platform: NodeJS.Platform): void {
  if (path === '') throw new AppError('bad_request', 'The path is empty.', { fix: 'Specify a file or folder.' });
  const size = platform === 'win32' ? (name: string) => name.length : (name: string) => Buffer.byteLength(name);
  if (path.length > maxPathLength || path.split(/[\\/]/).some((name) => size(name) > maxNameLength)) {
    throw new AppError('bad_request', `The path "${displayPath(path)}" or a name in it is too long.`);
  }
  if (path.includes('\0')) throw refused(path, 'contains a NUL character');
  // No legitimate name begins like this: \\server\share, \\?\C:\, \\.\pipe.
  if (/^[\\/]{2}[?.][\\/]/.test(path) || path.startsWith('\\\\')) throw refused(path, 'is a network or device path');
  if (platform === 'win32') checkWindowsName(path);
}

function checkWindowsName(path: string): void {
  if (/^[\\/]{2}/.test(path)) throw refused(path, 'is a network or device path');
  const names = path.replace(/^[a-z]:(?=[\\/])/i, '').split(/[\\/]/);
  for (const name of names) {
    // "file:stream" is another content of the same file, "C:name" is relative to an unknown folder.
    if (name.includes(':')) throw refused(path, 'names a data stream or a drive without its root');
    if (reservedName.test(name)) throw refused(path, 'contains a device name of Windows');
    // Windows drops them, so the name would differ from the checked one.
    if (/[. ]$/.test(name) && name !== '.' && name !== '..')
      throw refused(path, 'has a part that ends in a dot or space');
  }
}

function refused(path: string, why: string): AppError {
  return new AppError('not_allowed', `The path "${displayPath(path)}" ${why}.`, { fix: 'Use a plain path.' });
}

/** Whether `path` is `folder` or inside it; both absolute and resolved. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Control, format (including bidirectional) and line-breaking characters, which could imitate other lines of a result.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/gu;

/** The path with invisible characters escaped, truncated after 1,000 characters. */
export function displayPath(path: string): string {
  const cut = path.length > 1000 ? `${path.slice(0, 1000)}…` : path;
  return cut.replace(invisible, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

// Converts file system errors to an AppError that a model can act on.

const meanings: Readonly<Record<string, readonly [code: ErrorCode, text: string]>> = {
  EACCES: ['not_allowed', 'may not be accessed by this user'],
  EEXIST: ['bad_request', 'exists already'],
  EISDIR: ['bad_request', 'is a folder, not a file'],
  ELOOP: ['not_allowed', 'is a broken symbolic link'],
  ENAMETOOLONG: ['bad_request', 'has a name that is too long'],
  ENOENT: ['not_found', 'does not exist'],
  ENOSPC: ['call_failed', 'could not be written: the disk is full'],
  ENOTDIR: ['bad_request', 'uses a file as a folder'],
  EPERM: ['not_allowed', 'may not be changed by this user'],
  EROFS: ['not_allowed', 'is on a read-only disk'],
};

/** The `code` of an error of Node, or ''; `instanceof Error` fails for errors of another context (node:vm). */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** An AppError stays unchanged. */
export function toFileError(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  const code = errorCode(error);
  const [kind, text] = meanings[code] ?? ['call_failed', `could not be used (${code || 'unknown reason'})`];
  return new AppError(kind, `"${displayPath(path)}" ${text}.`, { cause: error });
}
