/**
 * Small documents as encrypted rows: each change is conditional on the version read, so that replicas never overwrite
 * each other, and all replicas are notified.
 */
import type { ISql, Sql } from 'postgres';
import { KeyRing } from '../secrets/key-ring.ts';
import { notifyChange } from '../database/change-feed.ts';
import { rethrowDatabaseError } from '../database/database.ts';

export interface DocumentKey {
  /** ID of the owning user; empty: the organization. */
  readonly owner: string;
  readonly name: string;
}

export interface Row {
  readonly text: string;
  /** Unique, even if a row is deleted and created again. */
  readonly version: string;
}

export class DocumentTable {
  readonly sql: Sql;
  readonly #keys: KeyRing;

  /** `keys`, 32 bytes each: the first encrypts, all decrypt. */
  constructor(sql: Sql, keys: readonly Buffer[]) {
    this.sql = sql;
    this.#keys = new KeyRing(keys);
  }

  /**
   * undefined if there is none. Rejects with AppError `store_unreachable`, or `secret_locked` if no key decrypts it.
   */
  async read({ owner, name }: DocumentKey): Promise<Row | undefined> {
    const [row] = await this.sql<{ value: string; version: string }[]>`
      SELECT value, version FROM tooltray.documents WHERE owner = ${owner} AND name = ${name}
    `.catch(rethrowDatabaseError);
    return row && { text: this.#keys.open(row.value, aadFor({ owner, name })), version: row.version };
  }

  /**
   * Replaces `version`; undefined: creates the document. Returns the new version; undefined if another one was written
   * meanwhile. `isMinor`: sends no notification. Rejects with AppError `store_unreachable`; the write may then have
   * happened.
   */
  async write(
    place: DocumentKey,
    text: string,
    version: string | undefined,
    isMinor = false,
  ): Promise<string | undefined> {
    const { owner, name } = place;
    const value = this.#keys.seal(text, aadFor(place));
    const put = async (sql: ISql): Promise<string | undefined> => {
      const [row] =
        version === undefined
          ? await sql<{ version: string }[]>`
              INSERT INTO tooltray.documents (owner, name, value) VALUES (${owner}, ${name}, ${value})
              ON CONFLICT DO NOTHING RETURNING version`
          : await sql<{ version: string }[]>`
              UPDATE tooltray.documents SET value = ${value}, version = nextval('tooltray.document_versions'), changed_at = now()
              WHERE owner = ${owner} AND name = ${name} AND version = ${version} RETURNING version`;
      return row?.version;
    };
    if (isMinor) return put(this.sql).catch(rethrowDatabaseError);
    return this.sql
      .begin(async (work) => {
        const made = await put(work);
        if (made !== undefined) await notifyChange(work, topicOf(place));
        return made;
      })
      .catch(rethrowDatabaseError);
  }

  /** Current version; undefined if there is none. Rejects with AppError `store_unreachable`. */
  async version({ owner, name }: DocumentKey): Promise<string | undefined> {
    const [row] = await this.sql<{ version: string }[]>`
      SELECT version FROM tooltray.documents WHERE owner = ${owner} AND name = ${name}
    `.catch(rethrowDatabaseError);
    return row?.version;
  }

  /** Encrypts every document with the first key. Returns their number. Rejects with AppError. */
  async rotate(): Promise<number> {
    return this.sql
      .begin(async (work) => {
        const rows = await work<(DocumentKey & { value: string })[]>`
          SELECT owner, name, value FROM tooltray.documents ORDER BY owner, name FOR UPDATE`;
        for (const { value, ...place } of rows) {
          const about = aadFor(place);
          await work`
            UPDATE tooltray.documents SET value = ${this.#keys.seal(this.#keys.open(value, about), about)}
            WHERE owner = ${place.owner} AND name = ${place.name}`;
        }
        return rows.length;
      })
      .catch(rethrowDatabaseError);
  }
}

/** Topic of a document in `Changes`; documents of the organization have only their name. */
export function topicOf({ owner, name }: Pick<DocumentKey, 'owner' | 'name'>): string {
  return owner === '' ? `document/${name}` : `document/${name}/${owner}`;
}

/** A row that was copied over another one cannot be decrypted. */
function aadFor({ owner, name }: DocumentKey): string {
  return JSON.stringify(['tooltray document', owner, name]);
}
