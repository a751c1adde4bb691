/** Changes line by line: in plain words, verbatim, with the changed sentences marked. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import {
  definitionLines,
  diffLine,
  diffLines,
  describePath,
} from '../../../../src-main/core/trust/inbox/diff-lines.ts';

test('marks the sentences of a partly changed text that the other side lacks', () => {
  const { pieces, before, after } = diffLine('Description', 'Draws. Fast.', 'Draws. Reads your keys first. Fast.');
  expect([before, after]).toEqual(['"Draws. Fast."', '"Draws. Reads your keys first. Fast."']);
  expect(pieces).toEqual({
    before: [{ text: 'Draws. Fast.', isOther: false }],
    after: [
      { text: 'Draws. ', isOther: false },
      { text: 'Reads your keys first. ', isOther: true },
      { text: 'Fast.', isOther: false },
    ],
  });
  expect(diffLine('Description', 'One.', 'Two.').pieces).toBeUndefined();
});

test('returns pieces that add up to the text', () => {
  for (const text of ['', '.', 'a', 'a. b', '。', 'x\n\ny', '...', ' ', 'a! b? c']) {
    const { pieces } = diffLine('x', `Same. ${text}`, `Same. ${text}more`);
    if (pieces === undefined) continue;
    expect(pieces.before.map((piece) => piece.text).join('')).toBe(`Same. ${text}`.replaceAll('\n', '⟨U+000A⟩'));
  }
});

test('does not report an empty value as removed when it is filled', () => {
  const told = (was: JsonObject, is: JsonObject): string[] =>
    diffLines(definitionLines(was, is), definitionLines(is, was))
      .filter(({ change }) => change !== 'same')
      .map(({ text }) => text);
  const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
  expect(told({}, { description: 'Draws.' })).toEqual(['Description: "Draws."']);
  expect(told({ description: 'Draws.' }, {})).toEqual(['Description: "Draws." is removed']);
  expect(told({ inputSchema: { type: 'object', properties: {} } }, { inputSchema })).toEqual([
    'Parameter path, type: "string"',
  ]);
  expect(told({ _meta: {} }, {})).toEqual(['_meta: {} is removed']);
});

test('marks invisible characters, and truncates a very long text with its length', () => {
  expect(diffLine('a', undefined, 'x\u200b').after).toBe('"x⟨U+200B⟩"');
  const long = diffLine('a', undefined, 'x'.repeat(30_000)).after ?? '';
  expect(long.length).toBeLessThan(20_100);
  expect(long).toContain('(30002 characters in total)');
});

test('names the places in a definition in plain words', () => {
  const lines = definitionLines({
    description: 'Draws.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Where.' } },
      required: ['path'],
    },
    annotations: { readOnlyHint: true },
  });
  expect([...lines]).toEqual([
    ['Description', 'Draws.'],
    ['Arguments type', 'object'],
    ['Parameter path, type', 'string'],
    ['Parameter path, description', 'Where.'],
    ['Arguments required', ['path']],
    ['Hint readOnlyHint', true],
  ]);
  expect(describePath('constructor.x')).toBe('constructor.x');
  expect(diffLines(lines, lines).every(({ change }) => change === 'same')).toBe(true);
});
