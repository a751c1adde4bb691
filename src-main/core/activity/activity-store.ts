/** Holds the activity database open, and begins a new file when the old one turns out to be broken. */
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../base/log.ts';
import { isBroken, setAside } from '../base/private-database.ts';
import { openActivityDatabase } from './activity-database.ts';

export class ActivityStore {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #log: Log;
  #database: DatabaseSync | undefined;
  #generation = 0;

  constructor(file: string, maxBytes: number, log: Log) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  /** Changes with every new file: ids of an earlier generation are another file's. */
  get generation(): number {
    return this.#generation;
  }

  /** Does the work on the database, opened if need be; once more on a new one if the file is broken. Throws what SQLite throws. */
  use<T>(work: (database: DatabaseSync) => T): T {
    try {
      return work(this.#open());
    } catch (error) {
      if (!isBroken(error)) throw error;
      this.#startAnew(error);
      return work(this.#open());
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): DatabaseSync {
    this.#database ??= openActivityDatabase(this.#file, this.#maxBytes);
    return this.#database;
  }

  #startAnew(error: unknown): void {
    this.close();
    this.#generation++;
    const aside = setAside(this.#file);
    this.#log.warn('The activity database could not be read; it was set aside and a new one begun.', { aside, error });
  }
}
