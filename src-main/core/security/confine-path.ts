/**
 * Confines paths from models to folders that the user permitted, by their real paths. Hard links cannot be detected: a
 * file inside that is also linked outside counts as inside.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../base/errors.ts';
import { assertPathName, errorCode, isInside, displayPath } from './file-paths.ts';
import { type ProtectedPaths, assertNotProtected, resolveProtectedPaths } from './protected-paths.ts';

export interface ConfineOptions {
  /** Whether a missing path is refused with `not_found` (default); false for paths to write. */
  readonly mustExist?: boolean;
  /** Platform of the naming rules; this computer's by default. */
  readonly platform?: NodeJS.Platform | undefined;
  /** Refused even inside a permitted folder. */
  readonly own?: ProtectedPaths | undefined;
}

export interface ConfinedPath {
  /** Absolute, without symbolic links at the time of the check; open it with `openReal`, which checks again. */
  readonly real: string;
  /** The permitted folder that contains it, resolved. */
  readonly root: string;
  readonly kind: 'file' | 'folder' | 'missing';
}

interface Place {
  readonly real: string;
  readonly exists: boolean;
  /** Set if the path cannot be resolved: a dangling link, a loop, a folder without access. */
  readonly barred?: unknown;
}

const howToAllow =
  'The user can allow a folder in Tooltray\'s config: servers.utils.folders, for example ["/home/me/notes"].';

/**
 * The real path of `path`, if it is in one of `roots` (absolute folders). A relative path is looked up in each root in
 * order; a missing one belongs to the first. Throws AppError `not_allowed`, `not_found` or `bad_request`.
 */
export async function confinePath(
  roots: readonly string[],
  path: string,
  options: ConfineOptions = {},
): Promise<ConfinedPath> {
  const { mustExist = true, platform = process.platform } = options;
  const realRoots = await resolveRoots(roots);
  assertPathName(path, platform);
  const candidates = isAbsolute(path) ? [path] : realRoots.map((root) => resolve(root, path));
  const places = await Promise.all(candidates.map(locate));
  const place = places.find((each) => each.exists) ?? places[0];
  const root = place === undefined ? undefined : realRoots.find((each) => isInside(each, place.real));
  if (place === undefined || root === undefined || place.barred !== undefined)
    throw outside(roots, path, place?.barred);
  if (options.own !== undefined) assertNotProtected(await resolveProtectedPaths(options.own), place.real, path);
  if (place.exists) return { real: place.real, root, kind: await kindOf(place.real, path) };
  if (mustExist) throw new AppError('not_found', `"${displayPath(path)}" does not exist.`);
  return { real: place.real, root, kind: 'missing' };
}

/** The real paths of the permitted folders; missing ones are omitted. Throws `not_allowed` if none is left. */
export async function resolveRoots(roots: readonly string[]): Promise<string[]> {
  if (roots.length === 0) throw new AppError('not_allowed', 'No folders are allowed.', { fix: howToAllow });
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  const existing = found.filter((root) => root !== undefined);
  if (existing.length > 0) return existing;
  throw new AppError('not_allowed', `None of the allowed folders exists: ${listed(roots)}.`, { fix: howToAllow });
}

/** Resolves a path; one that does not exist resolves to its deepest existing folder, plus the rest as named. */
async function locate(path: string): Promise<Place> {
  try {
    return { real: await realpath(path), exists: true };
  } catch (error) {
    const code = errorCode(error);
    const absent = code === 'ENOENT' || code === 'ENOTDIR';
    // Writing through a dangling link would create its target.
    if (!absent || (await isThere(path))) return { real: path, exists: false, barred: error };
  }
  const parent = dirname(path);
  if (parent === path) return { real: path, exists: false };
  const above = await locate(parent);
  return { ...above, real: join(above.real, basename(path)), exists: false };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function kindOf(real: string, path: string): Promise<'file' | 'folder'> {
  const stats = await lstat(real).catch(() => undefined);
  if (stats?.isFile()) return 'file';
  if (stats?.isDirectory()) return 'folder';
  throw new AppError(
    'not_allowed',
    `"${displayPath(path)}" is neither a file nor a folder (a device, pipe or socket).`,
  );
}

function outside(roots: readonly string[], path: string, cause: unknown): AppError {
  const message = `"${displayPath(path)}" is outside the allowed folders: ${listed(roots)}.`;
  return new AppError('not_allowed', message, { fix: howToAllow, cause });
}

function listed(roots: readonly string[]): string {
  return roots.map(displayPath).join(', ');
}

// Shows a file name to a model or a user: on one line, without invisible characters.
