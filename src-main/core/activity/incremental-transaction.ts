/**
 * One transaction over several turns of the loop: rows are added a few at a time, with calls answered in between, and
 * cost one write to the disk in the end. It is to be closed within the moment: other processes wait to write until it
 * is.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { RecoveringDatabase } from '../base/recovering-database.ts';

export class IncrementalTransaction {
  readonly #store: RecoveringDatabase;
  #generation: number | undefined;

  constructor(store: RecoveringDatabase) {
    this.#store = store;
  }

  get isOpen(): boolean {
    return this.#generation !== undefined;
  }

  /**
   * Runs a part of the transaction, and starts it if necessary. Returns false if the file was broken and replaced: the
   * new file has this part and none of those before. Rethrows SQLite errors; the caller must then roll back.
   */
  add(part: (database: DatabaseSync) => void): boolean {
    const { generation } = this.#store;
    this.#generation ??= generation;
    this.#store.use((database) => {
      if (!database.isTransaction) database.exec('BEGIN IMMEDIATE');
      part(database);
    });
    const isWhole = this.#generation === this.#store.generation;
    this.#generation = this.#store.generation;
    return isWhole;
  }

  /** Throws what SQLite throws. */
  commit(): void {
    this.#store.use((database) => {
      if (database.isTransaction) database.exec('COMMIT');
    });
    this.#generation = undefined;
  }

  /** Nothing of it is in the file. Never throws. */
  rollback(): void {
    this.#generation = undefined;
    try {
      // SQLite may have rolled back by itself.
      this.#store.use((database) => {
        if (database.isTransaction) database.exec('ROLLBACK');
      });
    } catch {
      // A file that cannot be opened holds nothing of it either.
    }
  }
}
