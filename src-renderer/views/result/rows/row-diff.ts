/** Compares the rows of two tables by a key column. Pure. */
import { isRecord } from '../../../lib/record.ts';
import { spellJson } from '../spelled-json.ts';

export interface RowChange {
  readonly key: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** For a changed row: the columns that differ, with both values as text. */
  readonly cells: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly row: Readonly<Record<string, unknown>>;
}

/** Common names of key columns come first. */
const likelyKeys = /^(?:id|key|uuid|number|name|sha|path|url)$/i;

/** A column with a unique value in every row of both tables; undefined: there is none. */
export function keyColumn(before: readonly unknown[], after: readonly unknown[]): string | undefined {
  const [first] = after;
  if (!isRecord(first)) return undefined;
  const names = Object.keys(first).toSorted((a, b) => Number(likelyKeys.test(b)) - Number(likelyKeys.test(a)));
  return names.find((name) => isUnique(before, name) && isUnique(after, name));
}

function isUnique(rows: readonly unknown[], name: string): boolean {
  const seen = new Set<string>();
  return rows.every((row) => {
    const value = isRecord(row) ? row[name] : undefined;
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const text = String(value);
    return !seen.has(text) && seen.add(text).size > 0;
  });
}

/** In the order of the second table, then rows only in the first one. */
export function rowChanges(before: readonly unknown[], after: readonly unknown[], key: string): readonly RowChange[] {
  const old = new Map(before.filter(isRecord).map((row) => [String(row[key]), row]));
  const changes: RowChange[] = [];
  for (const row of after.filter(isRecord)) {
    const id = String(row[key]);
    const was = old.get(id);
    old.delete(id);
    if (was === undefined) changes.push({ key: id, kind: 'added', cells: [], row });
    else {
      const cells = [...new Set([...Object.keys(was), ...Object.keys(row)])].flatMap((name) => {
        const [a, b] = [textOf(was[name]), textOf(row[name])];
        return a === b ? [] : [{ name, before: a, after: b }];
      });
      if (cells.length > 0) changes.push({ key: id, kind: 'changed', cells, row });
    }
  }
  for (const [id, row] of old) changes.push({ key: id, kind: 'removed', cells: [], row });
  return changes;
}

function textOf(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : spellJson(value);
}
