/** Records each import for undo: the servers it added and its changes to the apps' files. */
import { randomUUID } from 'node:crypto';
import { RecordFolder } from '../security/record-folder.ts';

interface ImportRecord {
  readonly id: string;
  /** In ms since 1970. */
  readonly at: number;
  readonly added: readonly string[];
  /**
   * The offer of each, in the same order: two accounts of one service are otherwise equal once their secrets are in
   * the vault.
   */
  readonly offers: readonly string[];
  /** Ids in the change journal. */
  readonly changes: readonly string[];
  /** Vault names that it created or reused. */
  readonly sealed?: readonly string[];
}

/** Maximum number of imports; servers of older ones can no longer be removed by undo. */
const maxImports = 20;

export class ImportHistory {
  readonly #records: RecordFolder<ImportRecord>;
  readonly #now: () => number;

  constructor(folder: string, now: () => number = Date.now) {
    this.#records = new RecordFolder(folder, 'import');
    this.#now = now;
  }

  async record(done: Omit<ImportRecord, 'id' | 'at'>): Promise<ImportRecord> {
    const record = { id: `import-${randomUUID().slice(0, 8)}`, at: this.#now(), ...done };
    await this.#records.write(record);
    for (const { id } of (await this.all()).slice(maxImports)) await this.forget(id);
    return record;
  }

  /** Newest first. */
  all(): Promise<readonly ImportRecord[]> {
    return this.#records.all();
  }

  /** The server name by offer. */
  async addedOffers(): Promise<ReadonlyMap<string, string>> {
    const records = (await this.all()).toReversed();
    return new Map(
      records.flatMap(({ offers, added }) => offers.map((offer, at) => [offer, added[at] ?? ''] as const)),
    );
  }

  /** Rejects with AppError `not_found`. */
  get(id: string): Promise<ImportRecord> {
    return this.#records.get(id);
  }

  forget(id: string): Promise<void> {
    return this.#records.remove(id);
  }
}
