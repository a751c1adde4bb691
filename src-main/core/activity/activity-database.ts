/** Opens the activity database within a bound of bytes. */
import type { DatabaseSync } from 'node:sqlite';
import { openPrivateDatabase } from '../base/private-database.ts';
import { activitySteps } from './activity-schema.ts';

const pageBytes = 4096;

/** Opens (or makes) the file. Throws as openPrivateDatabase does. */
export function openActivityDatabase(file: string, maxBytes: number): DatabaseSync {
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
