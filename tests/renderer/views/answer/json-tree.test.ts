/** Values as trees and tables. */
import { expect, test } from 'vitest';
import { cellText, findRows } from '../../../../src-renderer/views/answer/rows/find-rows.ts';
import { firstOpen, gist, treeRows, valueText } from '../../../../src-renderer/views/answer/json-tree.ts';
import { partOf } from '../../../../src-renderer/views/answer/read-document.ts';
import { parseSpelled } from '../../../../src-renderer/views/answer/spelled-json.ts';

const value = { total: 2, issues: [{ number: 1, title: 'A' }, { number: 2 }], empty: [] };

function paths(open: readonly string[], of: unknown = value): string[] {
  return treeRows(of, new Set(open)).map((row) => ('more' in row ? `${row.path} +${row.more}` : row.path));
}

test('only what is unfolded has rows', () => {
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

test('of a long list the beginning has rows, and the rest is one that tells how many there are', () => {
  const rows = paths(
    ['$'],
    Array.from({ length: 100_000 }, (_, index) => index),
  );
  expect([rows.length, rows.at(-1)]).toEqual([202, '$ +99800']);
});

test('a list that is all there is lies open from the start', () => {
  expect([...firstOpen({ total: 1, items: Array.from({ length: 500 }) })]).toEqual(['$', '$["items"]']);
});

test('a group that is folded in says what is inside', () => {
  expect([gist({ a: 1, b: 'x', c: [1], d: {}, e: 2 }), gist(['bug'])]).toEqual([
    '{a: 1, b: "x", c: […], d: {…}, … 5 members}',
    '["bug"]',
  ]);
});

test('a number that no double holds keeps its digits', () => {
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

test('rows of a table are the longest list of objects near the top, with every name as a column', () => {
  const table = findRows(value);
  expect([table?.name, table?.columns.map(({ name }) => name)]).toEqual(['issues', ['number', 'title']]);
  expect(cellText(table?.rows[1], 'title')).toBe('');
});

test('what holds no list of objects has no table', () => {
  expect([findRows([1, 2]), findRows({ a: [] }), findRows('x'), findRows([{ a: 1 }, 2])]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a part is one value or a list, and a line that was cut is left out', () => {
  expect([
    partOf('{"a":1}', false).value,
    partOf('1\n2', false).value,
    partOf('1\n[2,\n[TRUNCATED', true).value,
  ]).toEqual([{ a: 1 }, [1, 2], [1]]);
});
