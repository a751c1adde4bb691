/** Groups table rows by a column, with sums of numeric columns. Pure. */
import { isRecord } from '../../../lib/record.ts';
import { amountOf, type ColumnFacts } from './column-facts.ts';
import { cellText, columnOf, type TableRows } from './find-rows.ts';

/** As a table: the values, `count`, and `sum of …`; largest group first. */
export function groupRows(
  { rows }: TableRows,
  shown: readonly number[],
  by: string,
  facts: readonly ColumnFacts[],
): TableRows {
  const numeric = facts.filter(({ type, name }) => type === 'number' && name !== by).map(({ name }) => name);
  const groups = Map.groupBy(shown, (at) => cellText(rows[at], by));
  const grouped = [...groups].map(([text, own]) => ({
    [by]: text,
    count: own.length,
    ...Object.fromEntries(
      numeric.map((name) => [`sum of ${name}`, round(own.reduce((sum, at) => sum + valueAt(rows[at], name), 0))]),
    ),
  }));
  const sorted = grouped.toSorted((a, b) => b.count - a.count);
  return {
    name: `by ${by}`,
    path: [],
    rows: sorted,
    columns: [by, 'count', ...numeric.map((name) => `sum of ${name}`)].map((name) => columnOf(name, sorted)),
  };
}

function valueAt(row: unknown, name: string): number {
  const value = isRecord(row) ? row[name] : undefined;
  const amount = value === undefined || value === null ? 0 : amountOf(value, 'number');
  return Number.isFinite(amount) ? amount : 0;
}

/** Rounds sums of decimals to remove floating-point noise. */
function round(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}
