/** Holds an SQLite file open; begins a new one if it is broken, and uses one next to it if it is of a newer version. */
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

  /** Opens nothing yet. `onAside`: where a broken file was put, and what was wrong with it. */
  constructor(file: string, kind: DatabaseSchema, onAside: (aside: string, error: unknown) => void) {
    this.#file = this.#path = file;
    this.#kind = kind;
    this.#onAside = onAside;
  }

  /** Changes with every new file: ids of an earlier generation are another file's. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Does the work on the database, opened if need be; once more on a new one if the file is broken. Throws what SQLite
   * throws.
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

  /** Looked at with each opening: the newer file may have been moved away. */
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
