/** Facts of columns, groups, and rows of two tables. */
import { expect, test } from 'vitest';
import { columnFacts, factsInWords } from '../../../../../src-renderer/views/result/rows/column-facts.ts';
import { findRows } from '../../../../../src-renderer/views/result/rows/find-rows.ts';
import { groupRows } from '../../../../../src-renderer/views/result/rows/group-rows.ts';
import { keyColumn, rowChanges } from '../../../../../src-renderer/views/result/rows/row-diff.ts';

const rows = [
  { id: 'a', at: '2026-09-01', state: 'open', total: 10, tags: ['x'] },
  { id: 'b', at: '2026-09-02', state: 'open', total: 20.5, tags: [] },
  { id: 'c', at: '2026-11-03', state: 'done', total: 30, tags: [] },
];
const table = findRows({ orders: rows });
if (table === undefined) throw new Error('no table');
const facts = table.columns.map(({ name }) => columnFacts(table, name));

test('describes a column by type, range or values, and distribution', () => {
  expect(facts.map(({ type }) => type)).toEqual(['text', 'date', 'text', 'number', 'nested']);
  expect(facts[2]?.values).toEqual([
    { text: 'open', count: 2 },
    { text: 'done', count: 1 },
  ]);
  expect(facts[3]).toMatchObject({ min: 10, max: 30 });
  expect(facts[3]?.bins.reduce((sum, bin) => sum + bin, 0)).toBe(3);
  expect(facts.map(factsInWords)).toEqual([
    '3 different',
    expect.stringMatching(/ – /),
    '2 values',
    '10 – 30',
    'nested',
  ]);
});

test('groups count rows and sum numeric columns, largest group first', () => {
  expect(groupRows(table, [0, 1, 2], 'state', facts).rows).toEqual([
    { state: 'open', count: 2, 'sum of total': 30.5 },
    { state: 'done', count: 1, 'sum of total': 30 },
  ]);
});

test('compares rows by their key column', () => {
  const after = [{ ...rows[1], total: 21 }, rows[2], { id: 'd', total: 1 }];
  expect(keyColumn(rows, after)).toBe('id');
  expect(rowChanges(rows, after, 'id').map(({ kind, key, cells }) => [kind, key, ...cells])).toEqual([
    ['changed', 'b', { name: 'total', before: '20.5', after: '21' }],
    ['added', 'd'],
    ['removed', 'a'],
  ]);
  expect(keyColumn([{ a: 1 }, { a: 1 }], [{ a: 1 }])).toBeUndefined();
});
