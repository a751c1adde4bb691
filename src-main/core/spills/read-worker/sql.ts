/**
 * Ops sql and select: the tables of spilled results in an in-memory SQLite database, queried by one reading statement.
 * Runs in a process that is killed at its limits of time and memory; a query cannot write, attach or configure the
 * database.
 */
import { constants, DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { AppError, errorText } from '../../base/errors.ts';
import type { SpillQueryResult, SqlCell, SqlRows } from '../spill-queries.ts';
import { formatOf, sampleLength, tablesInText } from '../tables/text-tables.ts';
import { type Cell, type Column, mainTable, type Table, tablesIn } from '../tables/value-tables.ts';
import { type Document, findValues, readDocument } from './document.ts';
import { truncateToBytes, maxDocumentBytes, type ReadTarget, textPieces } from './reader-messages.ts';

/** A result whose tables are loaded: the queried one, or another one with a name of its own. */
export interface SqlSource {
  readonly target: ReadTarget;
  /** Name of its main table; undefined: `rows`. */
  readonly name?: string | undefined;
  /** JSONPath to the list of its main table; undefined: the longest list. */
  readonly path?: string | undefined;
}

interface SqlLimits {
  /** Maximum number of returned rows; all are counted. */
  readonly limit?: number | undefined;
  readonly maxBytes: number;
}

/** NDJSON, CSV and lines are streamed up to this size, in bytes. */
const maxStreamedBytes = 256 * 1024 * 1024;
/** Rows are counted up to this number. */
const maxCounted = 1_000_000;
/** Maximum length of a text that a statement generates, in bytes; one above V8's limit would end the process. */
const maxGeneratedLength = 64 * 1024 * 1024;
/** Number of values per insert statement. */
const valuesAtOnce = 400;

/** Throws AppError `bad_request`, `not_allowed`, unsupported. */
export function select(sources: readonly SqlSource[], query: string, limits: SqlLimits): SqlRows {
  using database = new DatabaseSync(':memory:', { allowExtension: false });
  database.exec('PRAGMA temp_store = MEMORY; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  const names = sources.flatMap((source) => loadSource(database, source));
  database.function('regexp', { deterministic: true }, matches());
  return run(database, query, names, limits);
}

/** The same for a model: names and cells separated by tabs, and the number of rows. */
export function selectText(sources: readonly SqlSource[], query: string, limits: SqlLimits): SpillQueryResult {
  const found = select(sources, query, limits);
  const { columns, rows, rowCount, isCounted } = found;
  const lines = [columns, ...rows].map((row) => row.map(cellText).join('\t'));
  const all = `${isCounted ? '' : 'more than '}${rowCount}`;
  const isWhole = rows.length === rowCount;
  const how = 'Aggregate, select fewer columns, or page with LIMIT and OFFSET';
  const note = isWhole
    ? `(${all} ${rowCount === 1 ? 'row' : 'rows'})`
    : `[first ${rows.length} of ${all} rows. ${how}]`;
  const text = truncateToBytes([...lines, note].join('\n'), limits.maxBytes + 1_000);
  const fields = { query, columns, rowCount, returnedRows: rows.length };
  return { text, fields, truncated: !isWhole };
}

function cellText(cell: SqlCell): string {
  if (cell === null) return 'NULL';
  return String(cell).replace(/[\\\t\r\n]/g, (letter) => escapes[letter] ?? letter);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\r': '\\r', '\n': '\\n' };

// Loads the tables.

/** The names of its tables with their columns, as shown when a statement names unknown ones. */
function loadSource(database: DatabaseSync, { target, name, path }: SqlSource): string[] {
  const [main, ...others] = tablesOf(target, path);
  const mainName = name ?? mainTable;
  const loaded = [load(database, main, mainName)];
  const prefix = name === undefined ? '' : `${name}_`;
  for (const table of others) loaded.push(load(database, table, `${prefix}${table.name}`));
  const alias = `${prefix}${main.name}`;
  if (alias !== mainName && name === undefined && others.every((table) => table.name !== alias)) {
    database.exec(`CREATE VIEW ${quoted(alias)} AS SELECT * FROM ${quoted(mainName)}`);
  }
  return loaded;
}

function tablesOf(target: ReadTarget, path: string | undefined): readonly [Table, ...Table[]] {
  if (target.kind === 'text') {
    const { text, isWhole } = sampleOf(target);
    const format = formatOf(text, isWhole);
    const isStreamed = format.kind !== 'markdown' && format.kind !== 'html';
    const limit = isStreamed ? maxStreamedBytes : maxDocumentBytes;
    if (target.bytes > limit) throw tooLong(target.bytes, limit);
    const isJson = format.kind === 'json' && target.bytes <= maxDocumentBytes && isData(target);
    if (!isJson) return tablesInText(() => textPieces(target), format.kind === 'json' ? { kind: 'lines' } : format);
  }
  const document = readDocument(target);
  return path === undefined ? tablesIn(document.spelled ?? document.value) : tablesIn(valueAt(document, path));
}

/** Whether a text that begins like JSON is valid JSON. */
function isData(target: ReadTarget): boolean {
  try {
    readDocument(target);
    return true;
  } catch {
    return false;
  }
}

function sampleOf(target: ReadTarget): { text: string; isWhole: boolean } {
  let text = '';
  for (const piece of textPieces(target)) {
    text += piece;
    if (text.length >= sampleLength) return { text: text.slice(0, sampleLength), isWhole: false };
  }
  return { text, isWhole: true };
}

/** Returns the value that a path selects: the only list, or all matches as rows. */
function valueAt(document: Document, path: string): unknown {
  const found = [...findValues(path, document.spelled ?? document.value)].map(({ value }) => value);
  if (found.length === 0) {
    throw new AppError('not_found', `No value at "${path.slice(0, 200)}".`, {
      fix: "op='schema' shows the structure.",
    });
  }
  return found.length === 1 ? found[0] : found;
}

function load(database: DatabaseSync, table: Table, name: string): string {
  const { columns } = table;
  const types = { integer: 'INTEGER', real: 'REAL', text: 'TEXT', json: 'TEXT', mixed: '' };
  const defined = columns.map((column) => `${quoted(column.name)} ${types[column.type]}`);
  database.exec(`CREATE TABLE ${quoted(name)} (${defined.length === 0 ? '"value"' : defined.join(', ')})`);
  database.exec('BEGIN');
  if (columns.length > 0) insertRows(database, name, table);
  database.exec('COMMIT');
  return `${name}(${columns.map(columnText).join(', ')})`;
}

function insertRows(database: DatabaseSync, name: string, table: Table): void {
  const { columns } = table;
  const rowsAtOnce = Math.max(1, Math.floor(valuesAtOnce / columns.length));
  const one = `(${columns.map(() => '?').join(',')})`;
  const insert = (count: number): StatementSync =>
    database.prepare(`INSERT INTO ${quoted(name)} VALUES ${Array.from({ length: count }, () => one).join(',')}`);
  const many = insert(rowsAtOnce);
  let values: Cell[] = [];
  for (const row of table.rows()) {
    for (const cell of row) values.push(cell);
    if (values.length < rowsAtOnce * columns.length) continue;
    many.run(...values);
    values = [];
  }
  if (values.length > 0) insert(values.length / columns.length).run(...values);
}

function columnText({ name, type }: Column): string {
  const plain = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : quoted(name);
  return type === 'json' ? `${plain} JSON` : plain;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `REGEXP`, which SQLite leaves to applications. Case-sensitive. */
function matches(): (pattern: SQLOutputValue, text: SQLOutputValue) => number | null {
  let known: { readonly source: string; readonly regex: RegExp } | undefined;
  return (pattern, text) => {
    if (typeof pattern !== 'string' || text === null || typeof text === 'object') return null;
    if (known?.source !== pattern) known = { source: pattern, regex: new RegExp(pattern, 'u') };
    return known.regex.test(String(text)) ? 1 : 0;
  };
}

// Runs the statement.

function run(database: DatabaseSync, query: string, tables: readonly string[], limits: SqlLimits): SqlRows {
  protect(database);
  try {
    const statement = prepareOne(database, query);
    return read(statement, limits);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw sqlError(error, tables);
  }
}

/**
 * Permits only reading to the next statement. `setAuthorizer` exists since Node 24.10; before, the first word of the
 * statement and `query_only` do the same. Neither permits functions that read files.
 */
export function protect(database: DatabaseSync): void {
  database.exec('PRAGMA query_only = ON');
  if (typeof database.limits === 'object') database.limits.length = maxGeneratedLength;
  if (typeof database.setAuthorizer !== 'function') return;
  const { SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE, SQLITE_OK, SQLITE_DENY } = constants;
  const reading: ReadonlySet<number> = new Set([SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE]);
  database.setAuthorizer((action) => (reading.has(action) ? SQLITE_OK : SQLITE_DENY));
}

const comments = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$)|;)+/;

/** Throws AppError `not_allowed` for a statement that does not only read, `bad_request` for more than one statement. */
function prepareOne(database: DatabaseSync, query: string): StatementSync {
  const plain = query.replace(comments, '');
  if (!/^(?:select|with|values|explain)\b/i.test(plain)) {
    throw new AppError('not_allowed', 'Only read-only statements are supported: SELECT, WITH or VALUES.', {
      fix: "Use query='SELECT … FROM rows'.",
    });
  }
  const statement = database.prepare(query);
  if (query.slice(statement.sourceSQL.length).replace(comments, '') !== '') {
    throw new AppError('bad_request', 'There is more than one statement.', { fix: 'Run them separately.' });
  }
  return statement;
}

function read(statement: StatementSync, { limit = Infinity, maxBytes }: SqlLimits): SqlRows {
  statement.setReadBigInts(true);
  // Returns both of two columns with the same name; not available before Node 22.16.
  if (typeof statement.setReturnArrays === 'function') statement.setReturnArrays(true);
  let columns = statement.columns?.().map(({ name }) => name);
  const rows: SqlCell[][] = [];
  let [rowCount, bytes, isFull] = [0, 0, false];
  for (const found of statement.iterate()) {
    if (++rowCount > maxCounted) break;
    columns ??= Object.keys(found);
    if (isFull || rows.length >= limit) continue;
    const row = (Array.isArray(found) ? found : Object.values(found)).map(shown);
    bytes += row.reduce<number>((sum, cell) => sum + Buffer.byteLength(String(cell)) + 1, 0);
    isFull = bytes > maxBytes && rows.length > 0;
    if (!isFull) rows.push(bytes > maxBytes ? row.map((cell) => cutCell(cell, maxBytes)) : row);
  }
  const isCounted = rowCount <= maxCounted;
  return { columns: columns ?? [], rows, rowCount: Math.min(rowCount, maxCounted), isCounted };
}

function cutCell(cell: SqlCell, maxBytes: number): SqlCell {
  return typeof cell === 'string' ? truncateToBytes(cell, Math.floor(maxBytes / 2)) : cell;
}

function shown(cell: unknown): SqlCell {
  if (cell instanceof Uint8Array) return `[blob of ${cell.length} bytes]`;
  if (typeof cell !== 'bigint') return (cell ?? null) as SqlCell;
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : String(cell);
}

function sqlError(error: unknown, tables: readonly string[]): AppError {
  const reason = errorText(error).slice(0, 300);
  if (/not authorized|authorization denied|readonly|query_only/i.test(reason)) {
    return new AppError('not_allowed', `The statement is not read-only: ${reason}.`, {
      fix: 'Use SELECT on the tables only.',
      cause: error,
    });
  }
  const fix = `It is SQLite. Tables: ${truncateToBytes(tables.join('; '), 1_500)}.`;
  return new AppError('bad_request', `The statement failed: ${reason}.`, { fix, cause: error });
}

function tooLong(bytes: number, limit: number): AppError {
  const [size, most] = [bytes, limit].map((number) => Math.ceil(number / 1024 / 1024));
  return new AppError(
    'unsupported',
    `The file has ${size} MB; up to ${most} MB of this kind can be queried with SQL.`,
    {
      fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
    },
  );
}
