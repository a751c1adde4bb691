/** Parts of a text that the model has read back, as line ranges. Pure. */
import type { SpillUse } from '../../../src-main/rpc/contract.ts';
import { count, whole } from '../../lib/format.ts';
import type { TableRows } from './rows/find-rows.ts';
import type { LinePlaces } from './line-places.ts';

export interface LineRange {
  /** 1-based, inclusive. */
  readonly fromLine: number;
  readonly toLine: number;
}

/** Merges adjacent ranges. */
export function mergeRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const merged: LineRange[] = [];
  for (const { fromLine, toLine } of ranges.toSorted((a, b) => a.fromLine - b.fromLine)) {
    const last = merged.at(-1);
    if (last !== undefined && fromLine <= last.toLine + 1) {
      merged[merged.length - 1] = { fromLine: last.fromLine, toLine: Math.max(last.toLine, toLine) };
    } else merged.push({ fromLine, toLine });
  }
  return merged;
}

export function isInRanges(ranges: readonly LineRange[], line: number): boolean {
  return ranges.some(({ fromLine, toLine }) => line >= fromLine && line <= toLine);
}

/** `line 7`, `lines 1–40`. */
function rangeInWords({ fromLine, toLine }: LineRange): string {
  return fromLine === toLine ? `line ${whole(fromLine)}` : `lines ${whole(fromLine)}–${whole(toLine)}`;
}

const names: Readonly<Record<SpillUse['reads'][number]['op'], string>> = {
  stat: 'Size',
  head: 'Lines',
  tail: 'Lines',
  slice: 'Lines',
  grep: 'Search',
  read: 'Text',
  query: 'JSONPath',
  sql: 'SQL',
  schema: 'Structure',
  table: 'Rows',
};

export function readName({ op }: SpillUse['reads'][number]): string {
  return names[op];
}

/** What was read: `lines 1–12`, `“Unhandled”, 93 matches`, the statement. */
export function readWords({ op, what, lines }: SpillUse['reads'][number]): string {
  const [only] = lines;
  if (op === 'grep') return `“${what}”, ${count(lines.length, 'part')}`;
  return what === '' ? (only === undefined ? '' : rangeInWords(only)) : what;
}

/** 0-based numbers of the rows of which a line was read. `ranges`: merged. */
export function rowsInRanges(
  places: LinePlaces,
  root: unknown,
  { rows, path }: TableRows,
  ranges: readonly LineRange[],
): readonly number[] {
  const start = ranges.length === 0 ? undefined : places.lineOf(root, path);
  if (start === undefined) return [];
  const starts = places.startsOf(rows, start);
  let at = 0;
  return [...starts].flatMap((fromLine, row) => {
    const toLine = fromLine + places.countOf(rows[row]) - 1;
    while ((ranges[at]?.toLine ?? Infinity) < fromLine) at++;
    const range = ranges[at];
    return range !== undefined && range.fromLine <= toLine ? [row] : [];
  });
}

/** The same for rows of one line each, the first one in line `firstLine`. */
export function rowsOfLines(firstLine: number, count: number, ranges: readonly LineRange[]): readonly number[] {
  return ranges.flatMap(({ fromLine, toLine }) => {
    const from = Math.max(0, fromLine - firstLine);
    return Array.from(
      { length: Math.max(0, Math.min(count - 1, toLine - firstLine) - from + 1) },
      (_, at) => from + at,
    );
  });
}

/** How much of these lines was read. `ranges`: merged. */
export function readShare(ranges: readonly LineRange[], { fromLine, toLine }: LineRange): 'all' | 'part' | 'none' {
  const range = ranges.find((one) => one.toLine >= fromLine && one.fromLine <= toLine);
  if (range === undefined) return 'none';
  return range.fromLine <= fromLine && range.toLine >= toLine ? 'all' : 'part';
}
