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
}

const [narrowest, widest] = [6, 40];
/** Rows examined for columns, and maximum number of columns. */
const looksAt = 200;
const maxColumns = 30;
const maxCellLength = 300;

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
  return names.map((name) => {
    const lengths = [name.length, ...seen.map((row) => cellText(row, name).length)];
    return { name, width: Math.min(widest, Math.max(narrowest, ...lengths)) };
  });
}
