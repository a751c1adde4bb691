/**
 * Number of concurrent calls on all replicas: one row per call, inserted under a lock per count. Replicas renew their
 * rows; those of a killed replica expire after half a minute, by the database's clock.
 */
import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import { rethrowDatabaseError } from '../database/database.ts';

/** Lifetime of a row without renewal, and renewal interval, in ms. */
const leaseMs = 30_000;
const heartbeatIntervalMs = 10_000;

export class ConcurrencyCounts {
  readonly #sql: Sql;
  readonly #log: Pick<Log, 'warn'>;
  /** Id of one run of this replica. */
  readonly #replica = randomUUID();
  readonly #running = new Set<string>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(sql: Sql, log: Pick<Log, 'warn'>) {
    this.#sql = sql;
    this.#log = log;
    this.#heartbeat = setInterval(() => void this.#goOn(), heartbeatIntervalMs).unref();
  }

  /** ID for releasing it; undefined if the limit is reached. Rejects with AppError `store_unreachable`. */
  async acquire(key: string, limit: number): Promise<string | undefined> {
    const id = randomUUID();
    const [row] = await this.#sql
      .begin(async (sql) => {
        // Acquired before the rows are read, so that the previous holder's rows are visible.
        await sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 7))`;
        return sql`
          INSERT INTO tooltray.quota_running (key, id, replica, until)
          SELECT ${key}, ${id}, ${this.#replica}, clock_timestamp() + ${leaseMs} * interval '1 ms'
          WHERE (
            SELECT count(*) FROM tooltray.quota_running
            WHERE key = ${key} AND until > clock_timestamp()) < ${limit}
          RETURNING id`;
      })
      .catch(rethrowDatabaseError);
    if (row === undefined) return undefined;
    this.#running.add(id);
    return id;
  }

  /** Never rejects. */
  async release(id: string): Promise<void> {
    this.#running.delete(id);
    await this.#sql`DELETE FROM tooltray.quota_running WHERE id = ${id}`.catch((error: unknown) =>
      this.#log.warn(`Could not release a concurrency slot: ${errorText(error)}`),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#sql`
      DELETE FROM tooltray.quota_running WHERE replica = ${this.#replica}
    `.catch(() => undefined);
  }

  /** Renews the rows of running calls, and deletes ended ones that could not be deleted before. */
  async #goOn(): Promise<void> {
    const ids = [...this.#running];
    await this.#sql`
      WITH own AS (
        UPDATE tooltray.quota_running SET until = clock_timestamp() + ${leaseMs} * interval '1 ms'
        WHERE replica = ${this.#replica} AND id = ANY(${ids}))
      DELETE FROM tooltray.quota_running
      WHERE (until < clock_timestamp() OR (replica = ${this.#replica} AND id <> ALL(${ids})))
    `.catch((error: unknown) => this.#log.warn(`Could not renew concurrency slots: ${errorText(error)}`));
  }
}
