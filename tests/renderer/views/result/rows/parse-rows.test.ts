/** Texts in CSV, TSV and NDJSON as rows. */
import { expect, test } from 'vitest';
import { parseDelimited, parseLines } from '../../../../../src-renderer/views/result/rows/parse-rows.ts';

test('parses quoted cells with separators, quotation marks and line ends', () => {
  const text = 'id,name\r\n1,"a, ""b""\nc"\r\n2,d\r\n';
  expect(parseDelimited(text, ',')).toEqual([
    { id: 1, name: 'a, "b"\nc' },
    { id: 2, name: 'd' },
  ]);
});

test('parses a column as numbers only if a double holds every cell', () => {
  const [row] = parseDelimited('a\tb\tc\td\n1.50\t007\t9007199254740993\t\n', '\t');
  expect(row).toEqual({ a: 1.5, b: '007', c: '9007199254740993', d: null });
});

test('names unnamed columns, and pads short lines', () => {
  expect(parseDelimited('a,,c\n1\nx,y,z,more\n', ',')).toEqual([
    { a: '1', 'column 2': null, c: null },
    { a: 'x', 'column 2': 'y', c: 'z' },
  ]);
});

test('parses each line, and keeps a line that is not JSON as text', () => {
  expect(parseLines('{"a":1}\n\nno json\n[2]\n')).toEqual([{ a: 1 }, 'no json', [2]]);
});
