/** A folder held open, so that what is done in it happens there even if its path comes to mean another folder. */
import { constants } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';
import { shownPath } from './shown-path.ts';
import { openReal } from './open-confined.ts';

export interface PinnedFolder extends AsyncDisposable {
  readonly real: string;
  /** The path to use for its entries: `${at}/${name}`. On Linux it goes through the open descriptor. */
  readonly at: string;
}

/**
 * Pins a folder given by its resolved path. Throws AppError if it is not that folder (any more).
 * Linux: free of races. Elsewhere `at` is the path itself, checked now; Node offers no file access relative to a handle.
 */
export async function pinFolder(real: string): Promise<PinnedFolder> {
  if (process.platform === 'linux') {
    const handle = await openReal(real, constants.O_RDONLY | constants.O_DIRECTORY);
    return { real, at: `/proc/self/fd/${handle.fd}`, [Symbol.asyncDispose]: () => handle.close() };
  }
  if ((await realpath(real).catch(() => '')) === real) {
    return { real, at: real, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  throw new AppError('not_allowed', `"${shownPath(real)}" was replaced while it was being opened.`);
}
