/** The tables of the activity database, and the steps that bring an older file up to date. */
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../base/errors.ts';

/** Step n leads from user_version n to n + 1. A step that people have run is never changed; a new one is added. */
const steps: readonly string[] = [
  `CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    startedAt INTEGER NOT NULL,
    sessionId TEXT NOT NULL,
    app TEXT NOT NULL,
    mode TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    via TEXT,
    durationMs REAL NOT NULL,
    resolveMs REAL NOT NULL,
    allowMs REAL NOT NULL,
    callMs REAL NOT NULL,
    shapeMs REAL NOT NULL,
    argumentBytes INTEGER NOT NULL,
    resultBytes INTEGER NOT NULL,
    givenBytes INTEGER NOT NULL,
    tokensIn INTEGER,
    tokensOut INTEGER,
    tokensEstimated INTEGER NOT NULL DEFAULT 0,
    outcome TEXT NOT NULL,
    errorCode TEXT,
    errorText TEXT
  ) STRICT`,
  `ALTER TABLE calls ADD COLUMN why TEXT;
   ALTER TABLE calls ADD COLUMN spillId TEXT`,
  `CREATE TABLE ledgerHours (
    hour INTEGER NOT NULL,
    session TEXT NOT NULL,
    app TEXT NOT NULL,
    mode TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    cause TEXT NOT NULL,
    times INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    loaded INTEGER NOT NULL,
    baseline INTEGER NOT NULL,
    raw INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    PRIMARY KEY (hour, session, app, mode, server, tool, cause)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ledgerDays (
    day TEXT NOT NULL,
    app TEXT NOT NULL,
    mode TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    cause TEXT NOT NULL,
    times INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    loaded INTEGER NOT NULL,
    baseline INTEGER NOT NULL,
    raw INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    PRIMARY KEY (day, app, mode, server, tool, cause)
  ) STRICT, WITHOUT ROWID`,
];

/** Makes the tables, or brings older ones up to date. Throws AppError `unsupported` for a file of a newer version. */
export function migrate(database: DatabaseSync): void {
  if (versionOf(database) === steps.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have done the work meanwhile.
    const version = versionOf(database);
    if (version > steps.length) {
      throw new AppError('unsupported', `The activity database was written by a newer version (${version}).`);
    }
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${steps.length}`);
    database.exec('COMMIT');
  } catch (error) {
    // SQLite may have rolled back by itself; a second ROLLBACK would hide the reason.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}
