/** A call record as the values of one row: masked, bounded, and of the types the table wants. */
import type { Masker } from '../base/mask-secrets.ts';
import type { CallRecord } from './call-record.ts';

export type CallRow = readonly (string | number | null)[];

interface Column {
  readonly name: keyof CallRecord;
  readonly kind: 'text' | 'integer' | 'real';
  /** May be missing. */
  readonly optional?: true;
}

export const columns: readonly Column[] = [
  { name: 'startedAt', kind: 'integer' },
  { name: 'sessionId', kind: 'text' },
  { name: 'app', kind: 'text' },
  { name: 'mode', kind: 'text' },
  { name: 'server', kind: 'text' },
  { name: 'tool', kind: 'text' },
  { name: 'via', kind: 'text', optional: true },
  { name: 'durationMs', kind: 'real' },
  { name: 'resolveMs', kind: 'real' },
  { name: 'allowMs', kind: 'real' },
  { name: 'callMs', kind: 'real' },
  { name: 'shapeMs', kind: 'real' },
  { name: 'argumentBytes', kind: 'integer' },
  { name: 'resultBytes', kind: 'integer' },
  { name: 'givenBytes', kind: 'integer' },
  { name: 'tokensIn', kind: 'integer', optional: true },
  { name: 'tokensOut', kind: 'integer', optional: true },
  { name: 'outcome', kind: 'text' },
  { name: 'errorCode', kind: 'text', optional: true },
  { name: 'errorText', kind: 'text', optional: true },
  { name: 'why', kind: 'text', optional: true },
  { name: 'spillId', kind: 'text', optional: true },
  { name: 'sensitivity', kind: 'text', optional: true },
];

/** Longest texts kept, in characters: a name, and what an error said. */
const longestName = 300;
const longestError = 2000;

/** Texts come from models and servers: they may hold a secret, be endless, or hold half a surrogate pair. */
export function toRow(call: CallRecord, masker: Pick<Masker, 'maskText'>): CallRow {
  return columns.map(({ name, kind, optional }) => {
    const value = call[name];
    if (value === undefined && optional) return null;
    if (kind === 'text') {
      return masker
        .maskText(String(value ?? ''))
        .slice(0, name === 'errorText' ? longestError : longestName)
        .toWellFormed();
    }
    const amount = Number.isFinite(value) ? Number(value) : 0;
    return kind === 'integer' ? Math.round(amount) : amount;
  });
}

/** About how much room the row takes in the database, in bytes. */
export function rowBytes(row: CallRow): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 9), 0);
}
