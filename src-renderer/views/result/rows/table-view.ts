/** The shown rows of a table: search, filters, sort order, and export. Pure. */
import { csvText } from '../../../lib/csv.ts';
import { isRecord } from '../../../lib/record.ts';
import { amountOf, type ColumnFacts } from './column-facts.ts';
import { cellText, type TableRows } from './find-rows.ts';
import { spellJson, SpelledNumber } from '../spelled-json.ts';

export interface TableOrder {
  readonly column: string;
  readonly isDown: boolean;
}

export interface TableWishes {
  readonly search: string;
  readonly order: TableOrder | undefined;
  /** By column: `text`, `!text`, `> 100`, `<= 5`, `10..20`. */
  readonly filters: Readonly<Record<string, string>>;
  /** By column: the selected values; an empty set selects all. */
  readonly chosen: Readonly<Record<string, ReadonlySet<string>>>;
  readonly facts: ReadonlyMap<string, ColumnFacts>;
}

type Test = (row: unknown) => boolean;

/** Numbers of the shown rows, in order. */
export function shownRows(
  { rows, columns }: TableRows,
  { search, order, filters, chosen, facts }: TableWishes,
): readonly number[] {
  const wanted = search.trim().toLowerCase();
  const tests: Test[] = [
    ...(wanted === ''
      ? []
      : [(row: unknown) => columns.some(({ name }) => cellText(row, name).toLowerCase().includes(wanted))]),
    ...Object.entries(filters).flatMap(([name, text]) => filterTest(name, text, facts.get(name)) ?? []),
    ...Object.entries(chosen)
      .filter(([, values]) => values.size > 0)
      .map(
        ([name, values]) =>
          (row: unknown) =>
            values.has(cellText(row, name)),
      ),
  ];
  const shown = rows.flatMap((row, index) => (tests.every((test) => test(row)) ? [index] : []));
  if (order === undefined) return shown;
  const keys = new Map(shown.map((index) => [index, sortKey(rows[index], order.column)]));
  const sign = order.isDown ? -1 : 1;
  return shown.toSorted((a, b) => compare(keys.get(a), keys.get(b), sign) || a - b);
}

/** undefined: the filter is empty or incomplete. */
function filterTest(name: string, text: string, facts: ColumnFacts | undefined): Test | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return undefined;
  const amount = (row: unknown): number =>
    amountOf(isRecord(row) ? row[name] : undefined, facts?.type === 'date' ? 'date' : 'number');
  const limit = (word: string): number => (facts?.type === 'date' ? Date.parse(word) : Number(word));
  const [, sign, bound = ''] = /^([<>]=?|=)\s*(\S.*)$/.exec(wanted) ?? [];
  if (sign !== undefined && !Number.isNaN(limit(bound))) {
    const value = limit(bound);
    return (row) => comparesAs(sign, amount(row), value);
  }
  const [, from = '', to = ''] = /^(\S+)\.\.(\S+)$/.exec(wanted) ?? [];
  if (from !== '' && !Number.isNaN(limit(from)) && !Number.isNaN(limit(to))) {
    return (row) => amount(row) >= limit(from) && amount(row) <= limit(to);
  }
  if (wanted.startsWith('!')) {
    const unwanted = wanted.slice(1);
    return unwanted === '' ? undefined : (row) => !cellText(row, name).toLowerCase().includes(unwanted);
  }
  return (row) => cellText(row, name).toLowerCase().includes(wanted);
}

function comparesAs(sign: string, value: number, bound: number): boolean {
  if (sign === '>') return value > bound;
  if (sign === '>=') return value >= bound;
  if (sign === '<') return value < bound;
  return sign === '<=' ? value <= bound : value === bound;
}

/** Ascending, descending, unsorted. */
export function nextOrder(order: TableOrder | undefined, column: string): TableOrder | undefined {
  if (order?.column !== column) return { column, isDown: false };
  return order.isDown ? undefined : { column, isDown: true };
}

/** Full values, not truncated as on screen. */
export function tableCsv({ rows, columns }: TableRows, shown: readonly number[]): string {
  const names = columns.map(({ name }) => name);
  return csvText([names, ...shown.map((index) => names.map((name) => csvValue(rows[index], name)))]);
}

export function tableJson({ rows }: TableRows, shown: readonly number[]): string {
  const picked = shown.map((index) => rows[index]);
  return `${spellJson(picked, 2)}\n`;
}

/** As NDJSON: one row per line. */
export function tableLines({ rows }: TableRows, shown: readonly number[]): string {
  return shown.map((index) => `${spellJson(rows[index])}\n`).join('');
}

type SortKey = number | string | undefined;

/** Missing values are always last. */
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
