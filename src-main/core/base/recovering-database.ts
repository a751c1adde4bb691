/** Keeps an SQLite file open; starts a new one if it is damaged, and uses another one if it is of a newer version. */
import type { DatabaseSync } from 'node:sqlite';
import {
  type DatabaseSchema,
  fileBesideNewer,
  isCorruptError,
  NewerDatabaseError,
  openPrivateDatabase,
  moveCorruptFile,
} from './private-database.ts';
import { withPath } from './system-errors.ts';

export class RecoveringDatabase {
  readonly #file: string;
  readonly #kind: DatabaseSchema;
  readonly #onAside: (aside: string, error: unknown) => void;
  #path: string;
  #database: DatabaseSync | undefined;
  #generation = 0;

  /** Opens nothing yet. `onAside`: receives the new path of a damaged file, and the damage. */
  constructor(file: string, kind: DatabaseSchema, onAside: (aside: string, error: unknown) => void) {
    this.#file = this.#path = file;
    this.#kind = kind;
    this.#onAside = onAside;
  }

  /** Changes with every new file, because ids of an earlier one are invalid. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Runs the work on the database, opened if needed; again on a new one if the file is damaged. Throws the error of
   * SQLite.
   */
  use<T>(work: (database: DatabaseSync) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (!isCorruptError(error)) throw withPath(error, this.#path);
      this.#restart(error);
      return work(this.#open());
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): DatabaseSync {
    this.#database ??= this.#openOrBeside();
    return this.#database;
  }

  /** Checked at each opening, because the newer file may have been moved away. */
  #openOrBeside(): DatabaseSync {
    try {
      this.#path = this.#file;
      return openPrivateDatabase(this.#file, this.#kind);
    } catch (error) {
      if (!(error instanceof NewerDatabaseError)) throw error;
      this.#path = fileBesideNewer(this.#file, this.#kind);
      return openPrivateDatabase(this.#path, this.#kind);
    }
  }

  #restart(error: unknown): void {
    this.close();
    this.#generation++;
    this.#onAside(moveCorruptFile(this.#path), error);
  }
}
