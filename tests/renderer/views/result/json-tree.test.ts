/** Values as trees and tables. */
import { expect, test } from 'vitest';
import { cellText, findRows } from '../../../../src-renderer/views/result/rows/find-rows.ts';
import { firstOpen, gist, treeRows, valueText } from '../../../../src-renderer/views/result/json-tree.ts';
import { partOf } from '../../../../src-renderer/views/result/read-document.ts';
import { parseSpelled } from '../../../../src-renderer/views/result/spelled-json.ts';

const value = { total: 2, issues: [{ number: 1, title: 'A' }, { number: 2 }], empty: [] };

function paths(open: readonly string[], of: unknown = value): string[] {
  return treeRows(of, new Set(open)).map((row) => ('more' in row ? `${row.path} +${row.more}` : row.path));
}

test('shows rows of unfolded values only', () => {
  expect(paths([])).toEqual(['$']);
  expect(paths(['$', '$["issues"]'])).toEqual([
    '$',
    '$["total"]',
    '$["issues"]',
    '$["issues"][0]',
    '$["issues"][1]',
    '$["empty"]',
  ]);
});

test('shows the start of a long list, and one row with the number of the rest', () => {
  const rows = paths(
    ['$'],
    Array.from({ length: 100_000 }, (_, index) => index),
  );
  expect([rows.length, rows.at(-1)]).toEqual([202, '$ +99800']);
});

test('unfolds a list initially if it is the only one', () => {
  expect([...firstOpen({ total: 1, items: Array.from({ length: 500 }) })]).toEqual(['$', '$["items"]']);
});

test('summarizes a folded value', () => {
  expect([gist({ a: 1, b: 'x', c: [1], d: {}, e: 2 }), gist(['bug'])]).toEqual([
    '{a: 1, b: "x", c: […], d: {…}, … 5 members}',
    '["bug"]',
  ]);
});

test('keeps the digits of a number that exceeds a double', () => {
  const parsed = parseSpelled('{"id": 9007199254740993, "n": 1, "text": "9007199254740993"}') as Record<
    string,
    unknown
  >;
  expect(['id', 'n', 'text'].map((name) => valueText(parsed[name]))).toEqual([
    '9007199254740993',
    '1',
    '"9007199254740993"',
  ]);
});

test('makes a table of the longest list of objects near the top, with every name as a column', () => {
  const table = findRows(value);
  expect([table?.name, table?.columns.map(({ name }) => name)]).toEqual(['issues', ['number', 'title']]);
  expect(cellText(table?.rows[1], 'title')).toBe('');
});

test('finds no table without a list of objects', () => {
  expect([findRows([1, 2]), findRows({ a: [] }), findRows('x'), findRows([{ a: 1 }, 2])]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('parses a part as one value or a list, without a truncated line', () => {
  expect([
    partOf('{"a":1}', false).value,
    partOf('1\n2', false).value,
    partOf('1\n[2,\n[TRUNCATED', true).value,
  ]).toEqual([{ a: 1 }, [1, 2], [1]]);
});
