/** Statements of SQL: completed, told apart, and their rows as a table. */
import { expect, test } from 'vitest';
import {
  completed,
  isSelection,
  numbersOf,
  resultTable,
} from '../../../../../src-renderer/views/answer/query/sql-answer.ts';

test('Tab completes a column, then a word of SQL, as far as there is one way', () => {
  expect(completed('SELECT cou', 10, ['country', 'customer'])).toEqual({ text: 'SELECT country', at: 14 });
  expect(completed('sel', 3, [])).toEqual({ text: 'SELECT', at: 6 });
  expect(completed('SELECT c', 8, ['country', 'counter'])?.text).toBe('SELECT count');
  expect(completed('SELECT x', 8, ['country'])).toBeUndefined();
  expect(completed('SELECT ', 7, ['country'])).toBeUndefined();
});

test('a plain selection is told from a statement whose rows are not those of the table', () => {
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

test('columns of the same name are told apart', () => {
  const table = resultTable({ columns: ['a', 'a'], rows: [[1, 'x']] });
  expect(table.rows).toEqual([{ a: 1, 'a 2': 'x' }]);
});
