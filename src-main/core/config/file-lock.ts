/** Lets one process at a time change a file, by a lock file beside it that a crash cannot leave behind for long. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../base/errors.ts';
import { isRunning } from '../base/is-running.ts';

interface FileLockOptions {
  /** Age in ms from which a lock counts as forgotten; must be far longer than any work done under it. */
  readonly staleMs?: number;
  /** How long to wait for the lock, in ms. */
  readonly waitMs?: number;
}

/** Runs `work` while holding `<path>.lock`. Throws `config_conflict` when another process does not let go in time. */
export async function withFileLock<T>(path: string, work: () => Promise<T>, options: FileLockOptions = {}): Promise<T> {
  const { staleMs = 10_000, waitMs = 20_000 } = options;
  const lock = `${path}.lock`;
  const mine = `${process.pid} ${randomUUID()}\n`;
  await mkdir(dirname(lock), { recursive: true });
  await take(lock, mine, staleMs, waitMs);
  try {
    return await work();
  } finally {
    // It is not ours any more if we were so slow that another process took it for forgotten.
    if ((await contentOf(lock)) === mine) await rm(lock, { force: true });
  }
}

async function take(lock: string, mine: string, staleMs: number, waitMs: number): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!(await tryCreate(lock, mine))) {
    const seen = await contentOf(lock);
    if (seen !== undefined && (await isForgotten(lock, seen, staleMs))) await discard(lock, seen);
    else if (Date.now() > deadline) {
      const holder = seen?.split(' ')[0] ?? 'unknown';
      throw new AppError('config_conflict', `Another process (pid ${holder}) keeps the config file locked.`, {
        fix: `End that process, or remove ${lock}.`,
      });
    } else await sleep(5 + Math.random() * 15);
  }
}

async function tryCreate(lock: string, mine: string): Promise<boolean> {
  try {
    await writeFile(lock, mine, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Windows answers EPERM while a lock that was just removed is going away.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
    throw error;
  }
}

async function isForgotten(lock: string, seen: string, staleMs: number): Promise<boolean> {
  const pid = Number.parseInt(seen, 10);
  if (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) return true;
  const written = await stat(lock).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > staleMs;
}

/** Two processes may find the same lock forgotten: the slower one must not throw away the new lock of the faster one. */
async function discard(lock: string, seen: string): Promise<void> {
  const aside = `${lock}.${randomUUID().slice(0, 8)}`;
  try {
    await rename(lock, aside);
    if ((await contentOf(aside)) !== seen) await link(aside, lock).catch(() => undefined);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
