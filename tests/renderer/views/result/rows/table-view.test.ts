/** Sorts and filters rows of a table. */
import { expect, test } from 'vitest';
import { findRows } from '../../../../../src-renderer/views/result/rows/find-rows.ts';
import { parseSpelled } from '../../../../../src-renderer/views/result/spelled-json.ts';
import { columnFacts } from '../../../../../src-renderer/views/result/rows/column-facts.ts';
import {
  nextOrder,
  shownRows,
  tableCsv,
  tableJson,
  type TableWishes,
} from '../../../../../src-renderer/views/result/rows/table-view.ts';

const table = findRows(
  parseSpelled('[{"n":10,"t":"b"},{"n":9,"t":"=a"},{"t":"C"},{"n":9007199254740993,"t":"a","x":{"y":[1]}}]'),
);

function shown(wishes: Partial<TableWishes>): readonly number[] | undefined {
  const facts = new Map(table?.columns.map(({ name }) => [name, columnFacts(table, name)]));
  const plain = { search: '', order: undefined, filters: {}, chosen: {}, facts };
  return table && shownRows(table, { ...plain, ...wishes });
}

test.each([
  [{ n: '> 9' }, [0, 3]],
  [{ n: '<=9' }, [1]],
  [{ n: '9..10' }, [0, 1]],
  [{ t: '!a' }, [0, 2]],
  [{ t: 'c' }, [2]],
  [{ n: '>' }, []],
  [{ n: '>= 10', t: 'B' }, [0]],
])('the filter %j keeps rows %j', (filters, rows) => {
  expect(shown({ filters })).toEqual(rows);
});

test('keeps rows with the chosen values, and all rows if none is chosen', () => {
  expect(shown({ chosen: { t: new Set(['b', 'C']) } })).toEqual([0, 2]);
  expect(shown({ chosen: { t: new Set() } })).toHaveLength(4);
});

test('sorts numbers numerically, with missing values last in both directions', () => {
  expect(shown({ order: { column: 'n', isDown: false } })).toEqual([1, 0, 3, 2]);
  expect(shown({ order: { column: 'n', isDown: true } })).toEqual([3, 0, 1, 2]);
});

test('sorts text case-insensitively, and searches every cell', () => {
  expect(shown({ order: { column: 't', isDown: false } })).toEqual([1, 3, 0, 2]);
  expect(shown({ search: '9007' })).toEqual([3]);
});

test('cycles a column through ascending, descending and unsorted', () => {
  const up = nextOrder(undefined, 'n');
  const down = nextOrder(up, 'n');
  expect([up, down, nextOrder(down, 'n'), nextOrder(down, 't')]).toEqual([
    { column: 'n', isDown: false },
    { column: 'n', isDown: true },
    undefined,
    { column: 't', isDown: false },
  ]);
});

test('exports values with all digits, and escapes spreadsheet formulas', () => {
  expect(table && tableCsv(table, [1, 3])).toBe('n,t,x\r\n9,\'=a,\r\n9007199254740993,a,"{""y"":[1]}"\r\n');
  expect(table && JSON.parse(tableJson(table, [2]))).toEqual([{ t: 'C' }]);
});
