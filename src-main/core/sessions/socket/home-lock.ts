/**
 * The lock that a core holds on its home while it runs. It is stored with the data, where no cleaner of temporary
 * folders removes it, so that a core whose socket was removed still excludes a second one.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePrivateDir } from '../../base/app-paths.ts';
import { AppError } from '../../base/errors.ts';
import { isCorruptError } from '../../base/private-database.ts';
import { withPath } from '../../base/system-errors.ts';

const pollIntervalMs = 20;

export function homeLockFile(dataDir: string): string {
  return join(dataDir, 'core.lock');
}

/**
 * Node.js has no file locks, so this uses SQLite's, which the system releases when their process ends. A file that
 * names its holder would have to be removed after a crash, and two processes can do that at once.
 */
export class HomeLock implements Disposable {
  readonly #database: DatabaseSync;

  /** `database`: with an open exclusive transaction, which is the lock. */
  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Waits up to `waitMs` for the lock on `file`, which is created if it is missing or damaged. Throws AppError
   * `already_running` if another process holds it for longer, or at once if `isServed` says that its socket responds.
   */
  static async take(
    file: string,
    waitMs: number,
    isServed: () => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<HomeLock> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const lock = HomeLock.tryTake(file);
      if (lock !== undefined) return lock;
      if ((await isServed()) || Date.now() > deadline) throw homeIsHeld(file);
      await sleep(pollIntervalMs);
    }
  }

  /** Undefined if another process holds the lock. Throws file system errors. */
  static tryTake(file: string): HomeLock | undefined {
    ensurePrivateDir(dirname(file));
    try {
      return HomeLock.#lock(file);
    } catch (error) {
      // A damaged file cannot be locked by another process; its lock would have been noticed first.
      if (!isCorruptError(error)) throw withPath(error, file);
    }
    rmSync(file, { force: true, recursive: true });
    return HomeLock.#lock(file);
  }

  /** Whether a process holds the lock, without waiting. False if the file cannot be used. */
  static isHeld(file: string): boolean {
    try {
      using lock = HomeLock.tryTake(file);
      return lock === undefined;
    } catch {
      return false;
    }
  }

  /** Releases the lock; further calls do nothing. */
  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  static #lock(file: string): HomeLock | undefined {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      // Nothing is written, so no journal file is needed.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new HomeLock(database);
    } catch (error) {
      database.close();
      if ((error as { errcode?: unknown }).errcode === busy) return undefined;
      throw error;
    }
  }
}

/** SQLite's SQLITE_BUSY: another process has the lock. */
const busy = 5;

export function homeIsHeld(file: string): AppError {
  return new AppError('already_running', `Another Tooltray is already running; it locks ${file}.`, {
    fix: 'Use it, stop it first, or set TOOLTRAY_HOME to run a second one with its own settings.',
  });
}
