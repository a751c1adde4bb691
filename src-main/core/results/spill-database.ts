/** Opens the index of the spill store, private and with its tables; sets a broken one aside. */
import { closeSync, existsSync, fchmodSync, openSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../base/errors.ts';

/** Step n leads from user_version n to n + 1. A step that people have run is never changed; a new one is added. */
const steps: readonly string[] = [
  `CREATE TABLE spills (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    answerId TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    mimeType TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    tokensEstimated INTEGER NOT NULL,
    lines INTEGER,
    createdAt INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    reads INTEGER NOT NULL DEFAULT 0,
    lastReadAt INTEGER,
    sessionId TEXT NOT NULL,
    app TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL
  ) STRICT;
  CREATE INDEX spillsByTime ON spills (createdAt);
  CREATE INDEX spillsBySize ON spills (bytes)`,
];

/** How long a statement waits for another process, in ms: it holds up the main thread. */
const busyMs = 250;

/** Throws what SQLite throws; isBrokenIndex tells whether setIndexAside helps. */
export function openSpillDatabase(file: string): DatabaseSync {
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: busyMs });
  try {
    // With WAL, NORMAL loses at most the last moments in a power cut, and nothing when the process dies.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Is the file no database, damaged, or of a version we cannot read? */
export function isBrokenIndex(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'unsupported';
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  // SQLITE_ERROR stands for tables that are not ours.
  return typeof code === 'number' && [1, 11, 26].includes(code & 0xff);
}

/** Renames the file, and forgets one that was set aside before. Returns the new name. */
export function setIndexAside(file: string): string {
  const aside = `${file}.corrupt`;
  for (const ending of ['', '-wal', '-shm']) {
    rmSync(aside + ending, { force: true });
    if (existsSync(file + ending)) renameSync(file + ending, aside + ending);
  }
  return aside;
}

function migrate(database: DatabaseSync): void {
  if (versionOf(database) === steps.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    if (version > steps.length) {
      throw new AppError('unsupported', `The index of kept answers was written by a newer version (${version}).`);
    }
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${steps.length}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

/** SQLite gives the files beside it the permissions of the database. */
function makePrivate(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    if (process.platform !== 'win32') fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}
