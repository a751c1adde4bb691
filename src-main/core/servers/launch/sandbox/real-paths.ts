/** Real paths: resolves a path, and opens it so that a link planted meanwhile cannot redirect it. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { AppError } from '../../../base/errors.ts';

/**
 * The flag O_PATH, which opens a path without reading it. Source: open(2); Node.js does not export it. The same on
 * x86, ARM, RISC-V and POWER.
 */
const pathOnly = 0o10000000;

/**
 * Opens the file or folder at a real path (Linux), for a mount by its descriptor. Rejects with AppError
 * `server_not_started` if a link now leads elsewhere, or with the system's error. The caller closes it.
 */
export async function openRealPath(path: string): Promise<FileHandle> {
  const handle = await open(path, pathOnly | constants.O_NOFOLLOW);
  try {
    // The mount uses the descriptor, so its own path is compared.
    const opened = await readlink(`/proc/self/fd/${handle.fd}`);
    if (opened === path && !(await handle.stat()).isSymbolicLink()) return handle;
    throw new AppError('server_not_started', `${path} now resolves to ${opened}.`);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The symbolic links on the way to `path`, each with its target as written. Never rejects. */
export async function linksOnTheWay(path: string): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  const left = path.split(sep);
  let at: string = sep;
  while (left.length > 0 && links.size < maxLinks) {
    const name = left.shift() ?? '';
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const target = await readlink(next).catch(() => undefined);
    if (target === undefined) {
      at = next;
      continue;
    }
    if (links.has(next)) return links;
    links.set(next, target);
    left.unshift(...target.split(sep));
    if (isAbsolute(target)) at = sep;
  }
  return links;
}

/** Maximum number of links, as in Linux. Source: path_resolution(7). */
const maxLinks = 40;

/** The required entry of our private folder: a folder, an empty file, or a link with that target. */
export type Wanted = 'folder' | 'file' | { readonly target: string };

/**
 * Creates `path` (relative) below `root`, a folder of Tooltray that a server writes between its starts (Linux). Links
 * that it planted on the way are replaced by folders, never followed. Rejects with the system's error.
 */
export async function makeBelow(root: string, path: string, wanted: Wanted): Promise<void> {
  const names = path.split(sep).filter((name) => name !== '');
  let folder = await openFolder(root);
  try {
    for (const [index, name] of names.entries()) {
      // A path through the descriptor refers to this folder, even if its name refers to another one meanwhile.
      const at = join(`/proc/self/fd/${folder.fd}`, name);
      if (index === names.length - 1) return await makeOne(at, wanted);
      await makeOne(at, 'folder');
      const next = await openFolder(at);
      await folder.close();
      folder = next;
    }
  } finally {
    await folder.close();
  }
}

function openFolder(path: string): Promise<FileHandle> {
  return open(path, pathOnly | constants.O_NOFOLLOW | constants.O_DIRECTORY);
}

async function makeOne(path: string, wanted: Wanted): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (typeof wanted === 'object') {
    if (stats?.isSymbolicLink() === true && (await readlink(path)) === wanted.target) return;
    if (stats !== undefined) await rm(path, { recursive: true, force: true });
    return symlink(wanted.target, path);
  }
  const isFile = wanted === 'file';
  if (stats !== undefined && (isFile ? stats.isFile() : stats.isDirectory())) return;
  if (stats !== undefined) await rm(path, { recursive: true, force: true });
  await (isFile ? writeFile(path, '', { flag: 'wx', mode: 0o600 }) : mkdir(path, { mode: 0o700 }));
}
