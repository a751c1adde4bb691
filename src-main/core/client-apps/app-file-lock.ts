/**
 * Locks a file of another program. The lock is in a folder of our own, where a killed process leaves nothing visible.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { withSqliteLock } from '../base/file-lock.ts';

/** Far longer than any operation under a lock, in ms. */
const maxAgeMs = 60 * 60_000;

/**
 * Runs `work` while no other process of the user does so for the same file. Processes with another temporary folder
 * are not excluded, but the way the file is replaced loses none of their edits. Rejects as `work` does, or with
 * AppError `config_conflict`.
 */
export async function withAppFileLock<T>(target: string, work: () => Promise<T>): Promise<T> {
  const folder = appLockFolder();
  try {
    ensurePrivateDir(folder);
  } catch {
    // The file belongs to another program. The lock is not named `<file>.lock`, because some apps use that name
    // themselves.
    return withSqliteLock(`${target}.tooltray`, work);
  }
  await sweep(folder);
  return withSqliteLock(join(folder, createHash('sha256').update(target).digest('hex').slice(0, 32)), work);
}

export function appLockFolder(): string {
  const user = process.platform === 'win32' ? userInfo().username : String(process.getuid?.() ?? 0);
  return join(tmpdir(), `tooltray-locks-${user}`);
}

/** Removes locks and drafts of killed processes. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > maxAgeMs) await rm(file, { force: true });
  }
}
