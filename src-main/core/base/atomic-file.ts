/** Replaces a file atomically, so that a reader never sees part of it, and keeps numbered backups. */
import { isProcessRunning } from './file-lock.ts';
import { systemFailure } from './system-errors.ts';
import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { chown, copyFile, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface AtomicWriteOptions {
  /** Permissions of a new file (default: 0600); an existing file keeps its own. */
  readonly mode?: number;
  /** Called when the new content is on disk, right before it replaces the file; `false` cancels the write. */
  readonly beforeReplace?: () => Promise<boolean>;
  /** Called synchronously after the replacement. */
  readonly afterReplace?: () => void;
}

/**
 * Writes `text` next to the file, flushes it, then renames it over the file. The target of a symbolic link is
 * replaced. Returns whether it was written (`beforeReplace` may cancel). Throws file system errors; the old file stays
 * intact.
 */
export async function writeFileAtomic(path: string, text: string, options: AtomicWriteOptions = {}): Promise<boolean> {
  const target = await realpath(path).catch(() => path);
  const old = await stat(target).catch(() => undefined);
  await mkdir(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFlushed(draft, text, old === undefined ? (options.mode ?? 0o600) : old.mode & 0o7777);
    if (old !== undefined) await chown(draft, old.uid, old.gid).catch(() => undefined);
    if (options.beforeReplace !== undefined && !(await options.beforeReplace())) return false;
    await replace(draft, target);
    options.afterReplace?.();
    return true;
  } catch (error) {
    // The error names the target, because the user does not know the temporary file.
    throw error instanceof Error && systemFailure(error) !== undefined ? Object.assign(error, { path: target }) : error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Copies the file to `<path>.bak`; the previous one becomes `.bak.1` and so on, `keep` in total. Without a file, does
 * nothing.
 */
export async function rotateBackups(path: string, keep: number): Promise<void> {
  const name = (age: number): string => (age === 0 ? `${path}.bak` : `${path}.bak.${age}`);
  if ((await stat(path).catch(() => undefined)) === undefined) return;
  for (let age = keep - 1; age > 0; age--) await rename(name(age - 1), name(age)).catch(ignoreMissing);
  await copyFile(path, name(0));
}

/** Removes drafts in a folder whose writers were killed. Never rejects. */
export async function removeStaleTempFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const writer = tempFilePid(name);
    if (writer !== undefined && !isProcessRunning(writer))
      await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** The process that writes the draft of that name; undefined for other names. */
export function tempFilePid(name: string): number | undefined {
  const pid = /\.(\d+)\.[0-9a-f]{8}\.tmp$/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

async function writeFlushed(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text, 'utf8');
    // The umask restricts the mode of open().
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** On Windows a virus scanner or an editor may briefly hold the old file open. */
async function replace(draft: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Synchronous, so that no other write happens between `beforeReplace` and the rename.
      renameSync(draft, target);
      return;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      const mayPass = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(code);
      if (!mayPass || attempt === 20) throw error;
      await sleep(attempt * 10);
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
