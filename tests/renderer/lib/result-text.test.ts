/** Texts of calls made readable. */
import { expect, test } from 'vitest';
import { prettyJson, resultBlocks } from '../../../src-renderer/lib/result-text.ts';

test.each([
  '{"a":[1,{"b":"x, y: {z}"}],"c":[],"d":{},"e":null}',
  '[]',
  '"text with \\" and \\\\"',
  '[[],[[]],{"a":{}}]',
  '-12.5',
])('%s is spread over lines as JSON.stringify does it', (json) => {
  expect(prettyJson(json)).toBe(JSON.stringify(JSON.parse(json), undefined, 2));
});

test('a number that no double holds keeps its digits', () => {
  expect(prettyJson('{"id":9007199254740993}')).toContain('9007199254740993');
});

test('a text that was cut is shown as far as it goes', () => {
  expect(prettyJson('{"a":[1,"tex')).toBe('{\n  "a": [\n    1,\n    "tex');
});

test('a result is shown block by block, JSON within a text spread out', () => {
  const result = {
    content: [
      { type: 'text', text: '{"a":1}' },
      { type: 'image', mimeType: 'image/png', data: 'abcd' },
      { type: 'resource_link', uri: 'tooltray://spill/x' },
    ],
  };
  expect(resultBlocks(JSON.stringify(result))).toEqual([
    { title: 'Text', text: '{\n  "a": 1\n}' },
    { title: 'image/png', text: '4 characters of base64' },
    { title: 'resource_link', text: 'tooltray://spill/x' },
  ]);
});

test('structured content keeps the digits of its numbers', () => {
  const json = '{"content":[],"structuredContent":{"id":9007199254740993,"a":[1]},"isError":false}';
  expect(resultBlocks(json)).toEqual([
    { title: 'Structured content', text: '{\n  "id": 9007199254740993,\n  "a": [\n    1\n  ]\n}' },
  ]);
});

test('what is no whole result has no blocks', () => {
  expect(['{"content":[{"ty', '[1]', 'text', '{}'].map(resultBlocks)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
