/** Runs something while no other process does the same, under a lock that the system takes back when its holder dies. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../base/errors.ts';

const retryMs = 10;
/** SQLite's SQLITE_BUSY: somebody else has the lock. */
const busy = 5;

/**
 * Waits up to `patienceMs` for the lock on `file`, which is made when missing and stays. Throws AppError `already_running` after that.
 * Node knows no file locks. SQLite takes real ones on every system, and an empty database is just a file to lock;
 * a file that names its holder has to be removed by somebody when the holder is killed, and two can do that at once.
 */
export async function withFileLock<T>(file: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    for (let waited = 0; !tryLock(database); waited += retryMs) {
      if (waited > patienceMs) {
        throw new AppError('already_running', `Another Tooltray is starting and does not get on; it holds ${file}.`, {
          fix: 'End that process, then start again.',
        });
      }
      await sleep(retryMs);
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode === busy) return false;
    throw error;
  }
}
