/** What paths say by themselves, before the file system is asked: which are refused, and what lies in what. */
import { isAbsolute, relative, sep } from 'node:path';
import { AppError } from '../base/errors.ts';
import { shownPath } from './shown-path.ts';

const maxPathLength = 4096;

/** What file systems hold: bytes on POSIX, UTF-16 units on Windows. */
const maxNameLength = 255;

/** Device names of Windows, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const reservedName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$/i;

/** Throws AppError `bad_request` for a path that cannot be one, `not_allowed` for one that reaches past the folders. */
export function checkPathName(path: string, platform: NodeJS.Platform): void {
  if (path === '') throw new AppError('bad_request', 'The path is empty.', { fix: 'Name a file or folder.' });
  const size = platform === 'win32' ? (name: string) => name.length : (name: string) => Buffer.byteLength(name);
  if (path.length > maxPathLength || path.split(/[\\/]/).some((name) => size(name) > maxNameLength)) {
    throw new AppError('bad_request', `The path "${shownPath(path)}" or a name in it is too long.`);
  }
  if (path.includes('\0')) throw refused(path, 'contains a NUL character');
  // No honest name begins so on any system: \\server\share, \\?\C:\, \\.\pipe.
  if (/^[\\/]{2}[?.][\\/]/.test(path) || path.startsWith('\\\\')) throw refused(path, 'is a network or device path');
  if (platform === 'win32') checkWindowsName(path);
}

function checkWindowsName(path: string): void {
  if (/^[\\/]{2}/.test(path)) throw refused(path, 'is a network or device path');
  const names = path.replace(/^[a-z]:(?=[\\/])/i, '').split(/[\\/]/);
  for (const name of names) {
    // "file:stream" is another content of the same file, "C:name" is relative to a folder nobody named.
    if (name.includes(':')) throw refused(path, 'names a data stream or a drive without its root');
    if (reservedName.test(name)) throw refused(path, 'contains a device name of Windows');
    // Windows drops them, so the name would be another than the one that was checked.
    if (/[. ]$/.test(name) && name !== '.' && name !== '..')
      throw refused(path, 'has a part that ends in a dot or space');
  }
}

function refused(path: string, why: string): AppError {
  return new AppError('not_allowed', `The path "${shownPath(path)}" ${why}.`, { fix: 'Use a plain path.' });
}

/** Whether `path` is `folder` or below it; both absolute and resolved. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
