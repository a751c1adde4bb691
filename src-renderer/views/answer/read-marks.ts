/** Parts of a text that the model has read back, as lines beside it. Pure. */
import type { SpillUse } from '../../../src-main/rpc/contract.ts';
import { whole } from '../../lib/format.ts';

export interface LineRange {
  /** From 1, both ends included. */
  readonly fromLine: number;
  readonly toLine: number;
}

/** Ranges that touch are one. */
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

/** `line 7`, `lines 1 to 40`. */
export function rangeInWords({ fromLine, toLine }: LineRange): string {
  return fromLine === toLine ? `line ${whole(fromLine)}` : `lines ${whole(fromLine)}–${whole(toLine)}`;
}

/** The last reading first, equal ones once. */
export function lastReadings(marks: SpillUse['marks']): SpillUse['marks'] {
  const seen = new Set<string>();
  return marks.toReversed().filter(({ fromLine, toLine }) => {
    const key = `${fromLine}-${toLine}`;
    return !seen.has(key) && seen.add(key);
  });
}
