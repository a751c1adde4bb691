/** The payloads of calls and steps: one row each, searchable, the oldest deleted first. */
import type { DatabaseSync } from 'node:sqlite';
import { prepareCached, runInTransaction } from '../../base/private-database.ts';
import type { PayloadLimits } from '../activity-messages.ts';
import type { PackedPayloads, PayloadTexts } from './pack-payloads.ts';
import { type PayloadMatches, PayloadIndex } from './payload-index.ts';

/** `call` is the id of a call or of a step; ids of steps are greater. */
export const payloadSchema = `
  CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    call INTEGER NOT NULL,
    startedAt INTEGER NOT NULL,
    codec TEXT NOT NULL,
    sides TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX textsByCall ON texts (call, startedAt);
  CREATE INDEX textsByTime ON texts (startedAt)`;

const dayMs = 86_400_000;
/** Excludes rows that follow a newer one, because the clock was wrong when they were written. */
const deleteOldSql = `DELETE FROM texts WHERE startedAt < ? AND id < ifnull((SELECT min(id) FROM texts WHERE startedAt BETWEEN ? AND ?), 9e18)`;
const insertSql = 'INSERT OR REPLACE INTO texts (call, startedAt, codec, sides, body) VALUES (?, ?, ?, ?, ?)';

export interface PayloadKey {
  readonly id: number;
  /** ms since the epoch. */
  readonly startedAt: number;
}

/** Methods throw errors of SQLite. */
export class PayloadTable {
  readonly #index = new PayloadIndex();

  /** Call it inside of the transaction that writes the row of the call or step. */
  insert(database: DatabaseSync, { id, startedAt }: PayloadKey, texts: PayloadTexts, packed: PackedPayloads): void {
    const { codec, sides, body } = packed;
    const at = Math.trunc(startedAt);
    const { lastInsertRowid } = prepareCached(database, insertSql).run(id, at, codec, sides, body);
    this.#index.add(database, Number(lastInsertRowid), texts);
  }

  /** Returns undefined if there are none, or they are too old. */
  find(
    database: DatabaseSync,
    { id, startedAt }: PayloadKey,
    { retentionDays }: PayloadLimits,
    now: number,
  ): PackedPayloads | undefined {
    if (startedAt < now - retentionDays * dayMs) return undefined;
    const row = database
      .prepare('SELECT codec, sides, body FROM texts WHERE call = ? AND startedAt = ?')
      .get(id, Math.trunc(startedAt));
    return row as unknown as PackedPayloads | undefined;
  }

  /** Calls and steps with payloads (the first 16,000 characters of each) in which every word of `text` begins a word. */
  search(
    database: DatabaseSync,
    text: string,
    limit: number,
    { retentionDays }: PayloadLimits,
    now: number,
  ): PayloadMatches {
    return this.#index.find(database, text, Math.trunc(now - retentionDays * dayMs), limit);
  }

  /** Deletes payloads that are too old, and overwrites them on disk. */
  pruneByAge(database: DatabaseSync, { retentionDays }: PayloadLimits, now: number): void {
    const before = oldestRow(database);
    const oldest = Math.trunc(now - retentionDays * dayMs);
    database.prepare(deleteOldSql).run(oldest, oldest, Math.trunc(now));
    const wasPruned = oldestRow(database) !== before;
    runInTransaction(database, () => this.#index.reconcile(database, wasPruned));
    if (wasPruned) giveBack(database);
  }

  /** Deletes the oldest payloads beyond `maxRows`. */
  trim(database: DatabaseSync, maxRows: number): void {
    prepareCached(database, 'DELETE FROM texts WHERE id <= (SELECT max(id) FROM texts) - ?').run(maxRows);
  }

  /** Call it after rows were deleted for space. */
  reconcile(database: DatabaseSync): void {
    runInTransaction(database, () => this.#index.reconcile(database, false));
  }

  /** Deletes all payloads, and overwrites them on disk. */
  forget(database: DatabaseSync): void {
    if (oldestRow(database) === undefined) return;
    database.exec('DELETE FROM texts');
    this.reconcile(database);
    giveBack(database);
  }

  /** Call it after a rollback, or with another file. */
  reset(): void {
    this.#index.reset();
  }
}

function oldestRow(database: DatabaseSync): unknown {
  return prepareCached(database, 'SELECT min(id) AS id FROM texts').get()?.['id'] ?? undefined;
}

/** Returns free pages to the system, and truncates the WAL, which still contains deleted text. */
function giveBack(database: DatabaseSync): void {
  database.exec('PRAGMA incremental_vacuum');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}
