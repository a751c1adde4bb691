/** The activity database: its tables, and a bound of bytes for it. */
import type { Log } from '../base/log.ts';
import { MendedDatabase } from '../base/mended-database.ts';

const pageBytes = 4096;

/** Opens nothing yet. */
export function activityDatabase(file: string, maxBytes: number, log: Pick<Log, 'warn'>): MendedDatabase {
  const kind = {
    name: 'The activity database',
    // The WAL counts towards the bound: what it needed once is given back.
    pragmas: `PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA wal_autocheckpoint = ${checkpointPages(maxBytes)};
      PRAGMA journal_size_limit = ${Math.floor(maxBytes / 20)}`,
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
  // A call from before has a step of its own: what else was asked then is not known.
  `CREATE TABLE steps (
    id INTEGER PRIMARY KEY,
    startedAt INTEGER NOT NULL,
    sessionId TEXT NOT NULL,
    app TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    what TEXT NOT NULL,
    durationMs REAL NOT NULL,
    askedBytes INTEGER NOT NULL,
    givenBytes INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    errorText TEXT,
    unkept TEXT,
    given INTEGER,
    raw INTEGER,
    baseline INTEGER
  ) STRICT;
  ALTER TABLE calls ADD COLUMN step INTEGER;
  CREATE INDEX callsByStep ON calls (step) WHERE step IS NOT NULL;
  CREATE INDEX stepsBySession ON steps (sessionId, id);
  UPDATE calls SET step = startedAt * 1000 + id % 1000;
  INSERT OR IGNORE INTO steps SELECT step, startedAt, sessionId, app, mode, 'call', coalesce(via, tool), CASE WHEN via IS NULL THEN '' ELSE tool END,
    durationMs, argumentBytes, givenBytes, 1, outcome, errorText, 'call', tokensOut, NULL, NULL FROM calls`,
  // Sums of sessions and of times are read from here: the rows themselves are ten times as wide.
  `CREATE INDEX stepSums ON steps (sessionId, startedAt, outcome, given, raw, baseline)`,
  // Why a big answer passed whole stands apart, as few do. Answers had no baseline of their own before: it was what came.
  `ALTER TABLE calls ADD COLUMN tokensSent INTEGER;
   CREATE TABLE callPassed (id INTEGER PRIMARY KEY, why TEXT NOT NULL, limitBytes INTEGER) STRICT;
   UPDATE ledgerHours SET baseline = raw WHERE cause IN ('results', 'code');
   UPDATE ledgerDays SET baseline = raw WHERE cause IN ('results', 'code')`,
  `CREATE TABLE moments (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL) STRICT`,
  // Sums of sessions, hour by hour (`hour`: of the epoch). Triggers keep them, so that they are those of the rows whoever adds or removes some.
  `DROP INDEX stepSums;
  CREATE TABLE sessionHours (
    sessionId TEXT NOT NULL,
    hour INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    problems INTEGER NOT NULL,
    given INTEGER NOT NULL,
    raw INTEGER NOT NULL,
    baseline INTEGER NOT NULL,
    lastId INTEGER NOT NULL,
    PRIMARY KEY (sessionId, hour)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO sessionHours SELECT sessionId, startedAt / 3600000, count(*), sum(outcome <> 'ok'), coalesce(sum(given), 0), coalesce(sum(raw), 0),
    coalesce(sum(baseline), 0), max(id) FROM steps GROUP BY 1, 2;
  CREATE TRIGGER stepAdded AFTER INSERT ON steps BEGIN
    INSERT INTO sessionHours VALUES (new.sessionId, new.startedAt / 3600000, 1, new.outcome <> 'ok', coalesce(new.given, 0),
      coalesce(new.raw, 0), coalesce(new.baseline, 0), new.id)
    ON CONFLICT (sessionId, hour) DO UPDATE SET steps = steps + 1, problems = problems + excluded.problems, given = given + excluded.given,
      raw = raw + excluded.raw, baseline = baseline + excluded.baseline, lastId = max(lastId, excluded.lastId);
  END;
  CREATE TRIGGER stepCounted AFTER UPDATE OF given, raw, baseline ON steps BEGIN
    UPDATE sessionHours SET given = given + coalesce(new.given, 0) - coalesce(old.given, 0), raw = raw + coalesce(new.raw, 0) - coalesce(old.raw, 0),
      baseline = baseline + coalesce(new.baseline, 0) - coalesce(old.baseline, 0)
    WHERE sessionId = new.sessionId AND hour = new.startedAt / 3600000;
  END;
  CREATE TRIGGER stepRemoved AFTER DELETE ON steps BEGIN
    UPDATE sessionHours SET steps = steps - 1, problems = problems - (old.outcome <> 'ok'), given = given - coalesce(old.given, 0),
      raw = raw - coalesce(old.raw, 0), baseline = baseline - coalesce(old.baseline, 0)
    WHERE sessionId = old.sessionId AND hour = old.startedAt / 3600000;
    DELETE FROM sessionHours WHERE sessionId = old.sessionId AND hour = old.startedAt / 3600000 AND steps = 0;
  END`,
  // Steps that somebody was told of while they ran. One that is over is among the others, and here no more, in one transaction.
  `CREATE TABLE openSteps (
    id INTEGER PRIMARY KEY,
    startedAt INTEGER NOT NULL,
    sessionId TEXT NOT NULL,
    app TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    what TEXT NOT NULL,
    askedBytes INTEGER NOT NULL,
    seenAt INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    run TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER stepOver AFTER INSERT ON steps BEGIN DELETE FROM openSteps WHERE id = new.id; END`,
  // What a model read of a step, as far as the headline sets it against what it would have read. Of those from before it is what was given.
  `ALTER TABLE steps ADD COLUMN loaded INTEGER;
  ALTER TABLE sessionHours ADD COLUMN loaded INTEGER NOT NULL DEFAULT 0;
  UPDATE sessionHours SET loaded = given;
  DROP TRIGGER stepAdded;
  DROP TRIGGER stepCounted;
  DROP TRIGGER stepRemoved;
  UPDATE steps SET loaded = given;
  CREATE TRIGGER stepAdded AFTER INSERT ON steps BEGIN
    INSERT INTO sessionHours (sessionId, hour, steps, problems, given, raw, baseline, lastId, loaded) VALUES (new.sessionId, new.startedAt / 3600000, 1,
      new.outcome <> 'ok', coalesce(new.given, 0), coalesce(new.raw, 0), coalesce(new.baseline, 0), new.id, coalesce(new.loaded, 0))
    ON CONFLICT (sessionId, hour) DO UPDATE SET steps = steps + 1, problems = problems + excluded.problems, given = given + excluded.given,
      raw = raw + excluded.raw, baseline = baseline + excluded.baseline, lastId = max(lastId, excluded.lastId), loaded = loaded + excluded.loaded;
  END;
  CREATE TRIGGER stepCounted AFTER UPDATE OF given, raw, baseline, loaded ON steps BEGIN
    UPDATE sessionHours SET given = given + coalesce(new.given, 0) - coalesce(old.given, 0), raw = raw + coalesce(new.raw, 0) - coalesce(old.raw, 0),
      baseline = baseline + coalesce(new.baseline, 0) - coalesce(old.baseline, 0), loaded = loaded + coalesce(new.loaded, 0) - coalesce(old.loaded, 0)
    WHERE sessionId = new.sessionId AND hour = new.startedAt / 3600000;
  END;
  CREATE TRIGGER stepRemoved AFTER DELETE ON steps BEGIN
    UPDATE sessionHours SET steps = steps - 1, problems = problems - (old.outcome <> 'ok'), given = given - coalesce(old.given, 0),
      raw = raw - coalesce(old.raw, 0), baseline = baseline - coalesce(old.baseline, 0), loaded = loaded - coalesce(old.loaded, 0)
    WHERE sessionId = old.sessionId AND hour = old.startedAt / 3600000;
    DELETE FROM sessionHours WHERE sessionId = old.sessionId AND hour = old.startedAt / 3600000 AND steps = 0;
  END`,
  // Whose they are, where there is more than one person.
  `ALTER TABLE calls ADD COLUMN user TEXT;
  ALTER TABLE steps ADD COLUMN user TEXT;
  ALTER TABLE ledgerHours ADD COLUMN user TEXT`,
  // Whether a call of a step went to a server is read from here alone.
  `DROP INDEX callsByStep;
  CREATE INDEX callsByStep ON calls (step, server) WHERE step IS NOT NULL`,
];
