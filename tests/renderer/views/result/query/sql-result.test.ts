/** SQL statements: completion, classification, and result rows as a table. */
import { expect, test } from 'vitest';
import {
  completed,
  isSelection,
  numbersOf,
  resultTable,
} from '../../../../../src-renderer/views/result/query/sql-result.ts';

test('Tab completes a column, then a SQL keyword, up to the first ambiguity', () => {
  expect(completed('SELECT cou', 10, ['country', 'customer'])).toEqual({ text: 'SELECT country', at: 14 });
  expect(completed('sel', 3, [])).toEqual({ text: 'SELECT', at: 6 });
  expect(completed('SELECT c', 8, ['country', 'counter'])?.text).toBe('SELECT count');
  expect(completed('SELECT x', 8, ['country'])).toBeUndefined();
  expect(completed('SELECT ', 7, ['country'])).toBeUndefined();
});

test('distinguishes a plain selection from a statement that computes rows', () => {
  expect(isSelection("SELECT * FROM rows WHERE status = 'open' LIMIT 3")).toBe(true);
  for (const one of [
    'SELECT count(*) FROM rows',
    'SELECT a FROM rows GROUP BY a',
    'SELECT 1',
    'SELECT DISTINCT a FROM rows',
  ]) {
    expect(isSelection(one)).toBe(false);
  }
  expect(numbersOf('SELECT id, total\nFROM rows WHERE a = 1 ORDER BY id LIMIT 3;')).toBe(
    'SELECT rowid FROM rows WHERE a = 1 ORDER BY id LIMIT 3',
  );
});

test('renames columns that have the same name', () => {
  const table = resultTable({ columns: ['a', 'a'], rows: [[1, 'x']] });
  expect(table.rows).toEqual([{ a: 1, 'a 2': 'x' }]);
});
