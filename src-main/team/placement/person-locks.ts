/**
 * Session-level advisory locks of PostgreSQL, one per user and server whose process runs on this replica, so that no
 * other replica starts the same process. All locks are held by one dedicated connection. When it breaks, PostgreSQL
 * releases them; the processes continue, and each reacquires its lock or ends. Cannot be used through a pooler in
 * transaction mode. Source: PostgreSQL 15, 13.3.5 (advisory locks).
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

/** Maximum time that a draining replica keeps its processes, in ms. */
export const maxDrainMs = 30_000;
const pollIntervalMs = 200;
const checkIntervalMs = 2_000;

export class PersonLocks {
  readonly #sql: Sql;
  readonly #held = new Map<string, Held>();
  /** The PostgreSQL backend process that holds the locks. */
  #backend: number | undefined;
  #checks: NodeJS.Timeout | undefined;

  /** `url`: direct PostgreSQL URL, without a pooler. Opens no connection yet. */
  constructor(url: string) {
    this.#sql = connect({ url, most: 1, name: 'tooltray locks', isPermanent: true });
  }

  /**
   * Waits up to `waitMs` for another holder. Rejects with AppError `server_starting` if the lock is still held,
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
    // PostgreSQL would grant a lock that this connection already holds a second time.
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
    // If the connection is lost, the lock is already released.
    await this.#sql`SELECT pg_advisory_unlock(hashtextextended(${name}, 0))`.catch(() => undefined);
    this.#held.delete(name);
  }

  /** While the database is unavailable, no other replica gets a lock either. */
  async #check(): Promise<void> {
    if (this.#held.size === 0) return;
    try {
      const [row] = await this.#sql<{ backend: number }[]>`SELECT pg_backend_pid() AS backend`;
      if (row !== undefined) await this.#seen(row.backend);
    } catch {
      // The next check retries.
    }
  }

  /** Reacquires all locks if the connection is a new one. */
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
    `${server} still runs for you on another replica of Tooltray, which is shutting down.`,
    {
      fix: 'The call was not run. Retry in 30 seconds.',
      data: { retryAfterSeconds: maxDrainMs / 1000 },
    },
  );
}
