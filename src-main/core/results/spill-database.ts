/** The index of the spill store as a database: its tables, as the steps that lead to them (`DatabaseKind.steps`). */
import type { DatabaseSync } from 'node:sqlite';
import { openPrivateDatabase } from '../base/private-database.ts';

const spillSteps: readonly string[] = [
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

/** Throws as openPrivateDatabase does. */
export function openSpillDatabase(file: string): DatabaseSync {
  return openPrivateDatabase(file, { name: 'The index of kept answers', steps: spillSteps });
}
