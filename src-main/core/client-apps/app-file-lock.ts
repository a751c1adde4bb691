/**
 * The lock for a file of another program. It is in a folder of our own: one that a killed process leaves is nothing
 * that the user sees.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { withSqliteLock } from '../base/file-lock.ts';

/** Far longer than any work under a lock takes. */
const maxAgeMs = 60 * 60_000;

/**
 * Runs `work` while no other process of the user does so for the same file. Processes with other temporary folders are
 * not seen; that nothing of theirs is lost is held by how the file is replaced. Rejects with what `work` throws, or
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

/** Locks and their drafts whose processes were killed. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > maxAgeMs) await rm(file, { force: true });
  }
}
