/** Finds the rows of a table in a value: a list of objects at the top or one level below. Pure. */
import { isRecord } from '../../../lib/record.ts';
import { gist, valueText } from '../json-tree.ts';
import { SpelledNumber } from '../spelled-json.ts';

export interface TableRows {
  /** Where they are, such as `issues`; empty for the value itself. */
  readonly name: string;
  /** Path to them from the top. */
  readonly path: readonly string[];
  readonly columns: readonly TableColumn[];
  readonly rows: readonly unknown[];
}

export interface TableColumn {
  readonly name: string;
  /** Suggested width in characters. */
  readonly width: number;
  /** Fraction digits of its numbers, at most `maxDecimals`; 0 if it has none. */
  readonly decimals: number;
}

const [narrowest, widest] = [6, 40];
/** Rows examined for columns, and maximum number of columns. */
const looksAt = 200;
const maxColumns = 30;
const maxCellLength = 300;
/** Longer fractions are shown as they are. */
const maxDecimals = 6;

export function findRows(value: unknown): TableRows | undefined {
  const lists: (readonly [readonly string[], unknown])[] = isRecord(value)
    ? Object.entries(value).flatMap(([name, child]) => [
        [[name], child] as const,
        ...(isRecord(child) ? Object.entries(child).map(([inner, list]) => [[name, inner], list] as const) : []),
      ])
    : [[[], value]];
  const [found] = lists
    .filter(
      (entry): entry is readonly [readonly string[], readonly unknown[]] =>
        Array.isArray(entry[1]) && isTable(entry[1]),
    )
    .toSorted(([, a], [, b]) => b.length - a.length);
  return found && { name: found[0].at(-1) ?? '', path: found[0], columns: columnsOf(found[1]), rows: found[1] };
}

/** Text of a cell; nested values are summarized. */
export function cellText(row: unknown, column: string): string {
  if (!isRecord(row) || !Object.hasOwn(row, column)) return '';
  const value = row[column];
  if (typeof value === 'string') return value.slice(0, maxCellLength);
  const isGroup = typeof value === 'object' && value !== null && !(value instanceof SpelledNumber);
  return (isGroup ? gist(value) : valueText(value)).slice(0, maxCellLength);
}

function isTable(list: readonly unknown[]): boolean {
  return list.length > 0 && list.slice(0, looksAt).every(isRecord);
}

function columnsOf(rows: readonly unknown[]): TableColumn[] {
  const seen = rows.slice(0, looksAt);
  const names = [...new Set(seen.flatMap((row) => Object.keys(row as object)))].slice(0, maxColumns);
  return names.map((name) => columnOf(name, seen));
}

/** `rows`: those examined. */
export function columnOf(name: string, rows: readonly unknown[]): TableColumn {
  const examined = rows.slice(0, looksAt);
  const decimals = Math.max(0, ...examined.map((row) => decimalsOf(row, name)));
  const lengths = [name.length, ...examined.map((row) => numberText(row, name, decimals).length)];
  return { name, width: Math.min(widest, Math.max(narrowest, ...lengths)), decimals };
}

/** Text of a cell with a number: digits line up in a column, because all numbers have as many decimals. */
export function numberText(row: unknown, column: string, decimals: number): string {
  const text = cellText(row, column);
  if (decimals === 0 || !isPlainNumber(row, column, text)) return text;
  const [, fraction = ''] = text.split('.');
  return `${text}${fraction === '' ? '.' : ''}${'0'.repeat(Math.max(0, decimals - fraction.length))}`;
}

function decimalsOf(row: unknown, column: string): number {
  const text = cellText(row, column);
  const fraction = isPlainNumber(row, column, text) ? (text.split('.')[1] ?? '') : '';
  return fraction.length > maxDecimals ? 0 : fraction.length;
}

function isPlainNumber(row: unknown, column: string, text: string): boolean {
  const value = isRecord(row) ? row[column] : undefined;
  return (typeof value === 'number' || value instanceof SpelledNumber) && /^-?\d+(?:\.\d+)?$/.test(text);
}
