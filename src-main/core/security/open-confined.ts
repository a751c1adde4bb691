/**
 * Opens a path from `confinePath` and verifies the file, because a folder may be replaced by a link between check and
 * opening.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import { type ConfineOptions, confinePath } from './confine-path.ts';
import { errorCode, toFileError, displayPath } from './file-paths.ts';
import { assertNotProtectedLink, resolveProtectedPaths } from './protected-paths.ts';

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly real: string;
  readonly stats: Stats;
}

/** Open flag of macOS 11 and later: fails if any part of the path is a symbolic link (bsd/sys/fcntl.h of xnu). */
const O_NOFOLLOW_ANY = 0x20000000;

/** How often identity and path are compared on systems where neither can be read from the handle. */
const identityChecks = 8;

/**
 * Opens an existing regular file in one of `roots`. `flags`: from node:fs constants, without O_CREAT and O_TRUNC,
 * which act before any check. The caller closes the handle. Throws AppError.
 */
export async function openConfined(
  roots: readonly string[],
  path: string,
  flags: number = constants.O_RDONLY,
  options: ConfineOptions = {},
): Promise<OpenedFile> {
  const { real } = await confinePath(roots, path, { ...options, mustExist: true });
  const handle = await openReal(real, flags);
  const stats = await handle.stat();
  try {
    if (options.own !== undefined) await assertNotProtectedLink(await resolveProtectedPaths(options.own), stats, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  if (stats.isFile()) return { handle, real, stats };
  await handle.close();
  throw new AppError('bad_request', `"${displayPath(path)}" is not a file.`);
}

/**
 * Opens a path from `confinePath`, or one below it without links. Throws AppError `not_allowed` if it now leads
 * elsewhere.
 */
export async function openReal(real: string, flags: number): Promise<FileHandle> {
  if (flags & (constants.O_CREAT | constants.O_TRUNC)) throw new AppError('internal', 'Unsafe flags for openReal.');
  // O_NONBLOCK: a pipe in the file's place must not block us.
  const handle = await open(real, flags | noFollow() | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    throw errorCode(error) === 'ELOOP' ? changed(real, error) : toFileError(error, real);
  });
  if (await leadsTo(handle, real).catch(() => false)) return handle;
  await handle.close();
  throw changed(real);
}

/** The flag against symbolic links: anywhere in the path on macOS, only in the last part on other POSIX systems. */
export function noFollow(): number {
  return process.platform === 'darwin' ? O_NOFOLLOW_ANY : (constants.O_NOFOLLOW ?? 0);
}

/**
 * Whether an open file is the one at `real`. Linux reports the path of a descriptor, macOS refused links at opening;
 * elsewhere identity and path are compared.
 */
async function leadsTo(handle: FileHandle, real: string): Promise<boolean> {
  if (process.platform === 'darwin') return true;
  if (process.platform === 'linux') {
    const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (actual !== undefined) return actual === real;
  }
  return isSameFile(handle, real);
}

/**
 * A process that keeps replacing it would have to match the moment between two checks every time (measured: one check
 * is not sufficient).
 */
async function isSameFile(handle: FileHandle, real: string): Promise<boolean> {
  const opened = await handle.stat({ bigint: true });
  for (let look = 0; look < identityChecks; look++) {
    const named = await lstat(real, { bigint: true });
    if (opened.ino !== named.ino || opened.dev !== named.dev) return false;
    if ((await realpath(real)) !== real) return false;
  }
  return true;
}

function changed(real: string, cause?: unknown): AppError {
  return new AppError('not_allowed', `"${displayPath(real)}" was replaced while it was being opened.`, {
    fix: 'Try again once nothing else changes it.',
    cause,
  });
}
