/** Tooltray's own folders and files: a model never reads, lists or writes them, whatever the user permits. */
import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AppPaths } from '../base/app-paths.ts';
import { AppError } from '../base/errors.ts';
import { isInside, displayPath } from './file-paths.ts';

/** Absolute. */
export interface ProtectedPaths {
  readonly folders: readonly string[];
  /** Including files with the same prefix next to them: backups, locks, drafts. */
  readonly files: readonly string[];
}

export const noProtectedPaths: ProtectedPaths = { folders: [], files: [] };

/**
 * Paths of a core that uses `configFile`. In a private home only Tooltray's folder counts; other homes count as a
 * whole.
 */
export function tooltrayPaths(paths: AppPaths, configFile: string): ProtectedPaths {
  const { home, dataDir, logDir, cacheDir, runDir } = paths;
  const folder = dirname(paths.configFile);
  return {
    folders: [dataDir, logDir, cacheDir, runDir, ...(home === undefined ? [folder] : [])],
    files: [paths.configFile, configFile],
  };
}

/** The real paths, for `isProtectedPath`. */
export async function resolveProtectedPaths({ folders, files }: ProtectedPaths): Promise<ProtectedPaths> {
  const [realFolders, realFiles] = await Promise.all([folders, files].map((paths) => Promise.all(paths.map(realOf))));
  return { folders: realFolders ?? [], files: [...files, ...(realFiles ?? [])] };
}

/** Whether a resolved path is protected; `places` must be resolved, too. */
export function isProtectedPath({ folders, files }: ProtectedPaths, real: string): boolean {
  return folders.some((folder) => isInside(folder, real)) || files.some((file) => isBeside(file, real));
}

/** Throws AppError `not_allowed` for a protected path. */
export function assertNotProtected(places: ProtectedPaths, real: string, path: string): void {
  if (isProtectedPath(places, real)) throw refusal(path);
}

/** Detects a hard link to a protected file. Rejects with AppError `not_allowed`. */
export async function assertNotProtectedLink(places: ProtectedPaths, stats: Stats, path: string): Promise<void> {
  if (stats.nlink < 2) return;
  const listed = await Promise.all(
    places.folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])),
  );
  const own = places.folders.flatMap((folder, index) => (listed[index] ?? []).map((name) => join(folder, name)));
  for (const file of [...places.files, ...own]) {
    const found = await stat(file).catch(() => undefined);
    if (found?.ino === stats.ino && found.dev === stats.dev) throw refusal(path);
  }
}

function isBeside(file: string, real: string): boolean {
  return real === file || (dirname(real) === dirname(file) && basename(real).startsWith(`${basename(file)}.`));
}

/** Resolves a path; one that does not exist resolves to its deepest existing folder, plus the rest as named. */
export async function realOf(path: string): Promise<string> {
  const parent = dirname(path);
  return realpath(path).catch(async () => (parent === path ? path : join(await realOf(parent), basename(path))));
}

function refusal(path: string): AppError {
  return new AppError(
    'not_allowed',
    `"${displayPath(path)}" is one of Tooltray's own files, which tools cannot access.`,
  );
}
