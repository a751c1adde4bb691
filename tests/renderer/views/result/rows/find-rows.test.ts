/** The columns of a table, and the texts of their cells. */
import { expect, test } from 'vitest';
import { findRows, numberText } from '../../../../../src-renderer/views/result/rows/find-rows.ts';
import { parseSpelled } from '../../../../../src-renderer/views/result/spelled-json.ts';

function texts(rows: string, column: string): readonly string[] {
  const table = findRows(parseSpelled(rows));
  const decimals = table?.columns.find(({ name }) => name === column)?.decimals ?? -1;
  return table?.rows.map((row) => numberText(row, column, decimals)) ?? [];
}

test.each([
  ['pads numbers to the longest fraction', '[{"a":1},{"a":2.5},{"a":-10.25}]', ['1.00', '2.50', '-10.25']],
  ['keeps whole numbers whole', '[{"a":1},{"a":200}]', ['1', '200']],
  [
    'pads numbers that a double cannot hold',
    '[{"a":1.1},{"a":12345678901234567890}]',
    ['1.1', '12345678901234567890.0'],
  ],
  [
    'shows long fractions and exponents as they are',
    '[{"a":0.1234567890123},{"a":1e30},{"a":3}]',
    ['0.1234567890123', '1e+30', '3'],
  ],
  ['leaves texts and missing values alone', '[{"a":1.5},{"a":"1"},{"a":null},{"b":1}]', ['1.5', '1', 'null', '']],
])('%s', (_name, rows, expected) => {
  expect(texts(rows, 'a')).toEqual(expected);
});
