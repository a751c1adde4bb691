/** Op table: chosen columns of a list, one row per line, cells separated by tabs. */
import { AppError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { SpillQueryResult } from '../spill-queries.ts';
import { type Document, findRecords, findValues, type FoundValue, type Location, formatPath } from './document.ts';
import { truncateToBytes } from './reader-messages.ts';
import { schemaLines, shapeOf } from '../value-shape.ts';

interface TableWish {
  readonly path?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly fromRow: number;
  readonly rows: number;
}

/** Maximum number of columns if none are named; they are taken from the first `rowsLookedAt` rows. */
const maxColumns = 20;
const rowsLookedAt = 100;

/** Throws AppError `bad_request` or `not_found` if there is no list. */
export function readTable(document: Document, wish: TableWish, maxBytes: number): SpillQueryResult {
  const { path, values, locationOf } = rowsAt(document, wish.path);
  const columns = wish.columns ?? ownColumns(values);
  const first = wish.fromRow - 1;
  const wanted = values.slice(first, first + wish.rows);
  const lines = [columns.join('\t')];
  let bytes = Buffer.byteLength(lines[0] ?? '');
  for (const [at, row] of wanted.entries()) {
    const line = columns.map((column) => cellText(document, locationOf(first + at), row, column)).join('\t');
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes && at > 0) break;
    lines.push(truncateToBytes(line, maxBytes));
    if (bytes > maxBytes) break;
  }
  const rows = lines.length - 1;
  const truncated = bytes > maxBytes;
  const fields = { path, columns, fromRow: wish.fromRow, rows, totalRows: values.length };
  const cut = `[TRUNCATED at ${maxBytes} bytes; continue with fromRow=${wish.fromRow + rows}, or name fewer columns]`;
  const left = values.length - first - rows;
  const more =
    left > 0 ? `[${rows} of ${values.length} rows; continue with fromRow=${wish.fromRow + rows}]` : undefined;
  const note = truncated ? cut : (more ?? `(${values.length} ${values.length === 1 ? 'row' : 'rows'})`);
  return { text: [...lines, note].join('\n'), fields, truncated };
}

interface TableRows {
  readonly path: string;
  readonly values: readonly unknown[];
  readonly locationOf: (row: number) => Location;
}

/** The list at a path, or the longest list inside of the value; for a path that selects several values, those. */
function rowsAt(document: Document, path: string | undefined): TableRows {
  const found = path === undefined ? [{ location: [], value: document.value }] : valuesAt(document, path);
  if (found.length > 1 && path !== undefined) {
    return { path, values: found.map(({ value }) => value), locationOf: (row) => found[row]?.location ?? [] };
  }
  const list = found[0] && findRecords(found[0].value);
  if (list !== undefined && found[0] !== undefined) {
    const location = [...found[0].location, ...list.location];
    return { path: formatPath(location), values: list.values, locationOf: (row) => [...location, row] };
  }
  // A filter that selects one object yields a table with one row.
  if (path !== undefined && path.includes('?')) {
    return { path, values: found.map(({ value }) => value), locationOf: () => found[0]?.location ?? [] };
  }
  const where = path === undefined ? 'its top' : `"${path.slice(0, 200)}"`;
  throw new AppError('bad_request', `No list at ${where}.`, {
    fix: "op='schema' shows where lists are; select one with path='$.items'.",
  });
}

/** Keys whose values fit into a cell; for a list of other values the values themselves. */
function ownColumns(rows: readonly unknown[]): readonly string[] {
  const columns = new Set<string>();
  const others = new Set<string>();
  for (const row of rows.slice(0, rowsLookedAt)) {
    if (!isObject(row)) continue;
    for (const [key, value] of Object.entries(row))
      (typeof value === 'object' && value !== null ? others : columns).add(key);
  }
  const found = columns.size > 0 ? columns : others;
  return found.size > 0 ? [...found].slice(0, maxColumns) : ['value'];
}

function cellText(document: Document, place: Location, row: unknown, column: string): string {
  if (!isObject(row) && !Array.isArray(row)) return column === 'value' ? valueText(document, place, row) : '';
  const cell = cellAt(row, column);
  return cell === undefined ? '' : valueText(document, [...place, ...cell.location], cell.value);
}

/** A column is a key, or a path: `owner.login`, `tags[0]`. A key that contains dots takes precedence. */
function cellAt(row: object, column: string): { location: (string | number)[]; value: unknown } | undefined {
  if (Object.hasOwn(row, column)) return { location: [column], value: (row as Record<string, unknown>)[column] };
  const location = column
    .replace(/^[$@]\.?/, '')
    .replace(/\[['"]?(.*?)['"]?\]/g, '.$1')
    .split('.')
    .filter((key) => key !== '');
  let value: unknown = row;
  for (const key of location) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return { location, value };
}

/** Text without the characters that would end the cell; everything else as JSON. */
function valueText(document: Document, place: Location, value: unknown): string {
  if (typeof value !== 'string') return document.spell(place, value);
  return value.replace(/[\\\t\r\n]/g, (letter) => escapes[letter] ?? letter);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\r': '\\r', '\n': '\\n' };

// Op schema: the structure of data: keys with their types, lengths of lists, ranges of numbers.

/** Throws AppError `bad_request` for an invalid path, `not_found` if it selects nothing. */
export function describeShape(document: Document, path: string | undefined, maxBytes: number): SpillQueryResult {
  const found = path === undefined ? [{ value: document.value }] : valuesAt(document, path);
  const shape = shapeOf(found.map(({ value }) => value));
  const many = found.length > 1 ? [`${found.length} values match. Their combined structure:`] : [];
  const text = [...many, ...schemaLines(shape)].join('\n');
  const fields = { ...(path !== undefined && { path }) };
  const cut = truncateToBytes(text, maxBytes);
  if (cut === text) return { text, fields, truncated: false };
  const whole = cut.slice(0, cut.lastIndexOf('\n'));
  const note = `[TRUNCATED at ${maxBytes} bytes; use a path to show a part: path='$.items[0]']`;
  return { text: `${whole}\n${note}`, fields, truncated: true };
}

/** Maximum number of values of a path that are examined. */
const maxSelected = 100_000;

/** The values that a path selects, at least one. Throws AppError `bad_request`, `not_found`. */
function valuesAt({ value }: Document, path: string): readonly FoundValue[] {
  const found: FoundValue[] = [];
  for (const one of findValues(path, value)) if (found.push(one) >= maxSelected) break;
  if (found.length > 0) return found;
  throw new AppError('not_found', `No value at "${path.slice(0, 200)}".`, {
    fix: "op='schema' without a path shows the structure.",
  });
}
