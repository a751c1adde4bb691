/** Compares the lines of two texts. Pure. */
import { diffArrays } from 'diff';

export interface DiffRow {
  /** 1-based; undefined: no line on this side. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/**
 * Maximum number of different lines; beyond it, everything between the common beginning and end is shown as different.
 */
const maxEditLength = 800;

/** Equal lines share a row, and so do lines that replace each other. Pure. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffRow[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const pairs = [
    ...Array.from({ length: head }, (_, at): readonly [number, number] => [at, at]),
    ...common(old, fresh).map(([a, b]): readonly [number, number] => [a + head, b + head]),
    ...Array.from({ length: tail }, (_, at): readonly [number, number] => [
      before.length - tail + at,
      after.length - tail + at,
    ]),
  ];
  return rowsBetween(pairs, before.length, after.length);
}

/** Number of rows that differ. */
export function differences(rows: readonly DiffRow[], before: readonly string[], after: readonly string[]): number {
  return rows.filter((row) => !isSame(row, before, after)).length;
}

export function isSame({ before: a, after: b }: DiffRow, before: readonly string[], after: readonly string[]): boolean {
  return a !== undefined && b !== undefined && before[a - 1] === after[b - 1];
}

function rowsBetween(pairs: readonly (readonly [number, number])[], before: number, after: number): DiffRow[] {
  const rows: DiffRow[] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...pairs, [before, after] as const]) {
    while (a < nextA || b < nextB) {
      rows.push({ before: a < nextA ? ++a : undefined, after: b < nextB ? ++b : undefined });
    }
    if (a < before && b < after) rows.push({ before: ++a, after: ++b });
  }
  return rows;
}

/** Equal lines in order, as pairs of indexes. Empty if the texts differ in too many lines. */
function common(old: readonly string[], fresh: readonly string[]): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let [a, b] = [0, 0];
  for (const { added, removed, count } of diffArrays([...old], [...fresh], { maxEditLength }) ?? []) {
    if (!added && !removed) for (let at = 0; at < count; at++) pairs.push([a + at, b + at]);
    if (!added) a += count;
    if (!removed) b += count;
  }
  return pairs;
}
