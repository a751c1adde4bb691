/** The activity database: its tables, and its size limit. */
import { RecoveringDatabase } from '../../base/recovering-database.ts';
import { payloadSchema } from './payload-table.ts';

const pageBytes = 4096;

/** Opens nothing yet. `onAside`: receives the new path of a damaged file, and the damage. */
export function createActivityDatabase(
  file: string,
  maxBytes: number,
  onAside: (aside: string, error: unknown) => void,
): RecoveringDatabase {
  const kind = {
    name: 'The activity database',
    // The WAL counts towards the limit, so its space is released. Deleted rows are overwritten.
    pragmas: `PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = FAST;
      PRAGMA wal_autocheckpoint = ${checkpointPages(maxBytes)};
      PRAGMA journal_size_limit = ${Math.floor(maxBytes / 20)}`,
    steps: activitySteps,
  };
  return new RecoveringDatabase(file, kind, onAside);
}

/** The WAL counts towards the limit: a twentieth of it, at most SQLite's default of 1000 pages. */
function checkpointPages(maxBytes: number): number {
  return Math.max(8, Math.min(1000, Math.floor(maxBytes / 20 / pageBytes)));
}

/** The tables of the activity database, in its only step (`DatabaseKind.steps`). */
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
    requestBytes INTEGER NOT NULL,
    serverResultBytes INTEGER NOT NULL,
    modelResultBytes INTEGER NOT NULL,
    requestTokens INTEGER,
    modelResultTokens INTEGER,
    tokensEstimated INTEGER NOT NULL DEFAULT 0,
    outcome TEXT NOT NULL,
    errorCode TEXT,
    errorText TEXT,
    reason TEXT,
    spillId TEXT,
    sensitivity TEXT,
    step INTEGER,
    serverResultTokens INTEGER,
    user TEXT,
    preview TEXT
  ) STRICT;
  -- Whether a call of a step went to a server is read from here alone.
  CREATE INDEX callsByStep ON calls (step, server) WHERE step IS NOT NULL;
  -- Few calls have any of these: a column would take room in each row.
  CREATE TABLE callLabels (id INTEGER PRIMARY KEY, labels TEXT NOT NULL) STRICT;
  CREATE TABLE callPayloadDrops (id INTEGER PRIMARY KEY, reason TEXT NOT NULL) STRICT;
  CREATE TABLE callUnspilled (id INTEGER PRIMARY KEY, reason TEXT NOT NULL, limitBytes INTEGER) STRICT;
  CREATE TABLE callRepeats (id INTEGER PRIMARY KEY, repeats INTEGER NOT NULL) STRICT;
  CREATE TABLE moments (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL) STRICT;
  CREATE TABLE ledgerHours (
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
    user TEXT,
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
  ) STRICT, WITHOUT ROWID;
  -- \`loaded\`: what a model read of a step, as far as the headline compares it with what it would have read.
  CREATE TABLE steps (
    id INTEGER PRIMARY KEY,
    startedAt INTEGER NOT NULL,
    sessionId TEXT NOT NULL,
    app TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    what TEXT NOT NULL,
    durationMs REAL NOT NULL,
    requestBytes INTEGER NOT NULL,
    modelResultBytes INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    errorText TEXT,
    dropReason TEXT,
    given INTEGER,
    raw INTEGER,
    baseline INTEGER,
    loaded INTEGER,
    user TEXT
  ) STRICT;
  CREATE INDEX stepsBySession ON steps (sessionId, id);
  -- Steps that were reported while they ran. A step that has ended is among the others and no longer here, in one transaction.
  CREATE TABLE openSteps (
    id INTEGER PRIMARY KEY,
    startedAt INTEGER NOT NULL,
    sessionId TEXT NOT NULL,
    app TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    what TEXT NOT NULL,
    requestBytes INTEGER NOT NULL,
    seenAt INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    run TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER stepOver AFTER INSERT ON steps BEGIN DELETE FROM openSteps WHERE id = new.id; END;${payloadSchema}`,
];
