/** Finds the tables in a text: NDJSON, CSV and TSV, Markdown, HTML; any other text is a table of its lines. */
import { tryParseJson, isObject } from '../../base/json.ts';
import { type Cell, type Column, NameSet, type Table, tablesIn } from './value-tables.ts';

/** The pieces of a text in order; each call starts from the beginning. */
export type TextSource = () => Iterable<string>;

type TextFormat =
  | { readonly kind: 'ndjson' | 'markdown' | 'html' | 'lines' | 'json' }
  | { readonly kind: 'delimited'; readonly delimiter: string; readonly hasHeader: boolean };

/** Length of the sample that `formatOf` needs of a long text, in characters. */
export const sampleLength = 256 * 1024;

/** Detects the format from the text itself, whatever its declared type. `isWhole`: the sample is the whole text. */
export function formatOf(sample: string, isWhole: boolean): TextFormat {
  const lines = sample.replace(/^\ufeff/, '').split('\n');
  if (!isWhole && lines.length > 1) lines.pop();
  const filled = lines.filter((line) => line.trim() !== '').slice(0, 50);
  const [first = '', second] = filled;
  if (/^\s*[{[]/.test(first)) {
    const isList = [first, second].every((line) => line !== undefined && isStructured(tryParseJson(line)));
    if (isList) return { kind: 'ndjson' };
    // Whether it is valid JSON shows when it is parsed.
    if (!isWhole || tryParseJson(sample) !== undefined) return { kind: 'json' };
  }
  if (/<table[\s>]/i.test(sample)) return { kind: 'html' };
  if (lines.some((line, at) => at > 0 && isDivider(line) && (lines[at - 1] ?? '').includes('|'))) {
    return { kind: 'markdown' };
  }
  return delimitedFormat(filled, isWhole) ?? { kind: 'lines' };
}

function isStructured(value: unknown): boolean {
  return Array.isArray(value) || isObject(value);
}

/** The tables of a text in that format, the longest first; never empty. */
export function tablesInText(text: TextSource, format: TextFormat): readonly [Table, ...Table[]] {
  switch (format.kind) {
    case 'ndjson':
      return ndjsonTables(text);
    case 'json':
      return tablesIn(tryParseJson([...text()].join('').replace(/^\ufeff/, '')));
    case 'markdown':
      return byRowCount(markdownTables([...text()].join(''))) ?? [lineTable(text)];
    case 'html':
      return byRowCount(htmlTables([...text()].join(''))) ?? [lineTable(text)];
    case 'delimited':
      return [delimitedTable(text, format)];
    case 'lines':
      return [lineTable(text)];
  }
}

function byRowCount(tables: readonly Table[]): [Table, ...Table[]] | undefined {
  const [first, ...others] = tables.toSorted((a, b) => (b.rowCount ?? 0) - (a.rowCount ?? 0));
  return first && [first, ...others];
}

/** Lines of a text in pieces, without line ends. A line feed at the end starts no line. */
function* linesOf(text: TextSource): Generator<string, void, undefined> {
  let rest = '';
  let isFirst = true;
  for (const piece of text()) {
    const lines = (rest + (isFirst ? piece.replace(/^\ufeff/, '') : piece)).split('\n');
    isFirst = false;
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

function lineTable(text: TextSource): Table {
  const columns: readonly Column[] = [
    { name: 'line', type: 'integer' },
    { name: 'text', type: 'text' },
  ];
  const rows = function* (): Generator<readonly Cell[], void, undefined> {
    let number = 0;
    for (const line of linesOf(text)) yield [++number, line];
  };
  return { name: 'lines', location: undefined, columns, rowCount: undefined, rows };
}

/** Number of records that are buffered to determine the columns. */
const ndjsonSample = 5_000;

/** The columns are those of the first records; other members of later ones are in `_more`. */
function ndjsonTables(text: TextSource): readonly [Table] {
  const sample: unknown[] = [];
  for (const record of recordsOf(text)) if (sample.push(record) >= ndjsonSample) break;
  const [known] = tablesIn(sample);
  if (sample.length < ndjsonSample) return [{ ...known, name: 'items', location: undefined }];
  // A column of integers may contain texts later, so nothing is converted.
  const columns = known.columns.map(({ name }): Column => ({ name, type: 'mixed' }));
  const names = new Set(columns.map(({ name }) => name));
  const rows = function* (): Generator<readonly Cell[], void, undefined> {
    let batch: unknown[] = [];
    const flush = function* (): Generator<readonly Cell[], void, undefined> {
      const [table] = tablesIn(batch);
      const places = columns.map(({ name }) => table.columns.findIndex((one) => one.name === name));
      const more = table.columns.flatMap(({ name }, at) => (names.has(name) ? [] : [[name, at] as const]));
      for (const row of table.rows()) {
        const left = more.flatMap(([name, at]) => (row[at] == null ? [] : [[name, row[at]] as const]));
        const cells = places.map((at) => (at < 0 ? null : exact(row[at] ?? null)));
        yield [...cells, left.length === 0 ? null : JSON.stringify(Object.fromEntries(left), plainBigInt)];
      }
      batch = [];
    };
    for (const record of recordsOf(text)) if (batch.push(record) >= ndjsonSample) yield* flush();
    if (batch.length > 0) yield* flush();
  };
  const all: readonly Column[] = [...columns, { name: '_more', type: 'json' }];
  return [{ name: 'items', location: undefined, columns: all, rowCount: undefined, rows }];
}

function exact(cell: Cell): Cell {
  return typeof cell === 'number' && Number.isSafeInteger(cell) ? BigInt(cell) : cell;
}

function plainBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}

/** A line that is not JSON is a record with its text. */
function* recordsOf(text: TextSource): Generator<unknown, void, undefined> {
  for (const line of linesOf(text)) {
    if (line.trim() === '') continue;
    yield tryParseJson(line) ?? line;
  }
}

// CSV and TSV (RFC 4180), with other common delimiters.

const delimiters = ['\t', ',', ';', '|'] as const;
/** A column name begins with a letter; a cell that begins with a digit is a value, usually a date. */
const headerCell = /^[\p{L}_#$@(*"'][^\n]{0,100}$/u;

function delimitedFormat(lines: readonly string[], isWhole: boolean): TextFormat | undefined {
  const text = lines.join('\n');
  let best: { readonly delimiter: string; readonly columns: number; readonly hasHeader: boolean } | undefined;
  for (const delimiter of delimiters) {
    const rows = [...delimitedRows([text], delimiter)];
    // The sample may end inside of quotes.
    if (lines.length >= 50) rows.pop();
    const [header, ...others] = rows;
    const columns = header?.length ?? 0;
    const isAlike = columns > 1 && others.length > 0 && others.every((row) => row.length === columns);
    if (header === undefined || !isAlike || (others.length === 1 && !isWhole)) continue;
    const hasHeader = new Set(header).size === columns && header.every((cell) => headerCell.test(cell));
    // Commas in every line are common in other texts; column names are not.
    if (!hasHeader && delimiter !== '\t') continue;
    if (columns > (best?.columns ?? 0)) best = { delimiter, columns, hasHeader };
  }
  return best && { kind: 'delimited', delimiter: best.delimiter, hasHeader: best.hasHeader };
}

/** Number of rows examined to distinguish numbers from texts. */
const typedRows = 1_000;
const integerText = /^-?(?:0|[1-9]\d{0,17})$/;
const realText = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?(?:[eE][+-]?\d{1,3})?$/;

function delimitedTable(text: TextSource, format: Extract<TextFormat, { kind: 'delimited' }>): Table {
  return typedTable('items', undefined, format.hasHeader, () => delimitedRows(text(), format.delimiter));
}

/** Columns whose first rows contain only numbers, or nothing, are numeric; empty cells are null. */
function typedTable(
  name: string,
  rowCount: number | undefined,
  hasHeader: boolean,
  read: () => Iterable<readonly string[]>,
): Table {
  const sample: (readonly string[])[] = [];
  for (const row of read()) if (sample.push(row) > typedRows) break;
  const header = hasHeader ? (sample.shift() ?? []) : [];
  const width = Math.max(header.length, ...sample.slice(0, 100).map((row) => row.length));
  const names = new NameSet(false);
  const isNumber = (at: number): boolean => {
    const cells = sample.map((row) => row[at] ?? '').filter((cell) => cell !== '');
    return cells.length > 0 && cells.every((cell) => realText.test(cell));
  };
  const columns = Array.from({ length: width }, (_, at): Column & { readonly isNumber: boolean } => {
    const type = isNumber(at);
    return { name: names.add(header[at]?.trim() || `c${at + 1}`), type: type ? 'mixed' : 'text', isNumber: type };
  });
  const rows = function* (): Generator<readonly Cell[], void, undefined> {
    let isFirst = hasHeader;
    for (const row of read()) {
      if (isFirst) {
        isFirst = false;
        continue;
      }
      yield columns.map((column, at) => textCell(row[at] ?? '', column.isNumber));
    }
  };
  const count = rowCount ?? (sample.length <= typedRows - 1 ? sample.length : undefined);
  return { name, location: undefined, columns, rowCount: count, rows };
}

function textCell(text: string, isNumber: boolean): Cell {
  if (text === '') return null;
  if (!isNumber) return text;
  if (integerText.test(text)) return BigInt(text);
  return realText.test(text) ? Number(text) : text;
}

/** Empty lines are skipped. Quotes may contain delimiters and line feeds, and are doubled inside. */
function* delimitedRows(pieces: Iterable<string>, delimiter: string): Generator<string[], void, undefined> {
  let row: string[] = [];
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  let isFirst = true;
  for (const given of pieces) {
    const piece = isFirst ? given.replace(/^\ufeff/, '') : given;
    isFirst = false;
    for (let at = 0; at < piece.length;) {
      if (state === 'quoted') {
        const end = piece.indexOf('"', at);
        cell += end < 0 ? piece.slice(at) : piece.slice(at, end);
        at = end < 0 ? piece.length : end + 1;
        if (end >= 0) state = 'quote';
        continue;
      }
      const letter = piece[at] as string;
      if (state === 'quote' && letter === '"') {
        cell += '"';
        state = 'quoted';
        at++;
      } else if (letter === delimiter || letter === '\n') {
        row.push(cell.endsWith('\r') && letter === '\n' ? cell.slice(0, -1) : cell);
        cell = '';
        state = 'start';
        at++;
        if (letter === '\n') {
          if (row.length > 1 || row[0] !== '') yield row;
          row = [];
        }
      } else if (state === 'start' && letter === '"') {
        state = 'quoted';
        at++;
      } else {
        let end = at + 1;
        while (end < piece.length && piece[end] !== delimiter && piece[end] !== '\n') end++;
        cell += piece.slice(at, end);
        state = 'plain';
        at = end;
      }
    }
  }
  row.push(cell.endsWith('\r') ? cell.slice(0, -1) : cell);
  if (row.length > 1 || row[0] !== '') yield row;
}

// Markdown tables: a line with names, a divider, and rows up to the first line without a bar.

function isDivider(line: string): boolean {
  return line.length < 10_000 && line.includes('-') && /^[\s|:-]+$/.test(line) && line.includes('|');
}

function markdownTables(text: string): Table[] {
  const tables: Table[] = [];
  const names = new NameSet();
  const lines = text.split('\n');
  let heading = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('#')) heading = line.replace(/^#+\s*/, '');
    if (!line.includes('|') || !isDivider(lines[at + 1] ?? '')) continue;
    const rows = [markdownCells(line)];
    for (at += 2; at < lines.length && (lines[at] ?? '').includes('|'); at++) rows.push(markdownCells(lines[at] ?? ''));
    tables.push(typedTable(names.add(heading || `table_${tables.length + 1}`), rows.length - 1, true, () => rows));
  }
  return tables;
}

function markdownCells(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

// HTML tables: texts of their cells. Scans for tags without a full parser; invalid markup yields fewer cells.

function htmlTables(html: string): Table[] {
  const tables: Table[] = [];
  const names = new NameSet();
  for (const body of elementsOf(html, 'table')) {
    const rows = elementsOf(body, 'tr').map((row) => cellsOf(row));
    const filled = rows.filter((cells) => cells.length > 0).map((cells) => cells.map(({ text }) => text));
    const [first] = rows.filter((cells) => cells.length > 0);
    if (first === undefined) continue;
    const hasHeader = first.every(({ isHeader }) => isHeader) || first.every(({ text }) => headerCell.test(text));
    const [caption = ''] = elementsOf(body, 'caption');
    const name = names.add(plainText(caption) || `table_${tables.length + 1}`);
    tables.push(typedTable(name, filled.length - (hasHeader ? 1 : 0), hasHeader, () => filled));
  }
  return tables;
}

/** Returns the content of each such element; of nested ones, from the outer start tag to the inner end tag. */
function elementsOf(html: string, tag: string): string[] {
  const found: string[] = [];
  const tags = new RegExp(`<(/?)${tag}(?=[\\s>/])[^>]*>`, 'gi');
  let from: number | undefined;
  for (const match of html.matchAll(tags)) {
    if (match[1] === '/') {
      if (from !== undefined) found.push(html.slice(from, match.index));
      from = undefined;
      continue;
    }
    // The end tag of a row or a cell is optional.
    if (from !== undefined) found.push(html.slice(from, match.index));
    from = match.index + match[0].length;
  }
  if (from !== undefined) found.push(html.slice(from));
  return found;
}

function cellsOf(row: string): { readonly text: string; readonly isHeader: boolean }[] {
  const parts = row.split(/<(t[hd])(?=[\s>/])[^>]*>/i);
  const cells: { text: string; isHeader: boolean }[] = [];
  for (let at = 1; at < parts.length; at += 2) {
    const inside = (parts[at + 1] ?? '').replace(/<\/t[hd]\s*>[^]*$/i, '');
    cells.push({ text: plainText(inside), isHeader: parts[at]?.toLowerCase() === 'th' });
  }
  return cells;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function plainText(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (whole, decimal: string, hex: string, name: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replace(/\s+/g, ' ')
    .trim();
}
