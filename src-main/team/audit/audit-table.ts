/**
 * The team's audit log as database rows: a single hash chain that replicas append to under a PostgreSQL lock, so that
 * it can be read, verified, and exported like a single user's. Replicas can only insert rows, not change or delete
 * them.
 */
import type { Sql } from 'postgres';
import {
  type AuditLog,
  type ChainLink,
  genesisLink,
  type OpenLog,
  parseLine,
  type SignedHead,
} from '../../core/edition.ts';
import { rethrowDatabaseError } from '../database/database.ts';

/** The end of a chain. */
export interface ChainTail extends ChainLink {
  /** Number of the last signed head; 0 if there is none. */
  readonly head: number;
  /** The month of the last record has ended: the next record starts a new one. */
  readonly isOver: boolean;
}

/** The lines of one batch. */
export interface Lines {
  /** Each with its line feed; the first one follows the tail. */
  readonly lines: readonly string[];
  readonly lastHead: SignedHead | undefined;
}

export interface BatchName {
  /** ID of one run of a replica. */
  readonly writer: string;
  /**
   * Increasing batch number. A batch that is already stored is not written again, so a writer that received no
   * response can retry.
   */
  readonly batch: number;
}

/** Limit for transactions of a replica that hangs, and for waiting for the lock, in ms. */
const idleTransactionTimeoutMs = 5000;
const lockTimeoutMs = 20_000;
/** Number of rows per read. */
const pageRows = 500;

export class AuditTable implements AuditLog {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * `make` receives the current tail. Rejects with AppError `store_unreachable`; the batch may have been written
   * nevertheless.
   */
  async append({ writer, batch }: BatchName, make: (tail: ChainTail) => Lines): Promise<void> {
    await this.#sql
      .begin(async (work) => {
        await work`
          SELECT set_config('idle_in_transaction_session_timeout', ${String(idleTransactionTimeoutMs)}, true),
            set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`;
        await work`SELECT pg_advisory_xact_lock(hashtextextended('tooltray audit', 0))`;
        const [known] = await work<{ batch: string }[]>`
          SELECT batch FROM tooltray.audit_batches WHERE writer = ${writer}`;
        if (known !== undefined && Number(known.batch) >= batch) return;
        // The first batch of a run deletes those of long-finished runs.
        if (known === undefined) await work`DELETE FROM tooltray.audit_batches WHERE at < now() - interval '7 days'`;
        const tail = await this.#tail(work);
        const { lines, lastHead } = make(tail);
        const texts = lines.map((line) => line.slice(0, -1));
        const numbers = lines.map((_, at) => String(tail.seq + 1 + at));
        await work`
          INSERT INTO tooltray.audit (seq, line)
          SELECT seq, line FROM unnest(${numbers}::bigint[], ${texts}::text[]) AS made (seq, line)`;
        await work`
          INSERT INTO tooltray.audit_batches (writer, batch) VALUES (${writer}, ${batch})
          ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = now()`;
        if (lastHead === undefined) return;
        await work`
          INSERT INTO tooltray.audit_heads (seq, at, hash)
          VALUES (${lastHead.seq}, ${lastHead.at}, ${lastHead.hash})
          ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, at = excluded.at, hash = excluded.hash`;
      })
      .catch(rethrowDatabaseError);
  }

  async recordedHead(): Promise<SignedHead | undefined> {
    const [row] = await this.#sql<{ seq: string; at: string; hash: string }[]>`
      SELECT seq, at, hash FROM tooltray.audit_heads`.catch(rethrowDatabaseError);
    return row && { seq: Number(row.seq), at: Number(row.at), hash: row.hash };
  }

  async open(): Promise<OpenLog> {
    const [ends] = await this.#sql<{ first: string | null; last: string | null }[]>`
      SELECT min(seq) AS first, max(seq) AS last FROM tooltray.audit`.catch(rethrowDatabaseError);
    if (ends?.first == null || ends.last === null) return { parts: [], close: () => Promise.resolve() };
    const [first, last] = [Number(ends.first), Number(ends.last)];
    const part = {
      first,
      lines: (after = 0) => this.#lines(after, last),
      backwards: (before: number) => this.#backwards(Math.min(before, last + 1)),
    };
    return { parts: [part], close: () => Promise.resolve() };
  }

  async #tail(work: Pick<Sql, 'unsafe'>): Promise<ChainTail> {
    const [row] = await work.unsafe<{ seq: string; line: string; head: string | null; over: boolean }[]>(
      `SELECT seq, line, date_trunc('month', written AT TIME ZONE 'UTC') < date_trunc('month', now() AT TIME ZONE 'UTC') AS over,
        (SELECT seq FROM tooltray.audit_heads) AS head
      FROM tooltray.audit ORDER BY seq DESC LIMIT 1`,
    );
    if (row === undefined) {
      const noted = await work.unsafe<{ seq: string }[]>('SELECT seq FROM tooltray.audit_heads');
      return { ...genesisLink, head: Number(noted[0]?.seq ?? 0), isOver: true };
    }
    // Damaged lines count, so that no number is used twice.
    const hash = parseLine(row.line)?.hash ?? genesisLink.hash;
    return { seq: Number(row.seq), hash, head: Number(row.head ?? 0), isOver: row.over };
  }

  async *#lines(after: number, last: number): AsyncGenerator<{ readonly text: string; readonly isTorn: boolean }> {
    for (let behind = after; behind < last;) {
      const rows = await this.#sql<{ seq: string; line: string }[]>`
        SELECT seq, line FROM tooltray.audit WHERE seq > ${behind} AND seq <= ${last}
        ORDER BY seq LIMIT ${pageRows}`.catch(rethrowDatabaseError);
      if (rows.length === 0) return;
      for (const { line } of rows) yield { text: line, isTorn: false };
      behind = Number(rows.at(-1)?.seq);
    }
  }

  async *#backwards(before: number): AsyncGenerator<readonly string[]> {
    for (let from = before; ;) {
      const rows = await this.#sql<{ seq: string; line: string }[]>`
        SELECT seq, line FROM tooltray.audit WHERE seq < ${from}
        ORDER BY seq DESC LIMIT ${pageRows}`.catch(rethrowDatabaseError);
      if (rows.length === 0) return;
      yield rows.map(({ line }) => line);
      from = Number(rows.at(-1)?.seq);
    }
  }
}
