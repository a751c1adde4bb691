import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../../src-main/core/catalog/catalog.ts';
import { ShownItems } from '../../../src-main/core/modes/mode.ts';
import { enrichResult } from '../../../src-main/compat/toolmux/invoke.ts';
import { completeContent } from '../../../src-main/core/calls/complete-content.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';

const tool: CatalogEntry = {
  id: 's:x',
  server: 's',
  name: 'x',
  listedName: 'x',
  definition: { name: 'x', description: 'Does x.', inputSchema: { type: 'object', required: ['a'] } },
};
const schema = '{"type":"object","required":["a"]}';
const about = `[Tool: x]\n[Description: Does x.]\n[Parameters: ${schema}]`;
const text = (words: string, more = {}): object => ({ type: 'text', text: words, ...more });

test.each([
  ['a text', [text('hi')], [text(`hi\n${about}`)]],
  ['several texts', [text('a'), text('b', { _meta: { v: 1 } })], [text('a'), text(`b\n${about}`, { _meta: { v: 1 } })]],
  ['a text before an image', [text('a'), { type: 'image' }], [text(`a\n${about}`), { type: 'image' }]],
  ['an image', [{ type: 'image' }], [{ type: 'image' }, text(about)]],
  ['nothing', [], [text(about)]],
  ['nonsense', 'no list', [text(about)]],
  ['a text that is none', [{ type: 'text', text: 5 }], [{ type: 'text', text: 5 }, text(about)]],
])('adds what the tool is to a first result of %s, and keeps the rest', (_, content, enriched) => {
  const result = { content, vendor: true };
  expect(enrichResult(result, tool, new ShownItems())).toEqual({ ...result, content: enriched });
});

test('returns later results unchanged, until another session calls', () => {
  const memory = new ShownItems();
  const result = { content: [text('hi')] };
  enrichResult(result, tool, memory);
  expect(enrichResult(result, tool, memory)).toBe(result);
  expect(enrichResult(result, tool, new ShownItems())).not.toBe(result);
});

test('adds the schema to every error, and counts the tool as known after one', () => {
  const memory = new ShownItems();
  const failed = { content: [text('no')], isError: true };
  const expected = { content: [text(`no\n[Schema for x: ${schema}]`)], isError: true };
  expect([enrichResult(failed, tool, memory), enrichResult(failed, tool, memory)]).toEqual([expected, expected]);
  const result = { content: [text('hi')] };
  expect(enrichResult(result, tool, memory)).toBe(result);
});

test('passes a result in bytes unchanged, and explains the tool with the next one', () => {
  const memory = new ShownItems();
  const big = new RawJson([Buffer.from('{"content":[]}')]);
  expect(enrichResult(big, tool, memory)).toBe(big);
  expect(enrichResult({ content: [] }, tool, memory)).toEqual({ content: [text(about)] });
});

test('explains a result with structuredContent in a block of its own; an error has the schema, too', () => {
  const result = { content: [text('{"n":1}')], structuredContent: { n: 1 } };
  const explained = enrichResult(result, tool, new ShownItems());
  expect(explained).toEqual({ ...result, content: [text('{"n":1}'), text(about)] });
  // Apps that pass on only structured content get the explanation, too, and the data once.
  expect(completeContent(explained)).toEqual({ content: [text('{"n":1}'), text(about)] });
  const failed = enrichResult({ ...result, isError: true }, tool, new ShownItems());
  expect(failed).toMatchObject({ content: [text(`{"n":1}\n[Schema for x: ${schema}]`)] });
});
