/** Maps values of a spilled JSON to lines, and to the parts that were read. */
import { expect, test } from 'vitest';
import { LinePlaces } from '../../../../src-renderer/views/result/line-places.ts';
import { mergeRanges, readShare, rowsInRanges } from '../../../../src-renderer/views/result/read-marks.ts';
import { findRows } from '../../../../src-renderer/views/result/rows/find-rows.ts';
import { treeRows } from '../../../../src-renderer/views/result/json-tree.ts';

const value = {
  meta: { count: 3, empty: [] },
  data: { rows: [{ id: 1 }, { id: 2, tags: ['a'] }, { id: 3 }] },
  end: null,
};
const lines = JSON.stringify(value, null, 2).split('\n');
const places = new LinePlaces();

test('counts the lines of the file’s layout', () => {
  expect(places.countOf(value)).toBe(lines.length);
});

test('gives each row of the tree the line where it starts', () => {
  const open = new Set(['$', '$["meta"]', '$["data"]', '$["data"]["rows"]', '$["data"]["rows"][1]']);
  for (const row of treeRows(value, open, new Map(), places)) {
    if ('more' in row || row.line === undefined) throw new Error('no line');
    const line = lines[row.line - 1] ?? '';
    const begins = row.name === '' || row.isIndex ? '' : `"${row.name}": `;
    const opens = row.size === undefined ? JSON.stringify(row.value) : Array.isArray(row.value) ? '[' : '{';
    expect(line.trim()).toContain(begins + opens);
  }
});

test('marks a row as read where one of its lines was read', () => {
  const table = findRows(value);
  if (table === undefined) throw new Error('no table');
  const at = lines.findIndex((line) => line.includes('"tags"')) + 1;
  expect(rowsInRanges(places, value, table, [{ fromLine: at, toLine: at }])).toEqual([1]);
  expect(rowsInRanges(places, value, table, mergeRanges([{ fromLine: 1, toLine: at }]))).toEqual([0, 1]);
  expect(rowsInRanges(places, value, table, [])).toEqual([]);
});

test('reports a value as read completely, partly or not at all', () => {
  const ranges = [{ fromLine: 3, toLine: 6 }];
  expect([
    readShare(ranges, { fromLine: 4, toLine: 5 }),
    readShare(ranges, { fromLine: 1, toLine: 9 }),
    readShare(ranges, { fromLine: 7, toLine: 9 }),
  ]).toEqual(['all', 'part', 'none']);
});
