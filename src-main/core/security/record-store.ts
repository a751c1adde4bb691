/**
 * Stores records by name in a private file that several processes change: checked at each access, and read again after
 * a change.
 */
import { type BigIntStats, lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import type { AppError } from '../base/errors.ts';
import { withSqliteLock } from '../base/file-lock.ts';
import { isObject, objectOrEmpty, tryParsePlainJson } from '../base/json.ts';

/** Records by name that several processes change; read synchronously. */
export interface RecordStore<T> {
  /** Reads records that grant access. Throws an AppError if they cannot be trusted. */
  read(): ReadonlyMap<string, T>;
  /** Reads the records even if they cannot be trusted: to revoke and to list. */
  readAny(): ReadonlyMap<string, T>;
  /** Changes run one after another, across processes. `isMinor`: others need not be notified at once. */
  change<R>(change: (all: Map<string, T>) => R, isMinor?: boolean): Promise<R>;
}

type ReadOne<T> = (value: Record<string, unknown>) => T | undefined;

/** Opens a record store: `readOne` parses one from JSON, undefined drops it. */
export type OpenRecordStore = <T>(readOne: ReadOne<T>) => RecordStore<T>;

/** `refusal`: creates the error for a file that is not private. */
export function openFileRecordStore(file: string, refusal: () => AppError): OpenRecordStore {
  return (readOne) => new FileRecordStore(file, readOne, refusal);
}

export class FileRecordStore<T> implements RecordStore<T> {
  readonly #file: string;
  readonly #readOne: ReadOne<T>;
  readonly #refusal: () => AppError;
  /** Cached content of the file, with a stamp to detect changes, because it is needed for every HTTP request. */
  #last: { readonly stamp: string; readonly all: ReadonlyMap<string, T> } | undefined;

  constructor(file: string, readOne: ReadOne<T>, refusal: () => AppError) {
    this.#file = file;
    this.#readOne = readOne;
    this.#refusal = refusal;
  }

  /** Throws the refusal if other users can write the file. */
  read(): ReadonlyMap<string, T> {
    const stats = this.#stats();
    if (stats !== undefined && !isPrivate(stats)) throw this.#refusal();
    return this.readAny(stats);
  }

  /** Also reads a file that others may write: for revocations and display only. */
  readAny(stats = this.#stats()): ReadonlyMap<string, T> {
    if (stats?.isFile() !== true) return new Map();
    const stamp = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    if (this.#last?.stamp !== stamp) {
      this.#last = {
        stamp,
        all: parseRecords(objectOrEmpty(tryParsePlainJson(readFileSync(this.#file, 'utf8'))), this.#readOne),
      };
    }
    return this.#last.all;
  }

  /** Under a lock; replaces the file if something changed (mode 0600). */
  async change<R>(change: (all: Map<string, T>) => R): Promise<R> {
    ensurePrivateDir(dirname(this.#file));
    return withSqliteLock(this.#file, async () => {
      const all = new Map(this.read());
      const before = JSON.stringify([...all]);
      const answer = change(all);
      if (JSON.stringify([...all]) !== before)
        await writeFileAtomic(this.#file, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
      return answer;
    });
  }

  #stats(): BigIntStats | undefined {
    return lstatSync(this.#file, { throwIfNoEntry: false, bigint: true });
  }
}

export function parseRecords<T>(value: Record<string, unknown>, readOne: ReadOne<T>): ReadonlyMap<string, T> {
  const all = new Map<string, T>();
  for (const [name, record] of Object.entries(value)) {
    const one = isObject(record) ? readOne(record) : undefined;
    if (one !== undefined) all.set(name, one);
  }
  return all;
}

function isPrivate(stats: BigIntStats): boolean {
  if (process.platform === 'win32') return stats.isFile();
  return stats.isFile() && Number(stats.uid) === process.getuid?.() && (stats.mode & 0o077n) === 0n;
}
