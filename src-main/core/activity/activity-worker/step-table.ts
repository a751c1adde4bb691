/** The table of steps: inserts, token counts from the ledger, and the calls of each step. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Masker } from '../../base/mask.ts';
import { prepareCached } from '../../base/private-database.ts';
import type { ActivityEntry, CallOutcome } from '../call-record.ts';
import { selectCalls, toEntry } from './call-table.ts';
import { queryNumber } from './size-limit.ts';
import { maxPurposeLength, type StepKind, type StepRecord } from '../steps/step.ts';

/** Tokens of a step in the ledger; none if no model reads the app's results. */
export interface StepTokens {
  readonly id: number;
  /** Tokens sent to the app. */
  readonly given: number;
  /** Tokens of the servers' results for the step. */
  readonly raw: number;
  /** Tokens that the app would have loaded without Tooltray. */
  readonly baseline: number;
  /** Tokens that the app loaded, as compared with the baseline. */
  readonly loaded: number;
}

/** A step as read from the database. */
export interface StepRow extends StepRecord {
  /** Absent until the tokens were counted, or if no client reads them. */
  readonly given?: number | undefined;
  readonly raw?: number | undefined;
  readonly baseline?: number | undefined;
  readonly loaded?: number | undefined;
}

export const stepColumns = [
  ...['id', 'startedAt', 'sessionId', 'app', 'mode', 'kind', 'name', 'what', 'durationMs', 'requestBytes'],
  ...['modelResultBytes', 'calls', 'outcome', 'errorText', 'dropReason', 'user'],
] as const;
// Not OR IGNORE, because the triggers would then ignore errors as well.
const insertSql = `INSERT INTO steps (${stepColumns.join(', ')}) VALUES (${stepColumns.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`;
const maxErrorLength = 2000;

/** Throws the error of SQLite. An existing step stays unchanged. */
export function insertStep(database: DatabaseSync, values: StepValues): void {
  prepareCached(database, insertSql).run(...values);
}

/** Deletes the oldest steps beyond `maxRows`. */
export function trimSteps(database: DatabaseSync, maxRows: number): void {
  const surplus = queryNumber(database, 'SELECT count(*) AS n FROM steps') - maxRows;
  if (surplus <= 0) return;
  prepareCached(database, 'DELETE FROM steps WHERE id IN (SELECT id FROM steps ORDER BY id LIMIT ?)').run(surplus);
}

/** Drops counts of a step that has been deleted meanwhile. */
export function updateStepTokens(database: DatabaseSync, { id, given, raw, baseline, loaded }: StepTokens): void {
  prepareCached(database, 'UPDATE steps SET given = ?, raw = ?, baseline = ?, loaded = ? WHERE id = ?').run(
    given,
    raw,
    baseline,
    loaded,
    id,
  );
}

export function findStep(database: DatabaseSync, id: number): StepRow | undefined {
  const row = database.prepare('SELECT * FROM steps WHERE id = ?').get(id);
  return row === undefined ? undefined : toStep(row);
}

/** Returns calls by step, oldest first, at most `most` of each. */
export function callsOfSteps(
  database: DatabaseSync,
  steps: readonly number[],
  most: number,
): ReadonlyMap<number, readonly ActivityEntry[]> {
  const calls = database.prepare(`${selectCalls} WHERE step = ? ORDER BY id LIMIT ?`);
  return new Map(steps.map((step) => [step, calls.all(step, most).map(toEntry)]));
}

/** The values of `stepColumns`. */
export type StepValues = readonly (string | number | null)[];

/** Returns the values for `stepColumns`, masked and truncated. */
export function toValues(step: StepRecord, masker: Pick<Masker, 'maskText'>): StepValues {
  const text = (value: string, most: number): string => masker.maskText(value).slice(0, most).toWellFormed();
  const { id, startedAt, sessionId, app, mode, kind, name, what, durationMs, requestBytes } = step;
  const { modelResultBytes, calls, outcome, errorText, dropReason, user } = step;
  const said = [text(app, maxPurposeLength), mode, kind, text(name, maxPurposeLength), text(what, maxPurposeLength)];
  const error = errorText === undefined ? null : text(errorText, maxErrorLength);
  const measured = [durationMs, requestBytes, modelResultBytes, calls];
  return [id, Math.round(startedAt), sessionId, ...said, ...measured, outcome, error, dropReason ?? null, user ?? null];
}

export function toStep(row: Record<string, SQLOutputValue>): StepRow {
  const present = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  return present as unknown as StepRow & { readonly kind: StepKind; readonly outcome: CallOutcome };
}
