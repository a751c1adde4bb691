/** What the writers of JSONC, TOML and YAML have in common: read all of it, set one entry, take one entry out. */
import { isObject } from '../../base/json.ts';
import type { AppEntry } from '../known-app.ts';

/**
 * Everything an edit is not about keeps its bytes: comments, order, indentation, line ends, byte order mark. Every result is read again
 * and compared with what was wanted. All throw AppError `config_invalid` on a text they cannot read or cannot edit without a guess.
 */
export interface ConfigFormat {
  /** What the text says; an empty text says `{}`. */
  readonly read: (text: string) => Record<string, unknown>;
  /** Sets the entry at the end of `path`, and makes what is missing on the way. */
  readonly set: (text: string, path: readonly string[], entry: AppEntry) => string;
  /** Takes it out; a text that has none stays as it is. */
  readonly remove: (text: string, path: readonly string[]) => string;
}

/** The entries below `container`, where `*` stands for any key, each with all the keys that lead to it. */
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
