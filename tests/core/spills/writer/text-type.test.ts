/** The media type of a text that was sent without one. */
import { expect, test } from 'vitest';
import { textTypeOf } from '../../../../src-main/core/spills/writer/text-type.ts';

const rows = (line: (at: number) => string): string => Array.from({ length: 2_000 }, (_, at) => line(at)).join('\n');

test.each([
  ['text/csv', 'id,name,total\n1,"a, b",2\n2,c,3\n'],
  ['text/csv', `\ufeffid;at;total\r\n${rows((at) => `${at};2026-11-27T00:00:${at % 60};${at / 8}\r`)}`],
  ['text/csv', `at,level,text\n${rows((at) => `2026-11-27,INFO,"line ${at}"`)}`],
  ['text/tab-separated-values', 'id\tname\n1\ta\n2\tb\n3\tc\n'],
  ['application/x-ndjson', '{"a":1}\n{"a":2}\n{"a":3}'],
  [
    'text/x-log',
    '2026-11-27T00:00:00Z INFO ready\n    at run (a.js:1)\n2026-11-27T00:00:01Z ERROR no\n2026-11-27T00:00:02Z INFO x',
  ],
  ['text/html', '<!doctype html>\n<html><body><table><tr><td>1</td></tr></table></body></html>'],
  ['text/xml', '<?xml version="1.0"?>\n<feed><entry/></feed>'],
  ['text/markdown', '# Title\n\n- one\n- two\n\ntext'],
  ['text/markdown', '| a | b |\n| - | - |\n| 1 | 2 |\n'],
  ['text/plain', 'Hello, this is a text.\nIt has two lines, no more.'],
  ['text/plain', ''],
])('is %s for %j', (type, text) => {
  const first = Buffer.from(text);
  expect(textTypeOf({ first, bytes: first.length })).toBe(type);
});
