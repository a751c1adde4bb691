/**
 * Counters for time windows (minute, hour, UTC day) shared by all replicas: one row each, updated by a single
 * statement, so that a limit is never exceeded. Windows follow the database's clock.
 */
import type { Sql } from 'postgres';
import { rethrowDatabaseError } from '../database/database.ts';

/** One counter: `key` identifies quota and owner. */
export interface Window {
  readonly key: string;
  readonly limit: number;
  readonly lengthMs: number;
}

/** The quota is exhausted; times are in ms from now. */
export interface WindowExhausted {
  readonly leftMs: number;
}

/** A call counted in the window that started then. */
interface Counted {
  readonly starts: string;
}

/** Rows of windows that began earlier are deleted. */
const rowRetention = '2 days';

/** All reject with AppError `store_unreachable`. */
export class RateWindows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Counts one call, unless the limit is reached. */
  async take({ key, limit, lengthMs }: Window): Promise<WindowExhausted | Counted> {
    const sql = this.#sql;
    const [counted] = await sql<Counted[]>`
      INSERT INTO tooltray.quota_windows AS q (key, starts, used) VALUES (${key}, ${this.#start(lengthMs)}, 1)
      ON CONFLICT (key) DO UPDATE SET
        starts = greatest(q.starts, excluded.starts),
        used = CASE WHEN q.starts < excluded.starts THEN 1 ELSE q.used + 1 END
      WHERE q.starts < excluded.starts OR q.used < ${limit}
      RETURNING starts::text`.catch(rethrowDatabaseError);
    return counted ?? this.#exhausted(lengthMs);
  }

  /** Refunds a call that did not run, only in the window in which it was counted. */
  async refund({ key }: Window, { starts }: Counted): Promise<void> {
    await this.#sql`
      UPDATE tooltray.quota_windows SET used = used - 1 WHERE key = ${key} AND starts = ${starts}
    `.catch(rethrowDatabaseError);
  }

  /** Returns when the next window starts if this one has reached its limit, else undefined. */
  async isFull({ key, limit, lengthMs }: Window): Promise<WindowExhausted | undefined> {
    const [full] = await this.#sql`
      SELECT FROM tooltray.quota_windows
      WHERE key = ${key} AND starts = ${this.#start(lengthMs)} AND used >= ${limit}`.catch(rethrowDatabaseError);
    return full && this.#exhausted(lengthMs);
  }

  /** Counts without a limit. */
  async add({ key, lengthMs }: Window, amount: number): Promise<void> {
    await this.#sql`
      INSERT INTO tooltray.quota_windows AS q (key, starts, used) VALUES (${key}, ${this.#start(lengthMs)}, ${amount})
      ON CONFLICT (key) DO UPDATE SET
        starts = greatest(q.starts, excluded.starts),
        used = CASE WHEN q.starts < excluded.starts THEN 0 ELSE q.used END + excluded.used
    `.catch(rethrowDatabaseError);
  }

  /** Deletes the rows of past windows. */
  async sweep(): Promise<void> {
    await this.#sql`
      DELETE FROM tooltray.quota_windows
      WHERE starts < extract(epoch FROM now() - ${rowRetention}::interval) * 1000
    `.catch(rethrowDatabaseError);
  }

  async #exhausted(lengthMs: number): Promise<WindowExhausted> {
    const [row] = await this.#sql<WindowExhausted[]>`
      SELECT (${this.#start(lengthMs)} + ${lengthMs}::bigint - extract(epoch FROM clock_timestamp()) * 1000)::float8
        AS "leftMs"`.catch(rethrowDatabaseError);
    return { leftMs: Math.max(0, row?.leftMs ?? 0) };
  }

  /** Start of the current window, in ms since 1970. */
  #start(lengthMs: number) {
    return this.#sql`(floor(extract(epoch FROM clock_timestamp()) * 1000 / ${lengthMs}::bigint) * ${lengthMs}::bigint)::bigint`;
  }
}
