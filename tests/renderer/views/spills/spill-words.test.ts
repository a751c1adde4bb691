/** Texts about spills, their reads and matches. */
import { expect, test } from 'vitest';
import type { SpillRow } from '../../../../src-main/rpc/contract.ts';
import { literalPattern, matchesInWords, splitAtMatch } from '../../../../src-renderer/views/result/find-in-text.ts';
import { isInRanges, mergeRanges, readWords } from '../../../../src-renderer/views/result/read-marks.ts';
import { readSpillRows } from '../../../../src-renderer/views/spills/read-spill-rows.ts';
import { expiryInWords, noReadsText, usageInWords } from '../../../../src-renderer/views/spills/spill-words.ts';

const hour = 3_600_000;

test.each([
  [{ pinned: true, expiresAt: undefined }, 'Pinned'],
  [{ pinned: false, expiresAt: 7 * 24 * hour - 1 }, 'in 7 days'],
  [{ pinned: false, expiresAt: 5 * hour }, 'in 5 h'],
  [{ pinned: false, expiresAt: -1 }, 'soon'],
])('%j expires %s', (spill, words) => {
  expect(expiryInWords(spill as SpillRow, 0)).toBe(words);
});

test('says that nothing was read back only once that is known', () => {
  expect([undefined, [{}], []].map(noReadsText)).toEqual(['', '', 'Nothing was read back.']);
});

test('describes the used quota in one line', () => {
  expect(usageInWords({ bytes: 412e6, maxBytes: 1e9, count: 12, retentionDays: 7 })).toBe(
    '412 MB of 1 GB · 12 spills · retained 7 days',
  );
});

test('merges ranges that touch or overlap', () => {
  const ranges = mergeRanges([
    { fromLine: 50, toLine: 60 },
    { fromLine: 1, toLine: 10 },
    { fromLine: 11, toLine: 20 },
    { fromLine: 5, toLine: 8 },
  ]);
  expect(ranges).toEqual([
    { fromLine: 1, toLine: 20 },
    { fromLine: 50, toLine: 60 },
  ]);
  expect([20, 21, 50].map((line) => isInRanges(ranges, line))).toEqual([true, false, true]);
});

test('describes a read by its request', () => {
  const read = { bytes: 10, at: 1, what: '', lines: [{ fromLine: 1, toLine: 1_200 }] } as const;
  expect([
    readWords({ ...read, op: 'slice' }),
    readWords({ ...read, op: 'grep', what: 'x' }),
    readWords({ ...read, op: 'sql', what: 'SELECT 1', lines: [] }),
    readWords({ ...read, op: 'stat', lines: [] }),
  ]).toEqual(['lines 1–1,200', '“x”, 1 part', 'SELECT 1', '']);
});

test('escapes pattern characters in a search text', () => {
  const text = 'a.b(c)[d]{e}|$^*+?\\/-';
  expect(new RegExp(literalPattern(text)).exec(`x${text}`)?.[0]).toBe(text);
});

test('splits a line around its first match, ignoring case', () => {
  expect([splitAtMatch('an Issue here', 'issue'), splitAtMatch('nothing', 'issue')]).toEqual([
    ['an ', 'Issue', ' here'],
    ['nothing', '', ''],
  ]);
});

test('shows the position among the matches, and whether there are more than shown', () => {
  expect([matchesInWords(1, 14, 14), matchesInWords(0, 1000, 20_400), matchesInWords(0, 0, 0)]).toEqual([
    '2 of 14',
    '1 of the first 1,000 of 20,400',
    'no matches',
  ]);
});

test('reads every page of the list, also after a page with a deleted spill', async () => {
  const ids = Array.from({ length: 2400 }, (_, index) => String(index));
  const rows = await readSpillRows(async ({ limit = 0, beforeId }) => {
    const from = beforeId === undefined ? 0 : Number(beforeId) + 1;
    const page = ids.slice(from, from + limit).filter((id) => id !== '5');
    return { spills: page.map((id) => ({ id }) as SpillRow) };
  });
  expect(rows.length).toBe(2399);
});
