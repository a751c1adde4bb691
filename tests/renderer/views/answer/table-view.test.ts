/** Rows in the order a person wants. */
import { expect, test } from 'vitest';
import { findRows } from '../../../../src-renderer/views/answer/find-rows.ts';
import { parseSpelled } from '../../../../src-renderer/views/answer/spelled-json.ts';
import { nextOrder, shownRows, tableCsv, tableJson } from '../../../../src-renderer/views/answer/table-view.ts';

const table = findRows(
  parseSpelled('[{"n":10,"t":"b"},{"n":9,"t":"=a"},{"t":"C"},{"n":9007199254740993,"t":"a","x":{"y":[1]}}]'),
);

test('numbers are put in order as numbers, what has none comes last, either way', () => {
  expect(table && shownRows(table, '', { column: 'n', isDown: false })).toEqual([1, 0, 3, 2]);
  expect(table && shownRows(table, '', { column: 'n', isDown: true })).toEqual([3, 0, 1, 2]);
});

test('words are put in order whatever their case, and a filter looks into every cell', () => {
  expect(table && shownRows(table, '', { column: 't', isDown: false })).toEqual([1, 3, 0, 2]);
  expect(table && shownRows(table, '9007', undefined)).toEqual([3]);
});

test('a column is put in order up, then down, then left as it came', () => {
  const up = nextOrder(undefined, 'n');
  const down = nextOrder(up, 'n');
  expect([up, down, nextOrder(down, 'n'), nextOrder(down, 't')]).toEqual([
    { column: 'n', isDown: false },
    { column: 'n', isDown: true },
    undefined,
    { column: 't', isDown: false },
  ]);
});

test('a file has whole values with all of their digits, and nothing that a spreadsheet would reckon with', () => {
  expect(table && tableCsv(table, [1, 3])).toBe('n,t,x\r\n9,\'=a,\r\n9007199254740993,a,"{""y"":[1]}"\r\n');
  expect(table && JSON.parse(tableJson(table, [2]))).toEqual([{ t: 'C' }]);
});
