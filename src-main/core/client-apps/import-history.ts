/** Records each import for undo: the servers it added and its changes to the apps' files. */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';

interface ImportRecord {
  readonly id: string;
  /** In ms since 1970. */
  readonly at: number;
  readonly added: readonly string[];
  /**
   * The offer that each of them was, in the same order: two accounts of one service differ in nothing else once their
   * secrets are in the vault.
   */
  readonly offers: readonly string[];
  /** Ids of the change journal. */
  readonly changes: readonly string[];
  /** Names in the vault that it made or met. */
  readonly sealed?: readonly string[];
}

/** Older imports are forgotten: after so many, their servers belong to the user's config. */
const maxImports = 20;

export class ImportHistory {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  async record(done: Omit<ImportRecord, 'id' | 'at'>): Promise<ImportRecord> {
    ensurePrivateDir(this.#folder);
    const record = { id: `import-${randomUUID().slice(0, 8)}`, at: this.#now(), ...done };
    await writeFileAtomic(this.#file(record.id), `${JSON.stringify(record, undefined, 2)}\n`);
    for (const { id } of (await this.all()).slice(maxImports)) await this.forget(id);
    return record;
  }

  /** Newest first. */
  async all(): Promise<readonly ImportRecord[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => /^import-.*\.json$/.test(name));
    const read = await Promise.all(names.map((name) => this.#read(name.slice(0, -'.json'.length))));
    return read.filter((record) => record !== undefined).toSorted((a, b) => b.at - a.at);
  }

  /** The name under which each offer was added. */
  async addedOffers(): Promise<ReadonlyMap<string, string>> {
    const records = (await this.all()).toReversed();
    return new Map(
      records.flatMap(({ offers, added }) => offers.map((offer, at) => [offer, added[at] ?? ''] as const)),
    );
  }

  /** Rejects with AppError `not_found`. */
  async get(id: string): Promise<ImportRecord> {
    const record = /^import-[\w-]+$/.test(id) ? await this.#read(id) : undefined;
    if (record !== undefined) return record;
    throw new AppError('not_found', `There is no import called "${id}" that could be undone.`, {
      fix: 'It was undone already, or it is too long ago.',
    });
  }

  async forget(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  async #read(id: string): Promise<ImportRecord | undefined> {
    const text = await readFile(this.#file(id), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as ImportRecord);
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
