/**
 * Notifies every replica of changes: a version per topic in a table, and a NOTIFY that names the affected owner and
 * only says that a newer version exists. A replica that lost its connection reads the versions when it reconnects, so
 * it misses none; several changes may then arrive as one that affects everybody.
 */
import type { ISql, Sql } from 'postgres';
import { Emitter } from '../../core/base/emitter.ts';
import type { Log } from '../../core/base/log.ts';
import { databaseError } from './database.ts';

export interface Change {
  readonly topic: string;
  readonly version: number;
  /** ID of the only user concerned; undefined if it may concern all users. */
  readonly user?: string | undefined;
}

interface Row {
  readonly topic: string;
  readonly version: string;
}

const channel = 'tooltray_changes';

/**
 * Sends the notification when the transaction commits, and returns the new version. `user`: the only user affected.
 * PostgreSQL takes a lock at commit, so this is not for each call.
 */
export async function notifyChange(sql: ISql, topic: string, user?: string): Promise<number> {
  const [row] = await sql<Row[]>`
    INSERT INTO tooltray.changes (topic, version) VALUES (${topic}, 1)
    ON CONFLICT (topic) DO UPDATE SET version = tooltray.changes.version + 1 RETURNING version`;
  const version = Number(row?.version);
  await sql`SELECT pg_notify(${channel}, ${JSON.stringify({ topic, version, user })})`;
  return version;
}

export class ChangeFeed {
  readonly changed = new Emitter<Change>();
  readonly #sql: Sql;
  readonly #log: Pick<Log, 'warn'>;
  /** Versions by topic; the initial ones count as known. */
  readonly #versions = new Map<string, number>();
  #isFirst = true;
  #stop: (() => Promise<void>) | undefined;

  /** Uses one of the connections for LISTEN. */
  constructor(sql: Sql, log: Pick<Log, 'warn'>) {
    this.#sql = sql;
    this.#log = log;
  }

  /** Resolves once the feed listens. Rejects with AppError `store_unreachable`, or with PostgreSQL's error. */
  async start(): Promise<void> {
    try {
      await this.#listen();
    } catch (error) {
      throw databaseError(error);
    }
  }

  async #listen(): Promise<void> {
    const first = Promise.withResolvers<void>();
    first.promise.catch(() => undefined);
    const listening = await this.#sql.listen(
      channel,
      (payload) => this.#onNotification(payload),
      () => void this.#catchUp().then(first.resolve, first.reject),
    );
    this.#stop = () => listening.unlisten();
    await first.promise;
  }

  async stop(): Promise<void> {
    // A lost connection no longer listens.
    await this.#stop?.().catch(() => undefined);
    this.#stop = undefined;
  }

  #onNotification(payload: string): void {
    try {
      const { topic, version, user } = JSON.parse(payload) as Change;
      this.#take({ topic, version, ...(typeof user === 'string' && { user }) });
    } catch (error) {
      this.#log.warn('Could not read a database notification.', { error });
    }
  }

  async #catchUp(): Promise<void> {
    try {
      const rows = await this.#sql<Row[]>`SELECT topic, version FROM tooltray.changes`;
      const isFirst = this.#isFirst;
      this.#isFirst = false;
      for (const { topic, version } of rows) this.#take({ topic, version: Number(version) }, isFirst);
    } catch (error) {
      this.#log.warn('Could not read missed changes from the database.', { error });
      if (this.#isFirst) throw error;
    }
  }

  #take(change: Change, isKnown = false): void {
    const known = this.#versions.get(change.topic) ?? 0;
    if (change.version <= known) return;
    this.#versions.set(change.topic, change.version);
    const { user: _user, ...forAll } = change;
    // An intermediate change was missed.
    if (!isKnown) this.changed.emit(change.version === known + 1 ? change : forAll);
  }
}
