/** The table of calls: inserts, token counts, and whole records. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { prepareCached } from '../../base/private-database.ts';
import type { CallTokens } from '../activity-messages.ts';
import {
  type ActivityEntry,
  type CallOutcome,
  type CallRow,
  columns,
  type PayloadDropReason,
  type SparseFields,
  type UnspilledReason,
} from '../call-record.ts';

const columnNames = columns.map(({ name }) => name);
const insertSql = `INSERT INTO calls (${columnNames.join(', ')}) VALUES (${columnNames.map(() => '?').join(', ')})`;

/** Inserts the row and its sparse fields, and returns its id. */
export function insertCall(database: DatabaseSync, row: CallRow, sparse: SparseFields): number {
  const { dropReason, unspilled, repeats } = sparse;
  const id = Number(prepareCached(database, insertSql).run(...row).lastInsertRowid);
  if (dropReason !== undefined)
    prepareCached(database, 'INSERT OR REPLACE INTO callPayloadDrops VALUES (?, ?)').run(id, dropReason);
  if (unspilled !== undefined) {
    const insert = prepareCached(database, 'INSERT OR REPLACE INTO callUnspilled VALUES (?, ?, ?)');
    insert.run(id, unspilled.reason, unspilled.limitBytes ?? null);
  }
  if (repeats !== undefined)
    prepareCached(database, 'INSERT OR REPLACE INTO callRepeats VALUES (?, ?)').run(id, repeats);
  return id;
}

/** Fills in token counts; those of a record deleted meanwhile are dropped. */
export function updateTokens(database: DatabaseSync, id: number, counts: CallTokens): void {
  const { request, serverResult, modelResult, estimated } = counts;
  prepareCached(
    database,
    'UPDATE calls SET requestTokens = ?, serverResultTokens = ?, modelResultTokens = ?, tokensEstimated = ? WHERE id = ?',
  ).run(request, serverResult, modelResult, Number(estimated), id);
}

/** Fills in the labels of a result; those of a record deleted meanwhile are dropped. */
export function updateLabels(database: DatabaseSync, id: number, labels: string): void {
  prepareCached(database, 'INSERT OR REPLACE INTO callLabels SELECT id, ? FROM calls WHERE id = ?').run(labels, id);
}

/** Deletes the oldest records beyond `maxRows`, and what belongs to deleted records. */
export function trimCalls(database: DatabaseSync, maxRows: number): void {
  prepareCached(database, 'DELETE FROM calls WHERE id <= (SELECT max(id) FROM calls) - ?').run(maxRows);
  for (const table of ['callPayloadDrops', 'callUnspilled', 'callRepeats', 'callLabels'])
    prepareCached(database, `DELETE FROM ${table} WHERE id < (SELECT min(id) FROM calls)`).run();
}

/** Selects complete records; conditions follow. */
export const selectCalls = `SELECT *, (SELECT labels FROM callLabels WHERE callLabels.id = calls.id) AS labels,
  (SELECT reason FROM callPayloadDrops WHERE callPayloadDrops.id = calls.id) AS dropReason,
  (SELECT reason FROM callUnspilled WHERE callUnspilled.id = calls.id) AS unspilled,
  (SELECT limitBytes FROM callUnspilled WHERE callUnspilled.id = calls.id) AS limitBytes,
  (SELECT repeats FROM callRepeats WHERE callRepeats.id = calls.id) AS repeats FROM calls`;

/** Newest first. */
export function recentCalls(database: DatabaseSync, limit: number): ActivityEntry[] {
  return database.prepare(`${selectCalls} ORDER BY id DESC LIMIT ?`).all(limit).map(toEntry);
}

export function toEntry(row: Record<string, SQLOutputValue>): ActivityEntry {
  const text = (name: string): string => String(row[name]);
  const number = (name: string): number => Number(row[name]);
  const has = (name: string): boolean => (row[name] ?? null) !== null;
  const textIf = (name: string): string | undefined => (has(name) ? text(name) : undefined);
  const numberIf = (name: string): number | undefined => (has(name) ? number(name) : undefined);
  return {
    id: number('id'),
    startedAt: number('startedAt'),
    sessionId: text('sessionId'),
    user: textIf('user'),
    app: text('app'),
    mode: text('mode'),
    server: text('server'),
    tool: text('tool'),
    via: textIf('via'),
    declared: { reason: textIf('reason'), sensitivity: textIf('sensitivity') },
    preview: textIf('preview'),
    spillId: textIf('spillId'),
    unspilled: has('unspilled')
      ? { reason: text('unspilled') as UnspilledReason, limitBytes: numberIf('limitBytes') }
      : undefined,
    repeats: numberIf('repeats'),
    durationMs: number('durationMs'),
    stages: {
      resolve: number('resolveMs'),
      allow: number('allowMs'),
      call: number('callMs'),
      shape: number('shapeMs'),
    },
    bytes: {
      request: number('requestBytes'),
      serverResult: number('serverResultBytes'),
      modelResult: number('modelResultBytes'),
    },
    tokens: {
      request: numberIf('requestTokens'),
      serverResult: numberIf('serverResultTokens'),
      modelResult: numberIf('modelResultTokens'),
      estimated: number('tokensEstimated') === 1,
    },
    outcome: text('outcome') as CallOutcome,
    error: has('errorText') ? { code: text('errorCode'), text: text('errorText') } : undefined,
    step: numberIf('step'),
    labels: textIf('labels'),
    dropReason: textIf('dropReason') as PayloadDropReason | undefined,
  };
}
