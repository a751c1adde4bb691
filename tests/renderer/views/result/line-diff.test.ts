/** Comparison of two texts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differences, isSame, lineDiff } from '../../../../src-renderer/views/result/line-diff.ts';
import { madeUp } from '../../../support/all-cases.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });

test('lists every line of both texts once, in order, with a minimal number of differences', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const rows = lineDiff(before, after);
      expect(rows.flatMap((row) => row.before ?? [])).toEqual(before.map((_, at) => at + 1));
      expect(rows.flatMap((row) => row.after ?? [])).toEqual(after.map((_, at) => at + 1));
      expect(rows.filter((row) => isSame(row, before, after)).length).toBeGreaterThanOrEqual(longest(before, after));
    }),
    madeUp(500),
  );
});

test('shows an inserted line as the only difference', () => {
  const before = ['{', '  "a": 1,', '  "b": 2', '}'];
  const after = ['{', '  "a": 1,', '  "new": true,', '  "b": 2', '}'];
  const rows = lineDiff(before, after);
  expect(differences(rows, before, after)).toBe(1);
  expect(rows[2]).toEqual({ before: undefined, after: 3 });
});

test('finishes for texts without a common line', () => {
  const [before, after] = ['x', 'y'].map((word) => Array.from({ length: 5000 }, (_, at) => word + at));
  expect(lineDiff(before ?? [], after ?? [])).toHaveLength(5000);
});

/** Length of the longest common subsequence of lines, by the textbook algorithm. */
function longest(a: readonly string[], b: readonly string[]): number {
  const [first, second] = [a[0], b[0]];
  if (first === undefined || second === undefined) return 0;
  const table = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const [left, above] = [table[i]?.[j - 1] ?? 0, table[i - 1]?.[j] ?? 0];
      (table[i] ?? [])[j] = a[i - 1] === b[j - 1] ? (table[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(left, above);
    }
  }
  return table[a.length]?.[b.length] ?? 0;
}
