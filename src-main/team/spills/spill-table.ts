/**
 * Metadata of a team's spills, in PostgreSQL. A row exists before its bytes and after them, so orphaned bytes can
 * always be found: `writing` until they are complete, `kept` while readable, `leaving` while they are deleted.
 */
import type { Sql } from 'postgres';
import {
  isWholeUser,
  type NamedSpill,
  type Principal,
  type Spill,
  type SpillFilter,
  type SpillKind,
  spillUri,
} from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { type Database, databaseError } from '../database/database.ts';

export interface SharedSpill {
  readonly spill: Spill;
  readonly sha256: Buffer;
  /** File name extension, for users. */
  readonly extension: string;
}

export interface PendingDeletion {
  readonly id: string;
  readonly bytes: number;
}

interface Row {
  readonly id: string;
  readonly answer_id: string;
  readonly sha256: Buffer | null;
  readonly extension: string;
  readonly owner: string;
  readonly session_id: string;
  readonly app: string;
  readonly server: string;
  readonly tool: string;
  readonly profiles: string | null;
  readonly preview: string | null;
  readonly kind: SpillKind;
  readonly mime_type: string;
  readonly bytes: string;
  readonly lines: string | null;
  readonly tokens: string;
  readonly tokens_estimated: boolean;
  readonly sent_bytes: string | null;
  readonly sent_tokens: string | null;
  readonly sent_estimated: boolean;
  readonly created_at: string;
  readonly pinned: boolean;
  readonly reads: number;
  readonly last_read_at: string | null;
}

interface RetentionLimits {
  /** Time in ms since 1970; older ones are expired. */
  readonly before: number;
  readonly maxBytes: number;
  readonly maxCount: number;
  /** A spill that was just stored and must not be evicted. */
  readonly except: string | undefined;
}

/** Database timeout in ms; reconnecting takes up to five seconds. */
const defaultTimeoutMs = 8_000;

/** Rows of the team's spills. */
export class SpillTable {
  readonly #database: Database;
  readonly #waitMs: number;

  constructor(database: Database, waitMs = defaultTimeoutMs) {
    this.#database = database;
    this.#waitMs = waitMs;
  }

