/**
 * Tracks which rows of a replica's own activity log have not reached the team's database. SQLite triggers record them
 * in the same file, so the outbox survives a restart and has the same size limit. A row that changes while being sent
 * is sent again.
 */
import { randomBytes } from 'node:crypto';
import type { SQLOutputValue } from 'node:sqlite';
import type { ActivityLog, SqlStatement } from '../../core/edition.ts';

export type SentRow = Readonly<Record<string, SQLOutputValue>>;

export const outboxKinds = ['calls', 'steps', 'ledgerHours'] as const;
export type OutboxKind = (typeof outboxKinds)[number];

/** Rows of one table; one batch is sent at a time. */
export interface OutboxBatch {
  readonly kind: OutboxKind;
  /** Identifies the file, because IDs restart in a new one. */
  readonly book: string;
  readonly rows: readonly SentRow[];
}

const ledgerKey = ['hour', 'session', 'app', 'mode', 'server', 'tool', 'cause'] as const;

/** Time in ms that a row waits for its token counts, because sending it twice costs twice. */
const countMs = 3000;

function keyOf(kind: OutboxKind): readonly string[] {
  return kind === 'ledgerHours' ? ledgerKey : ['id'];
}

/** Condition for rows that are due. */
const readySql: Readonly<Record<OutboxKind, string>> = {
  calls: '(r.modelResultTokens IS NOT NULL OR r.startedAt + r.durationMs < ?)',
  steps: '(r.given IS NOT NULL OR r.startedAt + r.durationMs < ?)',
  ledgerHours: '? > 0',
};

export class Outbox {
  readonly #record: Pick<ActivityLog, 'ask'>;

  constructor(record: Pick<ActivityLog, 'ask'>) {
    this.#record = record;
  }

  /** Returns at most `most` rows that are due, marked as being sent. `isLast`: all rows. */
  async take(kind: OutboxKind, most: number, now: number, isLast = false): Promise<OutboxBatch> {
    const [key, box] = [keyOf(kind), outboxTableOf(kind)];
    const same = key.map((name) => `o.${name} = r.${name}`).join(' AND ');
    const labels = kind === 'calls' ? ', (SELECT labels FROM callLabels l WHERE l.id = r.id) AS labels' : '';
    const results = await this.#run(
      { sql: `UPDATE ${box} SET isSent = 0 WHERE isSent = 1` },
      {
        sql: `UPDATE ${box} SET isSent = 1 WHERE (${key.join(', ')}) IN (SELECT ${key.map((name) => `o.${name}`).join(', ')}
          FROM ${box} o JOIN ${kind} r ON ${same} WHERE ${readySql[kind]} ORDER BY o.${key[0]} LIMIT ?)`,
        values: [isLast ? Number.MAX_SAFE_INTEGER : now - countMs, most],
      },
      { sql: 'SELECT book FROM outbox' },
      { sql: `SELECT r.*${labels} FROM ${box} o JOIN ${kind} r ON ${same} WHERE o.isSent = 1 ORDER BY o.${key[0]}` },
    );
    const [book = [], rows = []] = results.slice(-2);
    return { kind, book: String(book[0]?.['book']), rows };
  }

  /** The batch was stored: rows that did not change meanwhile are not sent again. */
  async acknowledge({ kind, book }: OutboxBatch): Promise<void> {
    const box = outboxTableOf(kind);
    const sql = `DELETE FROM ${box} WHERE isSent = 1 AND EXISTS (SELECT 1 FROM outbox WHERE book = ?)`;
    await this.#run({ sql, values: [book] });
  }

  /** Number of pending rows. */
  async pendingCount(): Promise<number> {
    const counts = outboxKinds.map((kind) => `(SELECT count(*) FROM ${outboxTableOf(kind)})`).join(' + ');
    const results = await this.#run({ sql: `SELECT ${counts} AS waiting` });
    return Number(results.at(-1)?.[0]?.['waiting'] ?? 0);
  }

  /** Number of rows deleted for lack of space before they were sent, since the last call. */
  async takeDropped(): Promise<number> {
    const results = await this.#run(
      { sql: 'SELECT dropped FROM outbox' },
      { sql: 'UPDATE outbox SET dropped = 0 WHERE dropped > 0' },
    );
    return Number(results.at(-2)?.[0]?.['dropped'] ?? 0);
  }

  /** In one transaction; the tables are created first, since a new file may have replaced a damaged one. */
  #run(...statements: readonly SqlStatement[]): Promise<readonly (readonly SentRow[])[]> {
    return this.#record.ask('sql', [...outboxSchema(), ...statements]);
  }
}

function outboxTableOf(kind: OutboxKind): string {
  return `outbox_${kind}`;
}

/** Existing rows are sent too, because they belong to this replica. */
function outboxSchema(): readonly SqlStatement[] {
  return [
    { sql: 'CREATE TABLE IF NOT EXISTS outbox (book TEXT NOT NULL, dropped INTEGER NOT NULL) STRICT' },
    ...outboxKinds.flatMap((kind) => tableSchema(kind).map((sql) => ({ sql }))),
    {
      sql: 'INSERT INTO outbox SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM outbox)',
      values: [randomBytes(9).toString('base64url')],
    },
  ];
}

function tableSchema(kind: OutboxKind): readonly string[] {
  const key = keyOf(kind);
  const box = outboxTableOf(kind);
  const [names, values] = [key.join(', '), key.map((name) => `new.${name}`).join(', ')];
  const old = key.map((name) => `${name} = old.${name}`).join(' AND ');
  const columns = key.map((name) => `${name} ${name === 'hour' || name === 'id' ? 'INTEGER' : 'TEXT'} NOT NULL`);
  const note = `INSERT INTO ${box} (${names}, isSent) VALUES (${values}, 0) ON CONFLICT (${names}) DO UPDATE SET isSent = 0`;
  return [
    `CREATE TABLE IF NOT EXISTS ${box} (${columns.join(', ')}, isSent INTEGER NOT NULL, PRIMARY KEY (${names})) STRICT, WITHOUT ROWID`,
    `INSERT INTO ${box} (${names}, isSent) SELECT ${names}, 0 FROM ${kind} WHERE NOT EXISTS (SELECT 1 FROM outbox)`,
    `CREATE TRIGGER IF NOT EXISTS ${box}_added AFTER INSERT ON ${kind} BEGIN ${note}; END`,
    `CREATE TRIGGER IF NOT EXISTS ${box}_changed AFTER UPDATE ON ${kind} BEGIN ${note}; END`,
    `CREATE TRIGGER IF NOT EXISTS ${box}_gone AFTER DELETE ON ${kind} BEGIN
      UPDATE outbox SET dropped = dropped + (SELECT count(*) FROM ${box} WHERE ${old});
      DELETE FROM ${box} WHERE ${old};
    END`,
  ];
}
