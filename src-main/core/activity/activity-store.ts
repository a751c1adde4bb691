/** Holds the activity database open, and begins a new file when the old one turns out to be broken. */
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../base/log.ts';
import { isBroken, openPrivateDatabase, setAside } from '../base/private-database.ts';

export class ActivityStore {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #log: Log;
  #database: DatabaseSync | undefined;
  #generation = 0;

  constructor(file: string, maxBytes: number, log: Log) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /** Changes with every new file: ids of an earlier generation are another file's. */
  get generation(): number {
    return this.#generation;
  }

  /** Does the work on the database, opened if need be; once more on a new one if the file is broken. Throws what SQLite throws. */
  use<T>(work: (database: DatabaseSync) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (!isBroken(error)) throw error;
      this.#startAnew(error);
      return work(this.#open());
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): DatabaseSync {
    this.#database ??= openActivityDatabase(this.#file, this.#maxBytes);
    return this.#database;
  }

  #startAnew(error: unknown): void {
    this.close();
    this.#generation++;
    const aside = setAside(this.#file);
    this.#log.warn('The activity database could not be read; it was set aside and a new one begun.', { aside, error });
  }
}

// Opens the activity database within a bound of bytes.

const pageBytes = 4096;

/** Opens (or makes) the file. Throws as openPrivateDatabase does. */
function openActivityDatabase(file: string, maxBytes: number): DatabaseSync {
  return openPrivateDatabase(file, {
    name: 'The activity database',
    pragmas: `PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA wal_autocheckpoint = ${checkpointPages(maxBytes)}`,
    steps: activitySteps,
  });
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
];
