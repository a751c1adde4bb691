/**
 * Session-level advisory locks of PostgreSQL, one for each user and server whose process runs on this replica: no
 * other replica starts the same process meanwhile. All locks are held by one connection of their own. When it breaks,
 * PostgreSQL releases them; the processes go on, and each one takes its lock again or ends. A connection pool in
 * transaction mode cannot be in between.
 * Source: PostgreSQL 15, 13.3.5 (advisory locks).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Person } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { connect, rethrowDatabaseError } from '../database/database.ts';

export interface PersonLock {
  /** Never rejects. */
  release(): Promise<void>;
}

interface Held {
  /** Called if another replica has the lock after the connection broke. */
  readonly onLost: () => void;
}

/** A replica that ends keeps its processes for as long as this at most, in ms. */
export const maxDrainMs = 30_000;
const pollIntervalMs = 200;
const checkIntervalMs = 2_000;

export class PersonLocks {
  readonly #sql: Sql;
  readonly #held = new Map<string, Held>();
  /** The PostgreSQL process that holds the locks. */
  #backend: number | undefined;
  #checks: NodeJS.Timeout | undefined;

  /** `url`: of PostgreSQL itself, not of a pool. Opens no connection yet. */
  constructor(url: string) {
    this.#sql = connect({ url, most: 1, name: 'tooltray locks', isPermanent: true });
  }

  /**
   * Waits up to `waitMs` for another holder. Rejects with AppError `server_starting` if it still has the lock,
   * `store_unreachable`.
   */
  async acquire(person: Person, server: string, onLost: () => void, waitMs: number): Promise<PersonLock> {
    const name = JSON.stringify(['tooltray personal', person.user, server]);
    const until = performance.now() + waitMs;
    while (!(await this.#try(name))) {
      if (performance.now() + pollIntervalMs > until) throw leaseHeldError(server);
      await sleep(pollIntervalMs);
    }
    const held = { onLost };
    this.#held.set(name, held);
    this.#checks ??= setInterval(() => void this.#check(), checkIntervalMs).unref();
    return { release: () => this.#release(name, held) };
  }

  async close(): Promise<void> {
    clearInterval(this.#checks);
    this.#held.clear();
    await this.#sql.end({ timeout: 1 });
  }

  async #try(name: string): Promise<boolean> {
    // A lock that this connection has already would be granted a second time.
    if (this.#held.has(name)) return false;
    const [row] = await this.#sql<{ backend: number; granted: boolean }[]>`
      SELECT pg_backend_pid() AS backend, pg_try_advisory_lock(hashtextextended(${name}, 0)) AS granted`.catch(
      rethrowDatabaseError,
    );
    if (row === undefined) return false;
    await this.#seen(row.backend);
    return row.granted;
  }

  async #release(name: string, held: Held): Promise<void> {
    if (this.#held.get(name) !== held) return;
    // If the connection is away, the lock is released already.
    await this.#sql`SELECT pg_advisory_unlock(hashtextextended(${name}, 0))`.catch(() => undefined);
    this.#held.delete(name);
  }

  /** While the database is away, nobody else gets a lock either. */
  async #check(): Promise<void> {
    if (this.#held.size === 0) return;
    try {
      const [row] = await this.#sql<{ backend: number }[]>`SELECT pg_backend_pid() AS backend`;
      if (row !== undefined) await this.#seen(row.backend);
    } catch {
      // The next check tries again.
    }
  }

  /** Takes all locks again if the connection is another one. */
  async #seen(backend: number): Promise<void> {
    if (this.#backend === backend) return;
    const isFirst = this.#backend === undefined;
    this.#backend = backend;
    if (isFirst) return;
    for (const [name, held] of [...this.#held]) {
      const [row] = await this.#sql<{ granted: boolean }[]>`
        SELECT pg_try_advisory_lock(hashtextextended(${name}, 0)) AS granted`;
      if (row?.granted === true || this.#held.get(name) !== held) continue;
      this.#held.delete(name);
      held.onLost();
    }
  }
}

function leaseHeldError(server: string): AppError {
  return new AppError(
    'server_starting',
    `${server} still runs for you on another replica of Tooltray, which is ending.`,
    {
      fix: 'Nothing was run: try again in 30 seconds.',
      data: { retryAfterSeconds: maxDrainMs / 1000 },
    },
  );
}
