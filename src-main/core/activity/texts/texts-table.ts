/** The texts of calls in SQLite: a row a call, the oldest go first. */
import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { MendedDatabase } from '../../base/mended-database.ts';
import { transaction } from '../../base/private-database.ts';
import { deleteOldest } from '../table-room.ts';
import { type PackedTexts, packTexts, type SideTexts, unpackTexts } from './pack-texts.ts';
import type { TextLimits } from './texts-messages.ts';

export interface MaskedCall {
  readonly id: number;
  readonly startedAt: number;
  readonly texts: SideTexts;
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
];

const dayMs = 86_400_000;
const pruneEveryMs = 60 * 60_000;
const insertSql = 'INSERT OR REPLACE INTO texts (call, startedAt, codec, sides, body) VALUES (?, ?, ?, ?, ?)';

export class TextsTable {
  readonly #file: string;
  readonly #store: MendedDatabase;
  #prunedAt = 0;

  /** Opens nothing yet. `onAside`: the file was broken, and lies under that name now. */
  constructor(file: string, onAside: (aside: string) => void) {
    this.#file = file;
    const pragmas = 'PRAGMA auto_vacuum = INCREMENTAL';
    const kind = { name: 'The texts of calls', pragmas, steps };
    this.#store = new MendedDatabase(file, kind, (aside) => onAside(aside));
  }

  /** All or none of them; then makes room. Throws what SQLite throws. */
  put(calls: readonly MaskedCall[], limits: TextLimits, now: number): void {
    const rows = calls.map(({ id, startedAt, texts }) => ({ id, startedAt, packed: packTexts(texts) }));
    this.#store.use((database) => {
      transaction(database, () => {
        const insert = database.prepare(insertSql);
        for (const { id, startedAt, packed } of rows) {
          insert.run(id, startedAt, packed.codec, packed.sides, packed.body);
        }
        database.prepare('DELETE FROM texts WHERE id <= (SELECT max(id) FROM texts) - ?').run(limits.maxRows);
      });
    });
    this.prune(limits, now, now - this.#prunedAt >= pruneEveryMs);
  }

  /** undefined: there is none, or it is too old. Throws what SQLite throws, and where a row is damaged. */
  find(id: number, startedAt: number, { keepDays }: TextLimits, now: number): SideTexts | undefined {
    if (startedAt < now - keepDays * dayMs) return undefined;
    const sql = 'SELECT codec, sides, body FROM texts WHERE call = ? AND startedAt = ?';
    const row = this.#store.use((database) => database.prepare(sql).get(id, startedAt));
    return row === undefined ? undefined : unpackTexts(row as unknown as PackedTexts);
  }

  /** Deletes what is too much, and what is too old where `byAge` says so. */
  prune({ keepDays, maxBytes }: TextLimits, now: number, byAge = true): void {
    this.#store.use((database) => {
      if (byAge) database.prepare('DELETE FROM texts WHERE startedAt < ?').run(Math.trunc(now - keepDays * dayMs));
      deleteOldest(database, 'texts', maxBytes);
      if (byAge) giveBack(database);
    });
    if (byAge) this.#prunedAt = now;
  }

  /** Nothing of any call is left. */
  forget(): void {
    this.close();
    for (const ending of ['-wal', '-shm', '']) {
      rmSync(this.#file + ending, { force: true });
      rmSync(`${this.#file}.corrupt${ending}`, { force: true });
    }
  }

  close(): void {
    this.#store.close();
  }
}

/** Pages that hold nothing any more; what was deleted is in none of the rest. */
function giveBack(database: DatabaseSync): void {
  database.exec('PRAGMA incremental_vacuum');
}
