/** Facts about a table column: type, range, most frequent values, and distribution. Pure. */
import { count } from '../../../lib/format.ts';
import { isRecord } from '../../../lib/record.ts';
import { cellText, type TableRows } from './find-rows.ts';
import { SpelledNumber } from '../spelled-json.ts';

export type ColumnType = 'number' | 'date' | 'boolean' | 'text' | 'nested';

export interface ColumnFacts {
  readonly name: string;
  readonly type: ColumnType;
  /** For numbers and dates (ms since 1970). */
  readonly min: number;
  readonly max: number;
  /** Number of distinct values; not counted beyond `maxDifferent`. */
  readonly different: number;
  /** Most frequent first; empty if there are too many to choose from. */
  readonly values: readonly { readonly text: string; readonly count: number }[];
  /** Number of rows in each part of the range. */
  readonly bins: readonly number[];
}

const binCount = 12;
export const maxDifferent = 1_000;
/** More distinct values are not offered as choices. */
const maxChoices = 12;

export function columnFacts({ rows }: Pick<TableRows, 'rows'>, name: string): ColumnFacts {
  const type = typeOf(rows, name);
  const counts = new Map<string, number>();
  let [min, max] = [Infinity, -Infinity];
  for (const row of rows) {
    const value = isRecord(row) ? row[name] : undefined;
    if (value === undefined || value === null) continue;
    const amount = amountOf(value, type);
    if (amount < min) min = amount;
    if (amount > max) max = amount;
    if (type === 'nested') continue;
    const text = cellText(row, name);
    if (counts.size < maxDifferent || counts.has(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const isRange = (type === 'number' || type === 'date') && max > min;
  const values = [...counts].map(([text, count]) => ({ text, count })).toSorted((a, b) => b.count - a.count);
  const isChoice = values.length <= maxChoices && values.length < rows.length && type !== 'date';
  return {
    name,
    type,
    min,
    max,
    different: counts.size,
    values: isChoice ? values : [],
    bins: isRange ? binsOf(rows, name, { type, min, max }) : values.slice(0, binCount).map(({ count }) => count),
  };
}

/** Type of the existing values; text if there are several types. */
function typeOf(rows: readonly unknown[], name: string): ColumnType {
  let type: ColumnType | undefined;
  for (const row of rows.slice(0, 500)) {
    const value = isRecord(row) ? row[name] : undefined;
    if (value === undefined || value === null) continue;
    const own = kindOf(value);
    if (type !== undefined && type !== own) return type === 'nested' || own === 'nested' ? 'nested' : 'text';
    type = own;
  }
  return type ?? 'text';
}

function kindOf(value: unknown): ColumnType {
  if (typeof value === 'number' || value instanceof SpelledNumber) return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'object') return 'nested';
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/.test(value) ? 'date' : 'text';
}

/** NaN for values without a position in a range. */
export function amountOf(value: unknown, type: ColumnType): number {
  if (type === 'number') return value instanceof SpelledNumber ? Number(value.text) : Number(value);
  return type === 'date' ? Date.parse(String(value)) : Number.NaN;
}

function binsOf(
  rows: readonly unknown[],
  name: string,
  { type, min, max }: { readonly type: ColumnType; readonly min: number; readonly max: number },
): readonly number[] {
  const bins = Array.from({ length: binCount }, () => 0);
  for (const row of rows) {
    const value = isRecord(row) ? row[name] : undefined;
    if (value === undefined || value === null) continue;
    const at = Math.min(binCount - 1, Math.floor(((amountOf(value, type) - min) / (max - min)) * binCount));
    if (at >= 0) bins[at] = (bins[at] ?? 0) + 1;
  }
  return bins;
}

/** `1 – 6`, `Sep 21 – Nov 3`, `4 values`, `4,207 different`. */
export function factsInWords({ type, min, max, different, values }: ColumnFacts): string {
  if (type === 'nested') return 'nested';
  if (type === 'number' && Number.isFinite(min)) return `${number(min)} – ${number(max)}`;
  if (type === 'date' && Number.isFinite(min)) return `${day(min)} – ${day(max)}`;
  if (values.length > 0) return count(values.length, 'value');
  return `${different.toLocaleString('en')}${different >= maxDifferent ? '+' : ''} different`;
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

function day(at: number): string {
  return new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
