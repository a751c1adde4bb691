/**
 * Locks for what one process at a time may do: a file that names its holder, which a crash cannot leave behind for
 * long.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './errors.ts';

interface FileLockOptions {
  /** Age in ms from which a lock counts as forgotten; must be far longer than any work done under it. */
  readonly staleMs?: number;
  /** How long to wait for the lock, in ms. */
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

/** Error codes of file systems without hard links (FAT, some shares). */
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

  /** Whether it is ours now; takes over the lock of a process that is gone. Its folder must exist. */
  tryAcquire(): boolean {
    this.#isMine ||= this.#create();
    if (this.#isMine) return true;
    const seen = contentOf(this.#file);
    if (seen === undefined || !this.#isForgotten(seen)) return false;
    this.#discard(seen);
    return (this.#isMine = this.#create());
  }

  [Symbol.dispose](): void {
    // It is not ours any more if we were so slow that another process took it for forgotten.
    if (this.#isMine && contentOf(this.#file) === this.#words) rmSync(this.#file, { force: true });
    this.#isMine = false;
  }

  /**
   * The file is written elsewhere and then linked: a process that is killed in between leaves no lock without a number,
   * which would hold as long as a forgotten one.
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
      throw error;
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
      // Windows answers EPERM while a lock that was just removed is going away.
      if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false;
      throw error;
    }
  }

  /** No number yet: its maker is between creating and writing it, where files cannot be linked. */
  #isForgotten(seen: string): boolean {
    const pid = Number.parseInt(seen, 10);
    if (pid > 0 && !isProcessRunning(pid)) return true;
    const written = statSync(this.#file, { throwIfNoEntry: false });
    return written !== undefined && Date.now() - written.mtimeMs > this.#staleMs;
  }

  /**
   * Two processes may find the same lock forgotten: the slower one must not throw away the new lock of the faster one.
   */
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

/** Whether a process is there. True for one that we may not signal as well: it runs as somebody else. */
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
