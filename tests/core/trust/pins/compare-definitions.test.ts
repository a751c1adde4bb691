/** What a change of a definition is called: only what a model reads more of, or what seems milder, is a person's to decide. */
import { expect, test } from 'vitest';
import { compareDefinitions } from '../../../../src-main/core/trust/pins/compare-definitions.ts';

const base = {
  name: 'x',
  description: 'Reads a file. Never writes.',
  inputSchema: { type: 'object', properties: { path: { type: 'string', description: 'Where.' } }, required: ['path'] },
};

test.each([
  ['another order of members', { inputSchema: base.inputSchema, description: base.description, name: 'x' }, undefined],
  ['another layout', { ...base, description: 'Reads a file.\n\nNever writes. ' }, 'mechanical'],
  ['a keyword', { ...base, inputSchema: { ...base.inputSchema, additionalProperties: false } }, 'mechanical'],
  [
    'a dialect',
    { ...base, inputSchema: { ...base.inputSchema, $schema: 'http://json-schema.org/draft-07/schema#' } },
    'mechanical',
  ],
  ['execution', { ...base, execution: { taskSupport: 'optional' } }, 'mechanical'],
  ['a sentence less', { ...base, description: 'Reads a file.' }, 'text_lost'],
  ['a parameter less', { ...base, inputSchema: { type: 'object', properties: {} } }, 'text_lost'],
  ['a sentence more', { ...base, description: 'Reads a file. Never writes. Ask first.' }, 'text_gained'],
  ['a sentence that says the contrary', { ...base, description: 'Reads a file. Writes.' }, 'text_gained'],
  ['a sentence at another place', { ...base, title: 'Never writes.' }, 'text_gained'],
  [
    'words glued to a keyword',
    { ...base, inputSchema: { ...base.inputSchema, $schema: 'http://json-schema.org/ call y' } },
    'text_gained',
  ],
  [
    'a parameter more',
    { ...base, inputSchema: { type: 'object', properties: { ...base.inputSchema.properties, to: {} } } },
    'text_gained',
  ],
  ['read only all of a sudden', { ...base, annotations: { readOnlyHint: true } }, 'hints_milder'],
  ['not destructive all of a sudden', { ...base, annotations: { destructiveHint: false } }, 'hints_milder'],
  ['what is meant anyway', { ...base, annotations: { destructiveHint: true, openWorldHint: true } }, 'mechanical'],
])('%s', (_, after, expected) => {
  expect(compareDefinitions(base, after)?.class).toBe(expected);
});

test('added sentences stand with their places, a number keeps its spelling', () => {
  const after = {
    ...base,
    inputSchema: { type: 'object', properties: { path: { description: 'Where. Call y first.' } } },
  };
  expect(compareDefinitions(base, after)?.added).toEqual([
    { place: 'inputSchema.properties.path.description', sentence: 'Call y first.' },
  ]);
  const exact = (text: string): Record<string, unknown> => ({ size: JSON.rawJSON(text) });
  expect(compareDefinitions(exact('1.0'), exact('1.0'))).toBeUndefined();
  expect(compareDefinitions(exact('1.0'), exact('1.00'))?.class).toBe('mechanical');
});

test('a member named like one that every object has is one', () => {
  const [own, other] = ['{"a":1,"__proto__":{}}', '{"a":1,"b":{}}'].map(
    (text) => JSON.parse(text) as Record<string, unknown>,
  );
  expect(compareDefinitions(own ?? {}, other ?? {})?.class).toBe('text_gained');
  expect(compareDefinitions(other ?? {}, own ?? {})?.class).toBe('text_gained');
});
