/** The texts of calls in SQLite: a row a call, the oldest go first. */
import type { DatabaseSync } from 'node:sqlite';
import { RecoveringDatabase } from '../../base/recovering-database.ts';
import {
  asideNames,
  fileBesideNewer,
  prepareCached,
  removeDatabase,
  runInTransaction,
} from '../../base/private-database.ts';
import { deleteOldest } from '../size-limit.ts';
import { type PackedPayloads, packPayloads, type PayloadTexts, unpackPayloads } from './pack-payloads.ts';
import { type PayloadMatches, PayloadIndex } from './payload-index.ts';
import type { PayloadLimits } from './payload-messages.ts';

export interface MaskedPayload {
  readonly id: number;
  readonly startedAt: number;
  readonly texts: PayloadTexts;
}

interface PackedCall extends MaskedPayload {
  readonly packed: PackedPayloads;
}

const steps: readonly string[] = [
  `CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    call INTEGER NOT NULL,
    startedAt INTEGER NOT NULL,
    codec TEXT NOT NULL,
    sides TEXT NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX textsByCall ON texts (call, startedAt);
  CREATE INDEX textsByTime ON texts (startedAt)`,
  // The latest start among those that were deleted: what is missing and began later was never written.
  `CREATE TABLE deleted (id INTEGER PRIMARY KEY CHECK (id = 1), until INTEGER NOT NULL) STRICT;
  INSERT INTO deleted VALUES (1, 0);
  CREATE TRIGGER textsDeleted AFTER DELETE ON texts
    BEGIN UPDATE deleted SET until = old.startedAt WHERE until < old.startedAt; END`,
];

// Deleted content is overwritten in place, and pages that it had to itself are given back to the file system.
const pragmas = 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = FAST';
const kind = { name: 'The texts of calls', pragmas, steps };

const dayMs = 86_400_000;
const pruneIntervalMs = 60 * 60_000;
/** A row that follows a younger one was written while the clock was wrong, and is excluded. */
const deleteOldSql = `DELETE FROM texts WHERE startedAt < ? AND id < ifnull((SELECT min(id) FROM texts WHERE startedAt BETWEEN ? AND ?), 9e18)`;
const insertSql = 'INSERT OR REPLACE INTO texts (call, startedAt, codec, sides, body) VALUES (?, ?, ?, ?, ?)';

export class PayloadTable {
  readonly #file: string;
  readonly #store: RecoveringDatabase;
  readonly #said = new PayloadIndex();
  readonly #rest: () => void;
  #prunedAt = 0;
  #brokenAt: number | undefined;

  /** Opens nothing yet. `onAside`: the file was broken, and lies under that name now. `rest` is called between rows. */
  constructor(file: string, onAside: (aside: string) => void, rest: () => void) {
    this.#file = file;
    this.#rest = rest;
    this.#store = new RecoveringDatabase(file, kind, (aside) => {
      this.#said.reset();
      this.#brokenAt = Date.now();
      onAside(aside);
    });
  }

  /** All or none of them; then makes room. Throws what SQLite throws. */
  insert(calls: readonly MaskedPayload[], limits: PayloadLimits, now: number): void {
    const rows = calls.map((call) => {
      this.#rest();
      return { ...call, packed: packPayloads(call.texts) };
    });
    try {
      this.#use((database) => runInTransaction(database, () => this.#insert(database, rows, limits)));
    } catch (error) {
      // With the rows went what was made for them.
      this.#said.reset();
      throw error;
    }
    this.prune(limits, now, now - this.#prunedAt >= pruneIntervalMs);
  }

  #insert(database: DatabaseSync, rows: readonly PackedCall[], { maxRows }: PayloadLimits): void {
    const insert = prepareCached(database, insertSql);
    for (const { id, startedAt, texts, packed } of rows) {
      this.#rest();
      const { lastInsertRowid } = insert.run(id, startedAt, packed.codec, packed.sides, packed.body);
      this.#said.add(database, Number(lastInsertRowid), texts);
    }
    prepareCached(database, 'DELETE FROM texts WHERE id <= (SELECT max(id) FROM texts) - ?').run(maxRows);
  }

  /** undefined: there is none, or it is too old. Throws what SQLite throws, and where a row is damaged. */
  find(id: number, startedAt: number, { keepDays }: PayloadLimits, now: number): PayloadTexts | undefined {
    if (startedAt < now - keepDays * dayMs) return undefined;
    const sql = 'SELECT codec, sides, body FROM texts WHERE call = ? AND startedAt = ?';
    const row = this.#use((database) => database.prepare(sql).get(id, startedAt));
    return row === undefined ? undefined : unpackPayloads(row as unknown as PackedPayloads);
  }

  /** Whether texts of that time were deleted, for their age or for room; else what is missing was never written. */
  wasDeleted(startedAt: number, { keepDays }: PayloadLimits, now: number): boolean {
    if (startedAt < now - keepDays * dayMs) return true;
    const until = this.#use((database) => database.prepare('SELECT until FROM deleted').get()?.['until']);
    return startedAt <= Number(until ?? 0);
  }

  /** Calls and steps in whose texts all these words begin one. */
  search(text: string, limit: number, { keepDays }: PayloadLimits, now: number): PayloadMatches {
    return this.#use((database) => this.#said.find(database, text, Math.trunc(now - keepDays * dayMs), limit));
  }

  /** Deletes what is too much, and what is too old where `byAge` says so. */
  prune({ keepDays, maxBytes }: PayloadLimits, now: number, byAge = true): void {
    this.#use((database) => {
      const before = oldestRow(database);
      const oldest = Math.trunc(now - keepDays * dayMs);
      if (byAge) database.prepare(deleteOldSql).run(oldest, oldest, Math.trunc(now));
      deleteOldest(database, ['texts'], maxBytes);
      const wasPruned = oldestRow(database) !== before;
      if (byAge || wasPruned) runInTransaction(database, () => this.#said.reconcile(database, byAge && wasPruned));
      if (byAge) giveBack(database);
      // Until the log is written back, the file is as long as it was before.
      if (wasPruned) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    });
    if (byAge) this.#prunedAt = now;
  }

  /** Nothing of any call is left. */
  forget(): void {
    this.close();
    const files = [this.#file, fileBesideNewer(this.#file, kind)];
    for (const file of files.flatMap((each) => [each, ...asideNames(each)])) removeDatabase(file);
  }

  close(): void {
    this.#said.reset();
    this.#store.close();
  }

  #use<T>(work: (database: DatabaseSync) => T): T {
    return this.#store.use((database) => {
      const brokenAt = this.#brokenAt;
      this.#brokenAt = undefined;
      // All that was in the broken file is gone, and nothing of it was lost in a crash.
      if (brokenAt !== undefined) database.prepare('UPDATE deleted SET until = ?').run(brokenAt);
      return work(database);
    });
  }
}

function oldestRow(database: DatabaseSync): unknown {
  return prepareCached(database, 'SELECT min(id) AS id FROM texts').get()?.['id'];
}

/** Pages that hold nothing any more; what was deleted is in none of the rest. */
function giveBack(database: DatabaseSync): void {
  database.exec('PRAGMA incremental_vacuum');
}
