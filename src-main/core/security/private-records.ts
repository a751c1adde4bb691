/** Records by name in a file that nobody else reads or writes, which several processes change: looked at each time, read when it is another one. */
import { type BigIntStats, lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import type { AppError } from '../base/errors.ts';
import { withFileLock } from '../base/file-lock.ts';
import { isObject, objectOf } from '../base/json.ts';

export class PrivateRecords<T> {
  readonly #file: string;
  readonly #readOne: (value: Record<string, unknown>) => T | undefined;
  readonly #refusal: () => AppError;
  /** What stood in the file, and how to tell that it is another one: HTTP asks with every request. */
  #last: { readonly stamp: string; readonly all: ReadonlyMap<string, T> } | undefined;

  /** `readOne`: undefined leaves it out; `refusal`: why a file that is not the person's alone is not believed. */
  constructor(file: string, readOne: (value: Record<string, unknown>) => T | undefined, refusal: () => AppError) {
    this.#file = file;
    this.#readOne = readOne;
    this.#refusal = refusal;
  }

  /** Nothing that others may write is believed: throws the refusal. */
  read(): ReadonlyMap<string, T> {
    const stats = this.#stats();
    if (stats !== undefined && !isPrivate(stats)) throw this.#refusal();
    return this.readAny(stats);
  }

  /** Whoever may write it: for what takes away, and for showing. */
  readAny(stats = this.#stats()): ReadonlyMap<string, T> {
    if (stats?.isFile() !== true) return new Map();
    const stamp = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    if (this.#last?.stamp !== stamp) {
      const all = new Map<string, T>();
      for (const [name, value] of Object.entries(parsed(readFileSync(this.#file, 'utf8')))) {
        const one = isObject(value) ? this.#readOne(value) : undefined;
        if (one !== undefined) all.set(name, one);
      }
      this.#last = { stamp, all };
    }
    return this.#last.all;
  }

  /** Under a lock, written whole where something is another one (mode 0600). */
  async change<R>(change: (all: Map<string, T>) => R): Promise<R> {
    ensurePrivateDir(dirname(this.#file));
    return withFileLock(this.#file, async () => {
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

function isPrivate(stats: BigIntStats): boolean {
  if (process.platform === 'win32') return stats.isFile();
  return stats.isFile() && Number(stats.uid) === process.getuid?.() && (stats.mode & 0o077n) === 0n;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return objectOf(value);
  } catch {
    return {};
  }
}
