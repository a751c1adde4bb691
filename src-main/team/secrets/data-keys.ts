/**
 * Data keys that seal secrets: random, stored in the database, wrapped by the team's key, which is not. A
 * new team key only needs new wrapping, and a copy of the database alone opens nothing.
 */
import type { ISql, Sql } from 'postgres';
import { generateKey, keyId, parseKey, seal, unseal } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';

export interface DataKey {
  readonly id: string;
  readonly key: Buffer;
}

interface Wrapped {
  readonly id: string;
  readonly wrapped: string;
}

export class DataKeys {
  readonly #sql: Sql;
  readonly #ring: readonly Buffer[];
  readonly #opened = new Map<string, Buffer>();
  #current: Promise<DataKey> | undefined;

  /** `ring`, 32 bytes each: the first one wraps, all of them unwrap. */
  constructor(sql: Sql, ring: readonly Buffer[]) {
    this.#sql = sql;
    this.#ring = ring;
  }

  /** For sealing. Rejects with AppError `secret_locked`, or what PostgreSQL says. */
  current(): Promise<DataKey> {
    this.#current ??= this.#newest().catch((error: unknown) => {
      this.#current = undefined;
      throw error;
    });
    return this.#current;
  }

  /** Rejects with AppError `secret_locked` if none of the team's keys opens it. */
  async find(id: string): Promise<Buffer> {
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const [row] = await this.#sql<Wrapped[]>`
      SELECT id, wrapped FROM tooltray.data_keys WHERE id = ${id}`;
    return this.#open(row);
  }

  /** Another one, wrapped by the team's first key. */
  async add(sql: ISql = this.#sql): Promise<DataKey> {
    const [first] = this.#ring;
    if (first === undefined) throw missingKeyError();
    const key = generateKey();
    const id = keyId(key);
    const wrapped = seal(first, key.toString('base64url'), this.#about(id));
    await sql`INSERT INTO tooltray.data_keys (id, wrapped) VALUES (${id}, ${wrapped})`;
    return { id, key };
  }

  /** Drops the cached keys, so that the next secret is sealed with the newest one. */
  forget(): void {
    this.#current = undefined;
  }

  async #newest(): Promise<DataKey> {
    const [row] = await this.#list(this.#sql);
    return row === undefined ? this.#sql.begin((held) => this.#first(held)) : { id: row.id, key: this.#open(row) };
  }

  /**
   * Waits for a running rotation, which deletes all keys but its own: it would miss this key and secrets sealed with
   * it.
   */
  async #first(held: ISql): Promise<DataKey> {
    await this.alone(held);
    const [row] = await this.#list(held);
    return row === undefined ? this.add(held) : { id: row.id, key: this.#open(row) };
  }

  /** Prevents other replicas from creating or deleting a key until the transaction ends. */
  async alone(held: ISql): Promise<void> {
    await held`SELECT pg_advisory_xact_lock(hashtextextended('tooltray data keys', 1))`;
  }

  #list(sql: ISql): PromiseLike<readonly Wrapped[]> {
    return sql<Wrapped[]>`
      SELECT id, wrapped FROM tooltray.data_keys ORDER BY made_at DESC, id LIMIT 1`;
  }

  #open(row: Wrapped | undefined): Buffer {
    for (const one of row === undefined ? [] : this.#ring) {
      const key = parseKey(unseal(one, row?.wrapped ?? '', this.#about(row?.id ?? '')) ?? '');
      if (row === undefined || key === undefined || keyId(key) !== row.id) continue;
      this.#opened.set(row.id, key);
      return key;
    }
    throw missingKeyError();
  }

  #about(id: string): string {
    return JSON.stringify(['tooltray data key', id]);
  }
}

function missingKeyError(): AppError {
  return new AppError('secret_locked', 'The team’s secrets are sealed with a key that this replica does not have.', {
    fix: 'Start every replica with the same keys, the ones of before among them.',
  });
}
