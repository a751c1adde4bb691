/**
 * Writes a text file inside the permitted folders: completely or not at all, never through a link that leads outside.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { AppError } from '../base/errors.ts';
import { type ConfinedPath, type ConfineOptions, confinePath } from './confine-path.ts';
import { errorCode, toFileError, displayPath } from './file-paths.ts';
import { noFollow, openConfined, openReal } from './open-confined.ts';
import type { ProtectedPaths } from './protected-paths.ts';

export type WriteMode = 'create' | 'overwrite' | 'append';

interface Written {
  readonly real: string;
  readonly created: boolean;
}

/**
 * `create` refuses an existing file, `overwrite` replaces it, `append` extends it; all three create a missing file and
 * its missing folders. Throws AppError.
 */
export async function writeConfined(
  roots: readonly string[],
  path: string,
  content: string,
  mode: WriteMode,
  { platform, own }: Pick<ConfineOptions, 'platform' | 'own'> = {},
): Promise<Written> {
  const target = await confinePath(roots, path, { mustExist: false, platform, own });
  if (target.kind === 'folder') throw new AppError('bad_request', `"${displayPath(path)}" is a folder.`);
  if (target.kind === 'file' && mode === 'create') throw taken(path);
  try {
    if (target.kind === 'file' && mode === 'append') await append(target, content, own);
    else await replace(target, content, mode === 'overwrite');
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? taken(path) : toFileError(error, path);
  }
  return { real: target.real, created: target.kind === 'missing' };
}

async function append(target: ConfinedPath, content: string, own: ProtectedPaths | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND;
  const { handle } = await openConfined([target.root], target.real, flags, { own });
  await using _closed = handle;
  await handle.writeFile(content);
}

async function replace(target: ConfinedPath, content: string, overwrite: boolean): Promise<void> {
  const access = target.kind === 'file' ? await accessBits(target) : undefined;
  await using folder = await makeFolders(target.root, dirname(target.real));
  const temporary = join(folder.at, `.${randomUUID()}.tmp`);
  const final = join(folder.at, basename(target.real));
  try {
    await writeNew(temporary, content, access);
    // Claiming the name first protects a file that another program creates meanwhile.
    if (!overwrite) await writeNew(final, '');
    await rename(temporary, final);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The permissions for the new file. A read-only file must not be replaced by renaming either. */
async function accessBits(target: ConfinedPath): Promise<number> {
  const { handle, stats } = await openConfined([target.root], target.real, constants.O_WRONLY);
  await handle.close();
  if ((stats.mode & 0o222) === 0) throw new AppError('not_allowed', `"${displayPath(target.real)}" is read-only.`);
  return stats.mode & 0o777;
}

async function writeNew(path: string, content: string, access?: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow();
  await using file = await open(path, flags, access ?? 0o666);
  await file.writeFile(content);
  if (access !== undefined) await file.chmod(access);
  await file.sync();
}

/** Descends from the permitted folder step by step; each folder is created and opened through its parent. */
async function makeFolders(root: string, real: string): Promise<PinnedFolder> {
  let folder = await anchorFolder(root);
  for (const name of relative(root, real).split(sep)) {
    if (name === '') continue;
    await using above = folder;
    await mkdir(join(above.at, name)).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    folder = await anchorFolder(join(above.real, name));
  }
  return folder;
}

function taken(path: string): AppError {
  return new AppError('bad_request', `"${displayPath(path)}" already exists.`, {
    fix: 'Use mode "overwrite" or "append", or another name.',
  });
}

// A folder that is kept open, so that operations affect it even if its path refers to another folder meanwhile.

interface PinnedFolder extends AsyncDisposable {
  readonly real: string;
  /** The path prefix for its entries: `${at}/${name}`. On Linux it goes through the open descriptor. */
  readonly at: string;
}

/**
 * Opens a folder by its resolved path. Throws AppError if it is another folder now. Free of races on Linux. Elsewhere
 * `at` is the path itself, checked now, because Node has no file access relative to a handle.
 */
export async function anchorFolder(real: string): Promise<PinnedFolder> {
  if (process.platform === 'linux') {
    const handle = await openReal(real, constants.O_RDONLY | constants.O_DIRECTORY);
    return { real, at: `/proc/self/fd/${handle.fd}`, [Symbol.asyncDispose]: () => handle.close() };
  }
  if ((await realpath(real).catch(() => '')) === real) {
    return { real, at: real, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  throw new AppError('not_allowed', `"${displayPath(real)}" was replaced while it was being opened.`);
}
