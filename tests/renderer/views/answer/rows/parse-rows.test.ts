/** Texts in CSV, TSV and NDJSON as rows. */
import { expect, test } from 'vitest';
import { parseDelimited, parseLines } from '../../../../../src-renderer/views/answer/rows/parse-rows.ts';

test('reads quoted cells with separators, quotation marks and line ends in them', () => {
  const text = 'id,name\r\n1,"a, ""b""\nc"\r\n2,d\r\n';
  expect(parseDelimited(text, ',')).toEqual([
    { id: 1, name: 'a, "b"\nc' },
    { id: 2, name: 'd' },
  ]);
});

test('a column is of numbers where every cell is one that a double holds', () => {
  const [row] = parseDelimited('a\tb\tc\td\n1.50\t007\t9007199254740993\t\n', '\t');
  expect(row).toEqual({ a: 1.5, b: '007', c: '9007199254740993', d: null });
});

test('names columns without a name, and fills short lines', () => {
  expect(parseDelimited('a,,c\n1\nx,y,z,more\n', ',')).toEqual([
    { a: '1', 'column 2': null, c: null },
    { a: 'x', 'column 2': 'y', c: 'z' },
  ]);
});

test('reads a line each, and keeps a line that is no JSON', () => {
  expect(parseLines('{"a":1}\n\nno json\n[2]\n')).toEqual([{ a: 1 }, 'no json', [2]]);
});
