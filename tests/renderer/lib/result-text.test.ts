/** Formats payload texts for reading. */
import { expect, test } from 'vitest';
import { prettyJson, resultBlocks } from '../../../src-renderer/lib/result-text.ts';

test.each([
  '{"a":[1,{"b":"x, y: {z}"}],"c":[],"d":{},"e":null}',
  '[]',
  '"text with \\" and \\\\"',
  '[[],[[]],{"a":{}}]',
  '-12.5',
])('formats %s as JSON.stringify does', (json) => {
  expect(prettyJson(json)).toBe(JSON.stringify(JSON.parse(json), undefined, 2));
});

test('keeps the digits of a number that exceeds a double', () => {
  expect(prettyJson('{"id":9007199254740993}')).toContain('9007199254740993');
});

test('formats truncated JSON up to its end', () => {
  expect(prettyJson('{"a":[1,"tex')).toBe('{\n  "a": [\n    1,\n    "tex');
});

test('formats a result block by block, with JSON inside texts', () => {
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

test('keeps the digits of numbers in structured content', () => {
  const json = '{"content":[],"structuredContent":{"id":9007199254740993,"a":[1]},"isError":false}';
  expect(resultBlocks(json)).toEqual([
    { title: 'Structured content', text: '{\n  "id": 9007199254740993,\n  "a": [\n    1\n  ]\n}' },
  ]);
});

test('returns no blocks for an incomplete result', () => {
  expect(['{"content":[{"ty', '[1]', 'text', '{}'].map(resultBlocks)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
