/** The tables of the activity database, as the steps that lead from an older file to them (`DatabaseKind.steps`). */

export const activitySteps: readonly string[] = [
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
];
