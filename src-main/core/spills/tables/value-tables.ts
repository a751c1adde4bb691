/** Finds the tables in a JSON value: lists of objects, maps of objects, lists of lists, each with its columns. */
import { isObject, type JsonObject } from '../../base/json.ts';

/** Values that SQLite stores. Booleans are 1 and 0; lists and objects are JSON text. */
export type Cell = string | number | bigint | null;

/** `integer` and `real` contain only such numbers and null; `json` contains lists and objects; `mixed` anything. */
export type ColumnType = 'integer' | 'real' | 'text' | 'json' | 'mixed';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface Table {
  /** Unique ignoring case; letters, digits and underscores. The main table of a result comes first. */
  readonly name: string;
  /** Path of keys to the table; undefined for a table in a text. */
  readonly location: readonly (string | number)[] | undefined;
  readonly columns: readonly Column[];
  /** Undefined if counting would require reading all rows. */
  readonly rowCount: number | undefined;
  rows(): Iterable<readonly Cell[]>;
}

/** Alias of the main table, in addition to its own name. */
export const mainTable = 'rows';

/** Deeper lists belong to the rows of a table. */
const maxDepth = 4;
const maxTables = 20;
/** SQLite's limit is 2,000. */
const maxColumns = 500;
/** Minimum number of members, all objects, for an object to be a table with one row per member. */
const minMapRows = 3;
const keyColumn = '_key';

/**
 * The longest list of objects or lists first, the others in document order. Never empty: a value without a list is one
 * row.
 */
export function tablesIn(value: unknown): readonly [Table, ...Table[]] {
  const found = [...candidates(value, [])];
  const weight = ({ records, isScalars }: Candidate): number => (isScalars ? 0 : 1e9) + records.length;
  const main = found.reduce<Candidate | undefined>(
    (best, one) => (best === undefined || weight(one) > weight(best) ? one : best),
    undefined,
  );
  if (main === undefined) return [tableOf({ location: [], records: [value], isScalars: !isObject(value) }, 'value')];
  const names = new NameSet();
  const others = found.filter((one) => one !== main).slice(0, maxTables - 1);
  const wanted = ({ location }: Candidate): string => location.filter(isText).join('_') || 'items';
  const mainName = wanted(main) === mainTable ? mainTable : names.add(wanted(main));
  return [tableOf(main, mainName), ...others.map((one) => tableOf(one, names.add(wanted(one))))];
}

interface Candidate {
  readonly location: readonly (string | number)[];
  readonly records: readonly unknown[];
  /** Key of each record in a map of objects. */
  readonly keys?: readonly string[];
  /** Whether it is a list of scalars. */
  readonly isScalars: boolean;
}

function* candidates(value: unknown, location: readonly string[]): Generator<Candidate, void, undefined> {
  if (Array.isArray(value)) {
    const records = value as readonly unknown[];
    if (records.length > 0) yield { location, records, isScalars: !records.some(isStructured) };
    return;
  }
  if (!isObject(value) || location.length > maxDepth) return;
  const keys = Object.keys(value);
  const isMap = keys.length >= minMapRows && keys.every((key) => isObject(value[key])) && isAlike(Object.values(value));
  if (isMap) yield { location, records: Object.values(value), keys, isScalars: false };
  else for (const key of keys) yield* candidates(value[key], [...location, key]);
}

/** Whether objects have a key in common with the first of them. */
function isAlike([first, ...others]: readonly unknown[]): boolean {
  if (!isObject(first)) return false;
  const keys = Object.keys(first);
  return others.slice(0, 100).every((one) => keys.some((key) => Object.hasOwn(one as JsonObject, key)));
}

