/**
 * Rows of replicas' records in the team's database: written many at a time, each once under the name of its book and
 * its id, however often it is sent.
 */
import type { Sql } from 'postgres';
import { databaseError } from '../database/database.ts';
import type { OutboxBatch, OutboxKind, SentRow } from './outbox.ts';

interface Column {
  /** In SQLite, and here. */
  readonly from: string;
  readonly to: string;
  readonly type: 'text' | 'bigint' | 'integer' | 'real';
}

const text = (from: string, to = from): Column => ({ from, to, type: 'text' });
const bigint = (from: string, to = from): Column => ({ from, to, type: 'bigint' });
const integer = (from: string, to = from): Column => ({ from, to, type: 'integer' });
const real = (from: string, to = from): Column => ({ from, to, type: 'real' });

interface Table {
  readonly name: string;
  /** When it was, in ms since 1970: names its part. */
  readonly at: string;
  /** Its name in its book, beside when it was. */
  readonly key: readonly Column[];
  /** Known from the beginning. */
  readonly facts: readonly Column[];
  /** Known later, or more than once. */
  readonly figures: readonly Column[];
}

const tables: Readonly<Record<OutboxKind, Table>> = {
  calls: {
    name: 'calls',
    at: 'startedAt',
    key: [bigint('id')],
    facts: [
      ...[
        text('user', 'person'),
        text('sessionId', 'session'),
        text('app'),
        text('mode'),
        text('server'),
        text('tool'),
      ],
      ...[
        text('via'),
        text('reason'),
        text('sensitivity'),
        text('spillId', 'spill_id'),
        bigint('step'),
        text('outcome'),
      ],
      ...[text('errorCode', 'error_code'), text('errorText', 'error_text'), real('durationMs', 'duration_ms')],
      ...[
        real('callMs', 'call_ms'),
        bigint('requestBytes', 'request_bytes'),
        bigint('serverResultBytes', 'server_result_bytes'),
      ],
      bigint('modelResultBytes', 'model_result_bytes'),
      text('preview'),
    ],
    figures: [
      ...[
        bigint('requestTokens', 'request_tokens'),
        bigint('serverResultTokens', 'server_result_tokens'),
        bigint('modelResultTokens', 'model_result_tokens'),
      ],
      ...[integer('tokensEstimated', 'estimated'), text('labels')],
    ],
  },
  steps: {
    name: 'steps',
    at: 'startedAt',
    key: [bigint('id')],
    facts: [
      ...[text('user', 'person'), text('sessionId', 'session'), text('app'), text('mode'), text('kind'), text('name')],
      ...[text('what'), real('durationMs', 'duration_ms'), bigint('requestBytes', 'request_bytes')],
      ...[
        bigint('modelResultBytes', 'model_result_bytes'),
        integer('calls'),
        text('outcome'),
        text('errorText', 'error_text'),
      ],
    ],
    figures: [bigint('given'), bigint('raw'), bigint('baseline'), bigint('loaded')],
  },
  ledgerHours: {
    name: 'savings',
    at: 'hour',
    key: [text('session'), text('app'), text('mode'), text('server'), text('tool'), text('cause')],
    facts: [text('user', 'person')],
    figures: [
      ...[bigint('times'), bigint('sent'), bigint('loaded'), bigint('baseline'), bigint('raw'), bigint('estimated')],
    ],
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
   * All or none. Rejects with AppError `store_unreachable` (then they may stand there all the same), or with what
   * PostgreSQL refuses.
   */
  async put({ kind, book, rows }: OutboxBatch): Promise<void> {
    if (rows.length === 0) return;
    const { name, at, key, facts, figures } = tables[kind];
    const columns = [bigint(at, 'at'), ...key, ...facts, ...figures];
    const lists = columns.map(({ from, type }) => rows.map((row) => valueOf(row[from], type)));
    const named = columns.map(({ to }) => to).slice(1);
    const unnested = columns.map(({ type }, index) => `$${index + 3}::${type}[]`);
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

/** PostgreSQL's texts hold no zero, which names of servers and words of models may. */
function valueOf(value: SentRow[string] | undefined, type: Column['type']): string | null {
  if (value === null || value === undefined) return null;
  if (type === 'text') return String(value).replaceAll('\0', '\ufffd');
  return type === 'real' ? String(Number(value)) : String(Math.round(Number(value)));
}
