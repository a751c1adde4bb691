/** The activity database: its tables, and a bound of bytes for it. */
import type { Log } from '../base/log.ts';
import { MendedDatabase } from '../base/mended-database.ts';

const pageBytes = 4096;

/** Opens nothing yet. */
export function activityDatabase(file: string, maxBytes: number, log: Log): MendedDatabase {
  const kind = {
    name: 'The activity database',
    pragmas: `PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA wal_autocheckpoint = ${checkpointPages(maxBytes)}`,
    steps: activitySteps,
  };
  return new MendedDatabase(file, kind, (aside, error) =>
    log.warn('The activity database could not be read; it was set aside and a new one begun.', { aside, error }),
  );
}

/** The WAL counts towards the bound as well: a twentieth of it, and at most SQLite's usual 1000 pages. */
function checkpointPages(maxBytes: number): number {
  return Math.max(8, Math.min(1000, Math.floor(maxBytes / 20 / pageBytes)));
}

// The tables of the activity database, as the steps that lead from an older file to them (`DatabaseKind.steps`).

const activitySteps: readonly string[] = [
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
  `ALTER TABLE calls ADD COLUMN sensitivity TEXT`,
  // Few calls have any: a column would cost all of them room.
  `CREATE TABLE callLabels (id INTEGER PRIMARY KEY, labels TEXT NOT NULL) STRICT`,
  `CREATE TABLE callUnkept (id INTEGER PRIMARY KEY, why TEXT NOT NULL) STRICT`,
];