function isStructured(value: unknown): boolean {
  return Array.isArray(value) || isObject(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function tableOf(candidate: Candidate, name: string): Table {
  const { location, keys } = candidate;
  const { records, header } = withoutHeader(candidate.records);
  const { types, isTuple } = typesOf(records);
  const sources = [...types.keys()];
  const names = new NameSet(false);
  const columns = sources.map((source, at): Column => {
    const shown = isTuple ? (header?.[Number(source)] ?? `c${Number(source) + 1}`) : source;
    return { name: names.add(shown === '' ? `c${at + 1}` : shown), type: typeOf(types.get(source) ?? 0) };
  });
  if (keys !== undefined) columns.unshift({ name: names.add(keyColumn), type: 'text' });
  const members = sources.map((source, at) => ({
    source,
    isExact: columns[keys === undefined ? at : at + 1]?.type === 'mixed',
    // Every object inherits these.
    isInherited: source in Object.prototype,
  }));
  const rows = function* (): Generator<readonly Cell[], void, undefined> {
    for (let at = 0; at < records.length; at++) {
      const record = records[at];
      const row: Cell[] = keys === undefined ? [] : [keys[at] ?? null];
      if (!isStructured(record))
        for (const { source, isExact } of members) row.push(source === scalar ? cellOf(record, isExact) : null);
      else
        for (const { source, isExact, isInherited } of members) {
          const isThere = !isInherited || Object.hasOwn(record as object, source);
          row.push(isThere ? cellOf((record as JsonObject)[source], isExact) : null);
        }
      yield row;
    }
  };
  return { name, location, columns, rowCount: records.length, rows };
}

/** The column of scalars among records. */
const scalar = 'value';

/** Spreadsheets produce lists of lists whose first item contains the names. */
function withoutHeader(records: readonly unknown[]): { records: readonly unknown[]; header?: readonly string[] } {
  const [first] = records;
  const isHeader =
    records.length > 1 &&
    Array.isArray(first) &&
    records.every((record) => Array.isArray(record)) &&
    first.every((cell) => typeof cell === 'string' && /^\p{L}/u.test(cell)) &&
    new Set(first).size === first.length;
  return isHeader ? { records: records.slice(1), header: first as string[] } : { records };
}

const bit = { null: 1, boolean: 2, integer: 4, real: 8, text: 16, json: 32 } as const;

/** Returns the types of each column by record key, in order of appearance. */
function typesOf(records: readonly unknown[]): { readonly types: Map<string, number>; readonly isTuple: boolean } {
  const types = new Map<string, number>();
  const note = (key: string, value: unknown): void => {
    const known = types.get(key);
    if (known === undefined && types.size >= maxColumns) return;
    types.set(key, (known ?? 0) | bitOf(value));
  };
  for (const record of records) {
    if (isStructured(record)) for (const key in record as object) note(key, (record as JsonObject)[key]);
    else note(scalar, record);
  }
  return { types, isTuple: records.length > 0 && records.every((record) => Array.isArray(record)) };
}

function bitOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return bit.text;
    case 'number':
      return Number.isInteger(value) ? bit.integer : bit.real;
    case 'boolean':
      return bit.boolean;
    case 'object':
      if (value === null) return bit.null;
      return JSON.isRawJSON(value) ? numberBit((value as { rawJSON: string }).rawJSON) : bit.json;
    default:
      return bit.null;
  }
}

function numberBit(spelling: string): number {
  return isInteger64(spelling) ? bit.integer : bit.real;
}

function typeOf(bits: number): ColumnType {
  const values = bits & ~bit.null;
  if (values !== 0 && (values & ~(bit.integer | bit.boolean)) === 0) return 'integer';
  if ((values & ~(bit.real | bit.integer)) === 0 && values !== 0) return 'real';
  if (values === bit.json) return 'json';
  return values === bit.text || values === 0 ? 'text' : 'mixed';
}

/** `isExact`: keeps integers exact in a column without conversion. */
function cellOf(value: unknown, isExact: boolean): Cell {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return isExact && Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'boolean':
      return isExact ? (value ? 1n : 0n) : value ? 1 : 0;
    case 'object': {
      if (value === null) return null;
      if (!JSON.isRawJSON(value)) return JSON.stringify(value);
      const { rawJSON } = value as { rawJSON: string };
      return isInteger64(rawJSON) ? BigInt(rawJSON) : Number(rawJSON);
    }
    default:
      return null;
  }
}

const largest = 2n ** 63n - 1n;

/** Whether it is the spelling of an integer that SQLite can store. */
export function isInteger64(text: string): boolean {
  if (!/^-?\d{1,19}$/.test(text)) return false;
  return text.length < 19 || (BigInt(text) <= largest && BigInt(text) >= -largest - 1n);
}

/** Distinct names for SQLite, which ignores case. */
export class NameSet {
  readonly #isIdentifier: boolean;
  readonly #used = new Set<string>();

  /** `isIdentifier`: for names of tables, which should not need quotes. */
  constructor(isIdentifier = true) {
    this.#isIdentifier = isIdentifier;
    if (isIdentifier) this.#used.add(mainTable);
  }

  /** The name, or a variant if it is taken. */
  add(wanted: string): string {
    const plain = this.#isIdentifier ? identifier(wanted) : wanted.slice(0, maxNameLength).toWellFormed();
    for (let number = 1; ; number++) {
      const name = number === 1 ? plain : `${plain}_${number}`;
      if (this.#used.has(name.toLowerCase())) continue;
      this.#used.add(name.toLowerCase());
      return name;
    }
  }
}

const maxNameLength = 60;

function identifier(text: string): string {
  const plain = text
    .replace(/[^\p{L}\p{N}_]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, maxNameLength);
  return plain === '' || /^\d/.test(plain) || /^sqlite_/i.test(plain) ? `t_${plain}` : plain;
}
