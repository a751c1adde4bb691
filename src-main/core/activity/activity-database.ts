/** Opens the activity database, private and ready for several processes; sets a broken one aside. */
import { closeSync, existsSync, fchmodSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { AppError } from '../base/errors.ts';
import { migrate } from './activity-schema.ts';

const pageBytes = 4096;

/** How long a statement waits for another process, in ms: it holds up the main thread, and a batch can be tried again. */
const busyMs = 250;

/** Opens (or makes) the file. Throws what SQLite throws; isBroken tells whether setAside helps. */
export function openDatabase(file: string, maxBytes: number): DatabaseSync {
  ensurePrivateDir(dirname(file));
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: busyMs });
  try {
    // The order matters: auto_vacuum is fixed by the first write, and changing to WAL is one.
    database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL`);
    // With WAL, NORMAL loses at most the last moments in a power cut, and nothing when the process dies.
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${checkpointPages(maxBytes)}`);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Is the file no database, damaged, or of a version we cannot read? Then it is to be set aside. */
export function isBroken(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'unsupported';
  const code = resultCode(error);
  // SQLITE_ERROR stands for tables that are not ours, such as a missing column.
  return code === 1 || code === 11 || code === 26;
}

/** Renames the file to `<file>.corrupt-<time>` and returns the new name; of earlier ones only the newest is kept. */
export function setAside(file: string, now: number): string {
  const aside = `${file}.corrupt-${now}`;
  for (const name of readdirSync(dirname(file)).filter((each) => each.startsWith(`${basename(file)}.corrupt-`))) {
    rmSync(join(dirname(file), name), { force: true });
  }
  for (const ending of ['-wal', '-shm']) {
    if (existsSync(file + ending)) renameSync(file + ending, aside + ending);
  }
  renameSync(file, aside);
  return aside;
}

/** SQLite gives the WAL and the shared memory file the permissions of the database. */
function makePrivate(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    if (process.platform !== 'win32') fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

/** The WAL counts towards the bound as well: a twentieth of it, and at most SQLite's usual 1000 pages. */
function checkpointPages(maxBytes: number): number {
  return Math.max(8, Math.min(1000, Math.floor(maxBytes / 20 / pageBytes)));
}

/** SQLite's primary result code; the extended one carries it in its low byte. */
function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}
