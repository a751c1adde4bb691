/**
 * Tracks which rows of a replica's own record have not reached the team's database. SQLite triggers note the rows in
 * the record itself, so the outbox survives the replica and has the same bounds. A row that changes on its way (its
 * tokens were counted) is sent again.
 */
import { randomBytes } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { runInTransaction } from '../../core/base/private-database.ts';

export type SentRow = Readonly<Record<string, SQLOutputValue>>;

export const outboxKinds = ['calls', 'steps', 'ledgerHours'] as const;
export type OutboxKind = (typeof outboxKinds)[number];

/** Some rows of one table, of which one lot at a time is on its way. */
export interface OutboxBatch {
  readonly kind: OutboxKind;
  /** Names the file that the ids are of; ids begin anew in another one. */
  readonly book: string;
  readonly rows: readonly SentRow[];
}

const ledgerKey = ['hour', 'session', 'app', 'mode', 'server', 'tool', 'cause'] as const;

/** A row waits this long, in ms, for its tokens to be counted: one that goes twice costs twice. */
const countMs = 3000;

function keyOf(kind: OutboxKind): readonly string[] {
  return kind === 'ledgerHours' ? ledgerKey : ['id'];
}

/** Which rows go now. */
const readySql: Readonly<Record<OutboxKind, string>> = {
  calls: '(r.tokensOut IS NOT NULL OR r.startedAt + r.durationMs < ?)',
  steps: '(r.given IS NOT NULL OR r.startedAt + r.durationMs < ?)',
  ledgerHours: '? > 0',
};

export class Outbox {
  /** Files that have what is needed; another one takes the place of a broken one. */
  readonly #ready = new WeakSet<DatabaseSync>();

  /** So many at the most that are due, noted as on their way. `isLast`: whatever is there. */
  take(database: DatabaseSync, kind: OutboxKind, most: number, now: number, isLast = false): OutboxBatch {
    this.#prepare(database);
    const key = keyOf(kind);
    const same = key.map((name) => `o.${name} = r.${name}`).join(' AND ');
    return runInTransaction(database, () => {
      database.exec(`UPDATE ${outboxTableOf(kind)} SET isSent = 0 WHERE isSent = 1`);
      const rows = database
        .prepare(
          `SELECT r.*${kind === 'calls' ? ', (SELECT labels FROM callLabels l WHERE l.id = r.id) AS labels' : ''}
          FROM ${outboxTableOf(kind)} o JOIN ${kind} r ON ${same} WHERE ${readySql[kind]} ORDER BY o.${key[0]} LIMIT ?`,
        )
        .all(isLast ? Number.MAX_SAFE_INTEGER : now - countMs, most);
      const mark = database.prepare(
        `UPDATE ${outboxTableOf(kind)} SET isSent = 1 WHERE ${key.map((name) => `${name} = ?`).join(' AND ')}`,
      );
      for (const row of rows) mark.run(...key.map((name) => row[name] ?? null));
      return { kind, book: tableNameOf(database), rows };
    });
  }

  /** The lot has arrived: what of it did not change meanwhile goes no more. */
  acknowledge(database: DatabaseSync, { kind, book }: OutboxBatch): void {
    this.#prepare(database);
    if (tableNameOf(database) === book) database.exec(`DELETE FROM ${outboxTableOf(kind)} WHERE isSent = 1`);
  }

  /** Rows that wait. */
  pendingCount(database: DatabaseSync): number {
    this.#prepare(database);
    const counts = outboxKinds.map((kind) => `(SELECT count(*) FROM ${outboxTableOf(kind)})`).join(' + ');
    return Number(database.prepare(`SELECT ${counts} AS waiting`).get()?.['waiting'] ?? 0);
  }

  /** Rows that the record had no more room for before they could go, since this was asked last. */
  takeDropped(database: DatabaseSync): number {
    this.#prepare(database);
    const dropped = Number(database.prepare('SELECT dropped FROM outbox').get()?.['dropped'] ?? 0);
    if (dropped > 0) database.exec('UPDATE outbox SET dropped = 0');
    return dropped;
  }

  #prepare(database: DatabaseSync): void {
    if (this.#ready.has(database)) return;
    runInTransaction(database, () => {
      const isThere = database.prepare("SELECT 1 AS is_there FROM sqlite_master WHERE name = 'outbox'").get();
      if (isThere !== undefined) return;
      database.exec('CREATE TABLE outbox (book TEXT NOT NULL, dropped INTEGER NOT NULL) STRICT');
      database.prepare('INSERT INTO outbox VALUES (?, 0)').run(randomBytes(9).toString('base64url'));
      for (const kind of outboxKinds) database.exec(outboxSchema(kind));
    });
    this.#ready.add(database);
  }
}

function tableNameOf(database: DatabaseSync): string {
  return String(database.prepare('SELECT book FROM outbox').get()?.['book']);
}

function outboxTableOf(kind: OutboxKind): string {
  return `outbox_${kind}`;
}

/** Rows that already exist are sent too: they belong to this replica. */
function outboxSchema(kind: OutboxKind): string {
  const key = keyOf(kind);
  const box = outboxTableOf(kind);
  const [names, values] = [key.join(', '), key.map((name) => `new.${name}`).join(', ')];
  const old = key.map((name) => `${name} = old.${name}`).join(' AND ');
  const columns = key.map((name) => `${name} ${name === 'hour' || name === 'id' ? 'INTEGER' : 'TEXT'} NOT NULL`);
  const note = `INSERT INTO ${box} (${names}, isSent) VALUES (${values}, 0) ON CONFLICT (${names}) DO UPDATE SET isSent = 0`;
  return `
    CREATE TABLE ${box} (${columns.join(', ')}, isSent INTEGER NOT NULL, PRIMARY KEY (${names})) STRICT, WITHOUT ROWID;
    INSERT INTO ${box} (${names}, isSent) SELECT ${names}, 0 FROM ${kind};
    CREATE TRIGGER ${box}_added AFTER INSERT ON ${kind} BEGIN ${note}; END;
    CREATE TRIGGER ${box}_changed AFTER UPDATE ON ${kind} BEGIN ${note}; END;
    CREATE TRIGGER ${box}_gone AFTER DELETE ON ${kind} BEGIN
      UPDATE outbox SET dropped = dropped + (SELECT count(*) FROM ${box} WHERE ${old});
      DELETE FROM ${box} WHERE ${old};
    END;
  `;
}