  /** Called before their bytes are written. */
  insertPending(spills: readonly NamedSpill[]): Promise<void> {
    const rows = spills.map(rowOf);
    return this.#ask(async (sql) => {
      await sql`INSERT INTO tooltray.answers ${sql(rows)}`;
    });
  }

  /**
   * Makes the spills readable. Rejects if one of them was deleted as an orphan meanwhile: the others must then be
   * deleted, too.
   */
  markStored(digests: ReadonlyMap<string, Buffer>): Promise<void> {
    const [ids, hashes] = [[...digests.keys()], [...digests.values()].map((digest) => digest.toString('hex'))];
    return this.#ask(async (sql) => {
      // A single statement, because a model waits and a transaction would take four round trips.
      const { count } = await sql`
        UPDATE tooltray.answers SET state = 'kept', sha256 = decode(written.sha256, 'hex'), changed_at = now()
        FROM unnest(${ids}::text[], ${hashes}::text[]) AS written (id, sha256)
        WHERE answers.id = written.id AND state = 'writing'`;
      if (count !== ids.length) throw new AppError('spill_failed', 'The result could not be spilled: timeout.');
    });
  }

  /** undefined also for another user's. */
  async find(id: string, reader: Principal): Promise<SharedSpill | undefined> {
    const [row] = await this.#ask(
      (sql) => sql<Row[]>`SELECT * FROM tooltray.answers WHERE id = ${id} AND state = 'kept'`,
    );
    return row !== undefined && isOwnedBy(reader, row.owner) ? spillOf(row) : undefined;
  }

  /** Newest first. */
  async list({ limit = 100, beforeId, server, app, sessionId }: SpillFilter, reader: Principal): Promise<Spill[]> {
    const { owner } = reader;
    const rows = await this.#ask(
      (sql) => sql<Row[]>`
        SELECT * FROM tooltray.answers WHERE state = 'kept'
        ${isWholeUser(reader) ? sql`AND starts_with(owner, ${owner})` : sql`AND owner = ${owner}`}
        ${
          beforeId === undefined
            ? sql``
            : sql`AND number < (SELECT number FROM tooltray.answers WHERE id = ${beforeId})`
        }
        ${server === undefined ? sql`` : sql`AND server = ${plain(server)}`}
        ${app === undefined ? sql`` : sql`AND app = ${plain(app)}`}
        ${sessionId === undefined ? sql`` : sql`AND session_id = ${plain(sessionId)}`}
        ORDER BY number DESC LIMIT ${Math.max(0, Math.trunc(limit))}`,
    );
    return rows.map((row) => spillOf(row).spill);
  }

  /** Usage of all, or of one user. */
  async usage(reader?: Principal): Promise<{ readonly bytes: number; readonly count: number }> {
    const [row] = await this.#ask(
      (sql) => sql<{ bytes: string; count: string }[]>`
        SELECT coalesce(sum(bytes), 0) AS bytes, count(*) AS count FROM tooltray.answers
        WHERE state = 'kept'
        ${reader === undefined ? sql`` : sql`AND starts_with(owner, ${reader.owner})`}`,
    );
    return { bytes: Number(row?.bytes ?? 0), count: Number(row?.count ?? 0) };
  }

  /** Returns whether the spill exists. */
  pin(id: string, pinned: boolean): Promise<boolean> {
    return this.#ask(async (sql) => {
      const { count } = await sql`
        UPDATE tooltray.answers SET pinned = ${pinned}
        WHERE id = ${id} AND state = 'kept'`;
      return count === 1;
    });
  }

  addReads(reads: readonly { id: string; times: number; at: number }[]): Promise<void> {
    return this.#ask(async (sql) => {
      for (const { id, times, at } of reads)
        await sql`
          UPDATE tooltray.answers SET reads = reads + ${times}, last_read_at = greatest(last_read_at, ${at})
          WHERE id = ${id}`;
    });
  }

  /** Marks spills as unreadable. Each one is returned to only one caller, however many run at once. */
  async markForDeletion(ids: readonly string[]): Promise<readonly PendingDeletion[]> {
    const rows = await this.#ask(
      (sql) => sql<LeavingRow[]>`
        UPDATE tooltray.answers SET state = 'leaving', changed_at = now()
        WHERE id IN ${sql([...ids])} AND state <> 'leaving' RETURNING id, bytes`,
    );
    return rows.map(leaving);
  }

  /** Expired ones, then the oldest beyond the limits; pinned ones never. Each is returned once. */
  async markExpired({ before, maxBytes, maxCount, except = '' }: RetentionLimits): Promise<readonly PendingDeletion[]> {
    const rows = await this.#ask(
      (sql) => sql<LeavingRow[]>`
        WITH held AS (
          SELECT number, answer_id, pinned, created_at < ${before} AS old,
            sum(bytes) OVER counted AS bytes, count(*) OVER counted AS count
          FROM tooltray.answers WHERE state = 'kept'
          WINDOW counted AS (ORDER BY pinned OR answer_id = ${except} DESC, created_at < ${before}, number DESC)
        )
        UPDATE tooltray.answers SET state = 'leaving', changed_at = now()
        WHERE state = 'kept' AND NOT pinned AND number IN (
          SELECT number FROM held
          WHERE NOT pinned AND answer_id <> ${except} AND (old OR bytes > ${maxBytes} OR count > ${maxCount})
        )
        RETURNING id, bytes`,
    );
    return rows.map(leaving);
  }

  /** Returns the orphans of a killed replica: incomplete bytes, and deletions that it started. */
  async findOrphans(olderThanSeconds: number): Promise<readonly PendingDeletion[]> {
    const rows = await this.#ask(
      (sql) => sql<LeavingRow[]>`
        UPDATE tooltray.answers SET state = 'leaving', changed_at = now()
        WHERE state <> 'kept' AND changed_at < now() - make_interval(secs => ${olderThanSeconds})
        RETURNING id, bytes`,
    );
    return rows.map(leaving);
  }

  /** Called after their bytes were deleted. */
  deleteRow(ids: readonly string[]): Promise<void> {
    return this.#ask(async (sql) => {
      if (ids.length === 0) return;
      await sql`DELETE FROM tooltray.answers WHERE id IN ${sql([...ids])} AND state = 'leaving'`;
    });
  }

  async #ask<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    return await bounded(work(this.#database.sql), this.#waitMs);
  }
}

