/** Private SQLite files that several processes may use; a damaged one is set aside, a newer one is left unchanged. */
import { closeSync, existsSync, fchmodSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ensurePrivateDir } from './app-paths.ts';
import { AppError } from './errors.ts';
import { withPath } from './system-errors.ts';

export interface DatabaseSchema {
  /** Name in error messages: "The activity database". */
  readonly name: string;
  /** Executed first, because some settings, such as WAL, must precede the first write. */
  readonly pragmas?: string;
  /** Step n migrates user_version n to n + 1. A released step is never changed; a new one is added. */
  readonly steps: readonly string[];
}

/** How long a statement waits for another process, in ms. It blocks the main thread, and the caller can retry. */
const busyTimeoutMs = 250;

/**
 * Opens or creates the file and its tables. Throws NewerDatabaseError, or rethrows SQLite errors; isBroken returns
 * whether setAside helps. Errors name the file.
 */
export function openPrivateDatabase(file: string, kind: DatabaseSchema): DatabaseSync {
  try {
    return open(file, kind);
  } catch (error) {
    throw withPath(error, file);
  }
}

function open(file: string, kind: DatabaseSchema): DatabaseSync {
  ensurePrivateDir(dirname(file));
  makePrivate(file);
  const database = new PrivateDatabase(file, { timeout: busyTimeoutMs });
  try {
    requireKnown(database, kind, file);
    // With WAL, NORMAL loses at most the last moments after a power failure, and nothing if the process dies. Pages for
    // a rollback are few and stay in memory; by default they go through a temporary file, a third of the cost of a row.
    database.exec(
      `${kind.pragmas ?? ''}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY`,
    );
    migrate(database, kind, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The file was written by a newer version of Tooltray; it is neither read nor changed. */
export class NewerDatabaseError extends AppError {
  constructor(name: string, file: string, version: number) {
    super('unsupported', `${name}, ${file}, was written by a newer version of Tooltray (format ${version}).`, {
      fix: 'Update Tooltray. Until then the file is left as it is.',
    });
  }
}

/**
 * The file that is written instead of one of a newer version: `activity.v1.db` for `activity.db`. No newer version
 * writes a file of that name.
 */
export function fileBesideNewer(file: string, { steps }: DatabaseSchema): string {
  const ending = extname(file);
  return `${file.slice(0, file.length - ending.length)}.v${steps.length}${ending}`;
}

/** Whether the file is damaged or not a database. */
export function isCorruptError(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false;
  // The low byte is the primary code.
  const code = error.errcode & 0xff;
  return code === sqliteCorrupt || code === sqliteNotADatabase || (code === sqliteError && notOurs.test(error.message));
}

const [sqliteError, sqliteCorrupt, sqliteNotADatabase] = [1, 11, 26];
/** This code also covers tables that are not ours. Other errors of this code do not justify setting a file aside. */
const notOurs =
  /^(?:no such (?:table|column|index)|table \S+ has no column|unsupported file format|vtable constructor failed)/;

/**
 * Renames a closed file to `<file>.corrupt`; the one set aside before becomes
 * `<file>.corrupt.1`, and an older one is deleted. Returns the new name.
 */
export function moveCorruptFile(file: string): string {
  const [aside = '', older = ''] = asideNames(file);
  move(aside, older);
  move(file, aside);
  return aside;
}

/** Names of damaged files that were set aside, newest first. */
export function asideNames(file: string): readonly string[] {
  return [`${file}.corrupt`, `${file}.corrupt.1`];
}

/** Deletes a database with its auxiliary files. */
export function removeDatabase(file: string): void {
  for (const ending of endings) rmSync(file + ending, { force: true });
}

/** The database last, so that its auxiliary files are never found next to a new one. */
const endings = ['-wal', '-shm', ''] as const;

function move(from: string, to: string): void {
  if (!endings.some((ending) => existsSync(from + ending))) return;
  removeDatabase(to);
  for (const ending of endings) if (existsSync(from + ending)) renameSync(from + ending, to + ending);
}

class PrivateDatabase extends DatabaseSync {
  readonly #statements = new Map<string, StatementSync>();

  prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.prepare(sql)));
    return statement;
  }
}

/**
 * Compiles a statement once per open file: with triggers, compilation takes as long as inserting several rows. For a
 * few constant statements.
 */
export function prepareCached(database: DatabaseSync, sql: string): StatementSync {
  return database instanceof PrivateDatabase ? database.prepared(sql) : database.prepare(sql);
}

/** Runs the work in a transaction, all or nothing; nested inside an existing one. */
export function runInTransaction<T>(database: DatabaseSync, work: () => T): T {
  const isPart = database.isTransaction;
  database.exec(isPart ? 'SAVEPOINT part' : 'BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec(isPart ? 'RELEASE part' : 'COMMIT');
    return result;
  } catch (error) {
    // SQLite may have rolled back by itself (disk full); a second ROLLBACK would hide the cause.
    if (database.isTransaction) database.exec(isPart ? 'ROLLBACK TO part; RELEASE part' : 'ROLLBACK');
    throw error;
  }
}

/** Checks the version before any change. */
function requireKnown(database: DatabaseSync, { name, steps }: DatabaseSchema, file: string): number {
  const version = versionOf(database);
  if (version > steps.length) throw new NewerDatabaseError(name, file, version);
  return version;
}

function migrate(database: DatabaseSync, kind: DatabaseSchema, file: string): void {
  const { steps } = kind;
  if (versionOf(database) === steps.length) return;
  runInTransaction(database, () => {
    // Read again under the lock, because another process may have migrated meanwhile.
    const version = requireKnown(database, kind, file);
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${steps.length}`);
  });
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

/** SQLite gives the WAL and the shared memory file the same permissions as the database. */
function makePrivate(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    if (process.platform !== 'win32') fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}
