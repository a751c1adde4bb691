/**
 * Writes replicas' activity rows to the team's database in batches. Rows are keyed by file and ID, so that repeated
 * writes are harmless.
 */
import type { Sql } from 'postgres';
import { databaseError } from '../database/database.ts';
import type { OutboxBatch, OutboxKind, SentRow } from './outbox.ts';

interface Column {
  /** Column in SQLite and in PostgreSQL. */
  readonly from: string;
  readonly to: string;
  readonly type: 'text' | 'bigint' | 'integer' | 'real';
}

/** Columns of one type. Their name here is that of SQLite in snake case, unless another one is given. */
function columns(type: Column['type'], ...names: (string | readonly [from: string, to: string])[]): Column[] {
  return names.map((name) => {
    const [from, to] = typeof name === 'string' ? [name, toSnakeCase(name)] : name;
    return { from, to, type };
  });
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface Table {
  readonly name: string;
  /** Column with the time in ms since 1970, which selects the partition. */
  readonly at: string;
  /** Columns of its key within its file, besides the time. */
  readonly key: readonly Column[];
  /** Columns set once. */
  readonly facts: readonly Column[];
  /** Columns set or changed later. */
  readonly figures: readonly Column[];
}

const session = ['sessionId', 'session'] as const;
const user = ['user', 'person'] as const;

const tables: Readonly<Record<OutboxKind, Table>> = {
  calls: {
    name: 'calls',
    at: 'startedAt',
    key: columns('bigint', 'id'),
    facts: [
      ...columns('text', user, session, 'app', 'mode', 'server', 'tool', 'via', 'reason', 'sensitivity', 'spillId'),
      ...columns('text', 'outcome', 'errorCode', 'errorText', 'preview'),
      ...columns('bigint', 'step', 'requestBytes', 'serverResultBytes', 'modelResultBytes'),
      ...columns('real', 'durationMs', 'callMs'),
    ],
    figures: [
      ...columns('bigint', 'requestTokens', 'serverResultTokens', 'modelResultTokens'),
      ...columns('integer', ['tokensEstimated', 'estimated']),
      ...columns('text', 'labels'),
    ],
  },
  steps: {
    name: 'steps',
    at: 'startedAt',
    key: columns('bigint', 'id'),
    facts: [
      ...columns('text', user, session, 'app', 'mode', 'kind', 'name', 'what', 'outcome', 'errorText'),
      ...columns('bigint', 'requestBytes', 'modelResultBytes'),
      ...columns('real', 'durationMs'),
      ...columns('integer', 'calls'),
    ],
    figures: columns('bigint', 'given', 'raw', 'baseline', 'loaded'),
  },
  ledgerHours: {
    name: 'savings',
    at: 'hour',
    key: columns('text', 'session', 'app', 'mode', 'server', 'tool', 'cause'),
    facts: columns('text', user),
    figures: columns('bigint', 'times', 'sent', 'loaded', 'baseline', 'raw', 'estimated'),
  },
};

export class ActivityRows {
  readonly #sql: Sql;
  readonly #replica: string;

  /** `replica`: its display name. */
  constructor(sql: Sql, replica: string) {
    this.#sql = sql;
    this.#replica = replica;
  }

  /**
   * All or none. Rejects with AppError `store_unreachable` (the rows may have been written nevertheless), or with
   * PostgreSQL's error.
   */
  async put({ kind, book, rows }: OutboxBatch): Promise<void> {
    if (rows.length === 0) return;
    const { name, at, key, facts, figures } = tables[kind];
    const written = [...columns('bigint', [at, 'at']), ...key, ...facts, ...figures];
    const lists = written.map(({ from, type }) => rows.map((row) => valueOf(row[from], type)));
    const named = written.map(({ to }) => to).slice(1);
    const unnested = written.map(({ type }, index) => `$${index + 3}::${type}[]`);
    await this.#sql
      .unsafe(
        `INSERT INTO tooltray.${name} (book, replica, written, ${named.join(', ')})
        SELECT $1, $2, timestamptz 'epoch' + at * interval '1 millisecond', ${named.join(', ')}
        FROM unnest(${unnested.join(', ')}) AS sent (at, ${named.join(', ')})
        ON CONFLICT (written, book, ${key.map(({ to }) => to).join(', ')})
        DO UPDATE SET ${figures.map(({ to }) => `${to} = excluded.${to}`).join(', ')}`,
        [book, this.#replica, ...lists] as never[],
        { prepare: true },
      )
      .catch((error: unknown) => {
        throw databaseError(error);
      });
  }
}

/** PostgreSQL's texts cannot contain NUL, which server names and model text may. */
function valueOf(value: SentRow[string] | undefined, type: Column['type']): string | null {
  if (value === null || value === undefined) return null;
  if (type === 'text') return String(value).replaceAll('\0', '\ufffd');
  return type === 'real' ? String(Number(value)) : String(Math.round(Number(value)));
}