/** The desktop's user owns only what they created: in a team nobody sees everything. */
function isOwnedBy(reader: Principal, owner: string): boolean {
  return owner === reader.owner || (isWholeUser(reader) && owner.startsWith(reader.owner));
}

/** Rejects with AppError `store_unreachable` if the database is unavailable or too slow, else with its error. */
async function bounded<T>(work: PromiseLike<T>, waitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      new AppError('store_unreachable', 'The database is not responding.', {
        fix: 'Try again later.',
      }),
    );
  }, waitMs);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    throw databaseError(error);
  } finally {
    clearTimeout(timer);
  }
}

interface LeavingRow extends Omit<PendingDeletion, 'bytes'> {
  readonly bytes: string;
}

function leaving({ bytes, ...row }: LeavingRow): PendingDeletion {
  return { ...row, bytes: Number(bytes) };
}

/** Names come from servers and client apps: PostgreSQL accepts neither lone surrogates nor NUL. */
function plain(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function rowOf({ spill, name }: NamedSpill): Record<string, Value> {
  return {
    id: spill.id,
    answer_id: spill.answerId,
    extension: name.slice(name.lastIndexOf('.') + 1),
    owner: spill.owner,
    session_id: plain(spill.sessionId),
    app: plain(spill.app),
    server: plain(spill.server),
    tool: plain(spill.tool),
    preview: spill.preview === undefined ? null : plain(spill.preview),
    profiles: spill.profiles === undefined ? null : plain(spill.profiles),
    kind: spill.kind,
    mime_type: plain(spill.mimeType),
    bytes: spill.bytes,
    lines: spill.lines ?? null,
    tokens: spill.tokens,
    tokens_estimated: spill.tokensEstimated,
    sent_bytes: spill.sentBytes ?? null,
    sent_tokens: spill.sentTokens ?? null,
    sent_estimated: spill.sentEstimated,
    created_at: spill.createdAt,
  };
}

type Value = string | number | boolean | null;

function spillOf(row: Row): SharedSpill {
  const { sha256, extension } = row;
  return {
    extension,
    sha256: sha256 ?? Buffer.alloc(0),
    spill: {
      id: row.id,
      answerId: row.answer_id,
      file: spillUri(row.id),
      owner: row.owner,
      sessionId: row.session_id,
      app: row.app,
      server: row.server,
      tool: row.tool,
      preview: row.preview ?? undefined,
      profiles: row.profiles ?? undefined,
      kind: row.kind,
      mimeType: row.mime_type,
      bytes: Number(row.bytes),
      lines: numberOf(row.lines),
      tokens: Number(row.tokens),
      tokensEstimated: row.tokens_estimated,
      sentBytes: numberOf(row.sent_bytes),
      sentTokens: numberOf(row.sent_tokens),
      sentEstimated: row.sent_estimated,
      createdAt: Number(row.created_at),
      pinned: row.pinned,
      reads: row.reads,
      lastReadAt: numberOf(row.last_read_at),
    },
  };
}

function numberOf(value: string | null): number | undefined {
  return value === null ? undefined : Number(value);
}
