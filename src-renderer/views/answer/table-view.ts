/** The rows of a table as a person wants them: those with a text in them, in the order of a column, as a file. Pure. */
import { csvText } from '../../lib/csv.ts';
import { isRecord } from '../../lib/record.ts';
import { cellText, type TableRows } from './find-rows.ts';
import { spellJson, SpelledNumber } from './spelled-json.ts';

export interface TableOrder {
  readonly column: string;
  readonly isDown: boolean;
}

/** Numbers of the rows that are shown, in order. */
export function shownRows(
  { rows, columns }: TableRows,
  filter: string,
  order: TableOrder | undefined,
): readonly number[] {
  const wanted = filter.trim().toLowerCase();
  const fits = (row: unknown): boolean =>
    wanted === '' || columns.some(({ name }) => cellText(row, name).toLowerCase().includes(wanted));
  const shown = rows.flatMap((row, index) => (fits(row) ? [index] : []));
  if (order === undefined) return shown;
  const keys = new Map(shown.map((index) => [index, sortKey(rows[index], order.column)]));
  const sign = order.isDown ? -1 : 1;
  return shown.toSorted((a, b) => compare(keys.get(a), keys.get(b), sign) || a - b);
}

/** Up, down, as it came. */
export function nextOrder(order: TableOrder | undefined, column: string): TableOrder | undefined {
  if (order?.column !== column) return { column, isDown: false };
  return order.isDown ? undefined : { column, isDown: true };
}

/** Whole values, not what fits a cell on screen. */
export function tableCsv({ rows, columns }: TableRows, shown: readonly number[]): string {
  const names = columns.map(({ name }) => name);
  return csvText([names, ...shown.map((index) => names.map((name) => csvValue(rows[index], name)))]);
}

export function tableJson({ rows }: TableRows, shown: readonly number[]): string {
  const picked = shown.map((index) => rows[index]);
  return `${spellJson(picked, 2)}\n`;
}

type SortKey = number | string | undefined;

/** What is missing comes last either way. */
function compare(a: SortKey, b: SortKey, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
}

function sortKey(row: unknown, column: string): SortKey {
  const value = isRecord(row) ? row[column] : undefined;
  if (value === undefined || value === null) return undefined;
  if (value instanceof SpelledNumber) return Number(value.text);
  return typeof value === 'number' ? value : cellText(row, column);
}

function csvValue(row: unknown, column: string): string | number | boolean | undefined {
  const value = isRecord(row) ? row[column] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value instanceof SpelledNumber ? value.text : spellJson(value);
}
