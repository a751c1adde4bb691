/** Splits payloads into parts, and queries a part. */
import { expect, test } from 'vitest';
import { requestParts, resultParts } from '../../../../src-renderer/views/result/said-parts.ts';
import { answerText } from '../../../../src-renderer/views/result/text-questions.ts';

test('makes a part of each block by its kind, and a last part of the exact text', () => {
  const result = {
    content: [
      { type: 'text', text: '{"id":9007199254740993}' },
      { type: 'text', text: 'words' },
      { type: 'image', mimeType: 'image/png', data: 'abcd' },
      { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/html', text: '<p>hi</p>' } },
    ],
    structuredContent: { a: 1 },
  };
  const json = JSON.stringify(result);
  expect(resultParts(json).map(({ title, kind, original }) => [title, kind, original])).toEqual([
    ['Text', 'json', '{"id":9007199254740993}'],
    ['Text', 'text', 'words'],
    ['image/png', 'image', 'abcd'],
    ['text/html', 'text', '<p>hi</p>'],
    ['Structured content', 'json', '{\n  "a": 1\n}'],
    ['Raw', 'text', json],
  ]);
});

test('shows invalid JSON as it is', () => {
  expect(resultParts('{"content":[{"ty').map(({ title }) => title)).toEqual(['Raw']);
  expect(requestParts('{"a":').map(({ title }) => title)).toEqual(['Raw']);
});

test('shows a list, which is not a tool result, as data', () => {
  expect(resultParts('{"tools":[]}').map(({ title, kind }) => [title, kind])).toEqual([
    ['Formatted', 'json'],
    ['Raw', 'text'],
  ]);
});

test('a path query returns values with all digits', () => {
  expect(
    answerText({ op: 'query', text: '{"items":[{"id":9007199254740993},{"id":2}]}', path: '$.items[*].id' }),
  ).toEqual({
    op: 'query',
    text: '9007199254740993\n2',
    truncated: false,
  });
});

test('returns matching lines up to a limit, with the total', () => {
  const text = Array.from({ length: 1500 }, (_, at) => `Line ${at}`).join('\n');
  const found = answerText({ op: 'find', text, pattern: 'line' });
  expect(found.op === 'find' && [found.matches.length, found.total]).toEqual([1000, 1500]);
  expect(answerText({ op: 'find', text, pattern: '(' }).op).toBe('failed');
  expect(answerText({ op: 'query', text, path: '$' }).op).toBe('failed');
});
