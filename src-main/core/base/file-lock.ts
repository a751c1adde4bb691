/** A lock for one process at a time: a file that names its holder, so that a crash does not leave it held for long. */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './errors.ts';

interface FileLockOptions {
  /** Age from which a lock counts as stale, in ms; must be far longer than any work under it. */
  readonly staleMs?: number;
  /** Maximum wait for the lock, in ms. */
  readonly waitMs?: number;
}

/**
 * Runs `work` while holding `<path>.lock`. Throws `config_conflict` if another process does not release the lock in
 * time.
 */
export async function withSqliteLock<T>(
  path: string,
  work: () => Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  const { staleMs = 10_000, waitMs = 20_000 } = options;
  const file = `${path}.lock`;
  mkdirSync(dirname(file), { recursive: true });
  using lock = new LockFile(file, staleMs);
  for (const deadline = Date.now() + waitMs; !lock.tryAcquire(); await sleep(5 + Math.random() * 15)) {
    if (Date.now() <= deadline) continue;
    throw new AppError('config_conflict', `Another process (pid ${holderOf(file)}) keeps the config file locked.`, {
      fix: `End that process, or remove ${file}.`,
    });
  }
  return await work();
}

/** Error codes of file systems without hard links (FAT, some network shares). */
const noLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

export class LockFile implements Disposable {
  readonly #file: string;
  readonly #staleMs: number;
  readonly #words = `${process.pid} ${randomUUID()}\n`;
  #isMine = false;

  /** `staleMs`: an older lock belongs to a hung process, or its process ID was reused. */
  constructor(file: string, staleMs: number) {
    this.#file = file;
    this.#staleMs = staleMs;
  }

  /** Returns whether the lock is ours now; takes over the lock of a dead process. Its folder must exist. */
  tryAcquire(): boolean {
    this.#isMine ||= this.#create();
    if (this.#isMine) return true;
    const seen = contentOf(this.#file);
    if (seen === undefined || !this.#isForgotten(seen)) return false;
    this.#discard(seen);
    return (this.#isMine = this.#create());
  }

  [Symbol.dispose](): void {
    // If we were too slow, another process may have taken over the lock.
    if (this.#isMine && contentOf(this.#file) === this.#words) rmSync(this.#file, { force: true });
    this.#isMine = false;
  }

  /**
   * Writes the file elsewhere and then links it, so that a killed process leaves no lock without a process id, which
   * would only expire by age.
   */
  #create(): boolean {
    if (contentOf(this.#file) !== undefined) return false;
    const whole = this.#draft();
    try {
      writeFileSync(whole, this.#words, { flag: 'wx', mode: 0o600 });
      linkSync(whole, this.#file);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      if (noLinks.has(code ?? '')) return this.#createInPlace();
      // The error names the lock: of a full disk it names no file, else the draft, which the user does not know.
      throw error instanceof Error ? Object.assign(error, { path: this.#file, dest: undefined }) : error;
    } finally {
      rmSync(whole, { force: true });
    }
  }

  /** Returns a name that sweepDrafts recognizes if this process is killed. */
  #draft(): string {
    return `${this.#file}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`;
  }

  #createInPlace(): boolean {
    try {
      writeFileSync(this.#file, this.#words, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // Windows reports EPERM while a removed lock disappears.
      if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
      throw error;
    }
  }

  /** Without a process id, its creator is between creating and writing it, on a file system without hard links. */
  #isForgotten(seen: string): boolean {
    const pid = Number.parseInt(seen, 10);
    if (pid > 0 && !isProcessRunning(pid)) return true;
    const written = statSync(this.#file, { throwIfNoEntry: false });
    return written !== undefined && Date.now() - written.mtimeMs > this.#staleMs;
  }

  /** Two processes may find the same stale lock: the slower one must not remove the new lock of the faster one. */
  #discard(seen: string): void {
    const aside = this.#draft();
    try {
      renameSync(this.#file, aside);
      if (contentOf(aside) !== seen) linkSync(aside, this.#file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
    } finally {
      rmSync(aside, { force: true });
    }
  }
}

/** Whether a process is running. Also true for one that we may not signal, because it belongs to another user. */
export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function holderOf(file: string): string {
  return contentOf(file)?.split(' ')[0] ?? 'unknown';
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
