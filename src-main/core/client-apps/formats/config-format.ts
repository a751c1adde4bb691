/** The interface shared by the JSONC, TOML and YAML writers: read everything, set one entry, remove one entry. */
import { defineMember, isObject, objectOrEmpty } from '../../base/json.ts';
import type { AppEntry } from '../known-app.ts';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../base/errors.ts';

/**
 * Preserves all other bytes: comments, order, indentation, line ends, byte order mark. Every result is parsed again
 * and compared with the intended value. All methods throw AppError `config_invalid` for a text that cannot be parsed,
 * or not edited unambiguously.
 */
export interface ConfigFormat {
  /** Parses the text; an empty text means `{}`. */
  readonly read: (text: string) => Record<string, unknown>;
  /** Sets the entry at the end of `path`, and creates missing parents. */
  readonly set: (text: string, path: readonly string[], entry: AppEntry) => string;
  /** Removes the entry; a text without it stays unchanged. */
  readonly remove: (text: string, path: readonly string[]) => string;
}

/** Returns the entries below `container`, where `*` stands for any key, each with its full key path. */
export function entriesAt(root: unknown, container: readonly string[]): [path: string[], entry: AppEntry][] {
  if (!isObject(root)) return [];
  const [step, ...rest] = container;
  if (step === undefined)
    return Object.entries(root).flatMap(([name, entry]) => (isObject(entry) ? [[[name], entry]] : []));
  const keys = step === '*' ? Object.keys(root) : Object.hasOwn(root, step) ? [step] : [];
  return keys.flatMap((key) =>
    entriesAt(root[key], rest).map(([path, entry]): [string[], AppEntry] => [[key, ...path], entry]),
  );
}

// The intended content of a config file as a plain value, to compare with the edited text.

type Value = Record<string, unknown>;

/** A copy with `entry` at `path`; `undefined` removes what is there. The rest is shared. */
export function setValueAt(root: Value, path: readonly string[], entry: unknown): Value {
  const [key = '', ...rest] = path;
  const copy = Object.fromEntries(Object.entries(root));
  const below = Object.hasOwn(root, key) ? root[key] : undefined;
  if (rest.length > 0 && below !== undefined && below !== null && !isObject(below)) throw notATable(key);
  const value = rest.length === 0 ? entry : setValueAt(objectOrEmpty(below), rest, entry);
  if (value === undefined) Reflect.deleteProperty(copy, key);
  else defineMember(copy, key, value);
  return copy;
}

export function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

/** Throws AppError `config_invalid` if the edited text cannot be parsed, or differs from the intended value. */
export function assertSame(readAgain: () => unknown, wanted: unknown): void {
  let found: unknown;
  try {
    found = readAgain();
  } catch (error) {
    throw cannotEditError(error);
  }
  if (!isDeepStrictEqual(found, wanted)) throw cannotEditError();
}

export function cannotEditError(cause?: unknown): AppError {
  return new AppError('config_invalid', 'Tooltray cannot edit this file safely.', {
    fix: 'Copy the entry and paste it manually.',
    cause,
  });
}

export function cannotReadError(reason: string, cause?: unknown): AppError {
  return new AppError('config_invalid', `The file cannot be read: ${reason}`, {
    fix: 'Correct the file first.',
    cause,
  });
}

function notATable(key: string): AppError {
  return new AppError('config_invalid', `"${key}" in the file is not a set of entries.`, {
    fix: 'Correct the file first.',
  });
}

export function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
