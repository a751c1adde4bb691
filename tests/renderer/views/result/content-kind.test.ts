/** Detects the kind of a result's content by its start. */
import { expect, test } from 'vitest';
import { contentKindOf } from '../../../../src-renderer/views/result/content-kind.ts';

test.each([
  ['json', '{"a": 1}', 'json'],
  ['text', '{"a":1}\n{"a":2}\n{"a":3}', 'ndjson'],
  ['text', 'id,name,total\n1,"a, b",2\n2,c,3\n', 'csv'],
  ['text', 'id\tname\n1\ta\n2\tb\n3\tc\n', 'tsv'],
  [
    'text',
    '2026-11-27T00:00:00Z INFO ready\n    at run (a.js:1)\n2026-11-27T00:00:01Z ERROR no\n2026-11-27T00:00:02Z INFO x',
    'log',
  ],
  ['text', '<!doctype html>\n<html><body>hello</body></html>', 'html'],
  ['text', '<?xml version="1.0"?>\n<feed><entry/></feed>', 'xml'],
  ['text', '# Title\n\n- one\n- two\n\ntext', 'markdown'],
  ['text', 'Hello, this is a text.\nIt has two lines, no more.', 'text'],
  ['text', '', 'text'],
  ['image', '', 'image'],
] as const)('%s that begins with %j is %s', (kind, text, content) => {
  expect(contentKindOf(kind, text.split('\n'))).toBe(content);
});
