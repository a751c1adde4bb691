/** Lists the tables of a result for a notice, with an example statement that can be run unchanged. */
import { formatNumber, pluralize } from '../../base/text-format.ts';
import { type Cell, type Column, mainTable, type Table } from './value-tables.ts';

export interface TablesInWords {
  /** For example `rows(id, name, owner JSON), 1 204 rows`, one table per line. */
  readonly tables: readonly string[];
  readonly sqlExample: string;
}

const maxTables = 4;
const maxColumns = 15;
const maxNameLength = 40;
/** Number of rows examined to find a column to group by. */
const sampledRows = 200;
const maxGroups = 12;

export function describeTables([main, ...others]: readonly [Table, ...Table[]]): TablesInWords {
  const shown = [{ ...main, name: mainTable }, ...others.slice(0, maxTables - 1)].map(tableInWords);
  const left = others.length - (maxTables - 1);
  const tables = left > 0 ? [...shown, `and ${left} ${pluralize(left, 'table')} more`] : shown;
  return { tables, sqlExample: exampleFor(main) };
}

function tableInWords({ name, columns, rowCount }: Table): string {
  const described = columns.slice(0, maxColumns).map(({ name: column, type }) => {
    return `${cutName(reference(column))}${type === 'json' ? ' JSON' : ''}`;
  });
  const left = columns.length - described.length;
  const all = left > 0 ? [...described, `${left} more`] : described;
  return `${name}(${all.join(', ')})${rowCount === undefined ? '' : `, ${formatNumber(rowCount)} ${pluralize(rowCount, 'row')}`}`;
}

/** Column names are a server's text: shown on one line, and shortened. */
function cutName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, ' ');
  return line.length > maxNameLength ? `${line.slice(0, maxNameLength).toWellFormed()}…` : line;
}

/** Counts by a column with few recurring values; otherwise shows some rows. */
function exampleFor(table: Table): string {
  const { columns } = table;
  const usable = columns.map((column, at) => ({ column, at })).filter(({ column }) => isPlain(column.name));
  const sample: (readonly Cell[])[] = [];
  for (const row of table.rows()) if (sample.push(row) >= sampledRows) break;
  const groups = usable.find(({ column, at }) => {
    const values = new Set(sample.map((row) => row[at]));
    return column.type === 'text' && values.size > 1 && values.size <= maxGroups && values.size * 3 <= sample.length;
  });
  if (groups !== undefined) {
    const column = reference(groups.column.name);
    return `SELECT ${column}, count(*) FROM ${mainTable} GROUP BY ${column} ORDER BY 2 DESC`;
  }
  const some = usable.filter(({ column }) => column.type !== 'json').slice(0, 4);
  const names = some.map(({ column }) => reference(column.name)).join(', ');
  return `SELECT ${names === '' ? '*' : names} FROM ${mainTable} LIMIT 5`;
}

/** Excludes unusual names from the example that a model may send back. */
function isPlain(name: Column['name']): boolean {
  return name.length <= maxNameLength && /^[\p{L}_][\p{L}\p{N}_ .-]*$/u.test(name);
}

/** Quotes names that are SQL keywords: `order`, `group`. */
function reference(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !keywords.has(name.toLowerCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`;
}

const keywords: ReadonlySet<string> = new Set(
  (
    'add all alter and as asc between by case cast check collate column commit constraint create cross current default delete ' +
    'desc distinct drop else end escape except exists filter for foreign from full group having if in index inner insert ' +
    'intersect into is isnull join key left like limit match natural no not notnull null of offset on or order outer over ' +
    'partition primary references right row rows select set table then to transaction union unique update using values view ' +
    'when where window with'
  ).split(' '),
);
