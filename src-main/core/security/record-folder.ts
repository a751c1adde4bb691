/** Stores records as JSON files in a folder of our own, one each, read newest first. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';

interface StoredRecord {
  readonly id: string;
  /** In ms since 1970. */
  readonly at: number;
}

export class RecordFolder<T extends StoredRecord> {
  readonly #folder: string;
  readonly #word: string;

  /** `word`: what a record is called in errors. */
  constructor(folder: string, word: string) {
    this.#folder = folder;
    this.#word = word;
  }

  async write(record: T): Promise<void> {
    ensurePrivateDir(this.#folder);
    await writeFileAtomic(this.#file(record.id), `${JSON.stringify(record, undefined, 2)}\n`);
  }

  /** Newest first. */
  async all(): Promise<readonly T[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith('.json'));
    const read = await Promise.all(names.map((name) => this.find(name.slice(0, -'.json'.length))));
    return read.filter((record) => record !== undefined).toSorted((a, b) => b.at - a.at);
  }

  /** Undefined if there is none. Throws if its file is not JSON. */
  async find(id: string): Promise<T | undefined> {
    if (!/^[\w.-]+$/.test(id)) return undefined;
    const text = await readFile(this.#file(id), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  /** Rejects with AppError `not_found`. */
  async get(id: string): Promise<T> {
    const record = await this.find(id);
    if (record !== undefined) return record;
    throw new AppError('not_found', `There is no ${this.#word} called "${id}".`, {
      fix: 'It was already undone or is too old.',
    });
  }

  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
