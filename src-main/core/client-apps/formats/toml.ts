/** Edits entries in TOML files as blocks of lines, because no library preserves comments and tables when writing. */
import { cannotReadError, type ConfigFormat, assertSame, valueAt, withoutBom, setValueAt } from './config-format.ts';
import { parse, stringify } from 'smol-toml';
import { errorText } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { AppEntry } from '../known-app.ts';
import { type TomlStatement, tomlStatements } from './toml-statements.ts';

export const tomlFormat: ConfigFormat = { read, set, remove };

function read(text: string): Record<string, unknown> {
  try {
    // Integers beyond JavaScript's range are no reason to refuse.
    return plain(parse(withoutBom(text), { integersAsBigInt: 'asNeeded' })) as Record<string, unknown>;
  } catch (error) {
    throw cannotReadError(errorText(error).split('\n')[0] ?? '', error);
  }
}

function set(text: string, path: readonly string[], entry: AppEntry): string {
  const wanted = setValueAt(read(text), path, entry);
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const block = stringify(setValueAt({}, path, entry))
    .trimEnd()
    .concat('\n')
    .replaceAll('\n', eol);
  const own = ownStatements(text, path);
  // Pairs after a table's header belong to it, so a block is only replaced by a block.
  const after = own[0]?.kind === 'table' ? replaced(text, own, block, eol) : appended(without(text, own), block, eol);
  assertSame(() => read(after), wanted);
  return after;
}

function remove(text: string, path: readonly string[]): string {
  const before = read(text);
  if (valueAt(before, path) === undefined) return text;
  const after = without(text, ownStatements(text, path));
  assertSame(() => withoutEmpty(read(after), path), withoutEmpty(setValueAt(before, path, undefined), path));
  return after;
}

function ownStatements(text: string, path: readonly string[]): TomlStatement[] {
  const bom = text.length - withoutBom(text).length;
  return tomlStatements(withoutBom(text))
    .filter((statement) => path.every((key, index) => statement.path[index] === key))
    .map((statement) => ({ ...statement, start: statement.start + bom, end: statement.end + bom }));
}

function appended(text: string, block: string, eol: string): string {
  if (withoutBom(text).trim() === '') return text + block;
  const ended = text.endsWith('\n') ? text : text + eol;
  return ended + (/\n\r?\n$/.test(ended) ? '' : eol) + block;
}

/** Puts the block in place of the first of `own`. */
function replaced(text: string, own: readonly TomlStatement[], block: string, eol: string): string {
  const [first, ...others] = own;
  if (first === undefined) return text;
  const rest = without(text, others);
  const tail = rest.slice(first.end);
  const gap = tail === '' || /^\r?\n/.test(tail) ? '' : eol;
  return rest.slice(0, first.start) + block + gap + tail;
}

function without(text: string, statements: readonly TomlStatement[]): string {
  return statements.toReversed().reduce((rest, { start, end }) => cut(rest, start, end), text);
}

/** Also removes the blank lines around it. */
function cut(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const apart = /(?:^|\n)(\r?\n)$/.exec(before)?.[1] ?? '';
  const isSetApart = apart !== '' && (after === '' || /^\r?\n/.test(after));
  return before.slice(0, before.length - (isSetApart ? apart.length : 0)) + after;
}

/** Removes a table with its last entry, because in TOML the entry's header creates it. */
function withoutEmpty(root: Record<string, unknown>, path: readonly string[]): Record<string, unknown> {
  const container = path.slice(0, -1);
  const table = valueAt(root, container);
  const isEmpty = typeof table === 'object' && table !== null && Object.keys(table).length === 0;
  return isEmpty ? setValueAt(root, container, undefined) : root;
}

/** The parser's tables have no prototype, so they never equal ours. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}
