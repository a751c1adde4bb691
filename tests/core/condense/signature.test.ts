/** One-line signatures of tools. */

import { expect, test } from 'vitest';
import { isLossy, signature } from '../../../src-main/core/condense/signature.ts';

function signed(properties: unknown, required: readonly string[] = [], more: object = {}): string {
  return signature({ name: 't', inputSchema: { type: 'object', properties, required, ...more } });
}

test('shows required parameters bare, and others with a question mark', () => {
  expect(signed({ path: { type: 'string' }, head: { type: 'number' } }, ['path'])).toBe('t(path, head?: number)');
});

test('shows allowed values, and marks a long list as shortened', () => {
  expect(signed({ state: { type: 'string', enum: ['open', 'closed'] } })).toBe('t(state?: "open" | "closed")');
  expect(signed({ n: { enum: Array.from({ length: 40 }, (_, i) => i) } })).toMatch(/ 10 \| 11 \| …\)$/);
});

test('shows arrays, unions, nested objects and local references', () => {
  expect(signed({ ids: { type: 'array', items: { type: ['string', 'integer'] } } })).toBe(
    't(ids?: (string | integer)[])',
  );
  expect(signed({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } })).toBe('t(a?: string | null)');
  expect(signed({ at: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } })).toBe(
    't(at?: {lat: number})',
  );
  expect(signed({ c: { $ref: '#/$defs/Color' } }, [], { $defs: { Color: { enum: ['red'] } } })).toBe('t(c?: "red")');
});

test('ends for a schema that refers to itself', () => {
  const node = { type: 'object', properties: { left: { $ref: '#/$defs/N' }, right: { $ref: '#/$defs/N' } } };
  expect(signed({ tree: { $ref: '#/$defs/N' } }, [], { $defs: { N: node } }).length).toBeLessThan(2_000);
  expect(signed({ loop: { $ref: '#/properties/loop' } })).toBe('t(loop?: any~)');
});

test('shows no parameters for a value that is not a schema', () => {
  for (const inputSchema of [undefined, null, 'x', [], { properties: 'x' }]) {
    expect(signature({ name: 't', inputSchema })).toBe('t()');
  }
  expect(signed({ a: null, b: true, 'odd name': { type: 'zap' } })).toBe('t(a?: any, b?: any, "odd name"?: any~)');
});

test('shows the members of lists and objects, and the limits of values', () => {
  const entity = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      entityType: { type: 'string' },
      observations: { type: 'array', items: { type: 'string' } },
    },
    required: ['name', 'entityType', 'observations'],
  };
  expect(signed({ entities: { type: 'array', items: entity } }, ['entities'])).toBe(
    't(entities: {name, entityType, observations: string[]}[])',
  );
  expect(signed({ limit: { type: 'integer', minimum: 1, maximum: 100 }, url: { type: 'string', format: 'uri' } })).toBe(
    't(limit?: integer(1..100), url?: string(uri))',
  );
  expect(signed({ tags: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true } })).toBe(
    't(tags?: string[1.., unique])',
  );
  expect(signed({ map: { type: 'object', additionalProperties: { type: 'number' } } })).toBe(
    't(map?: {[key]: number})',
  );
});

test('marks only what a line cannot express', () => {
  const either = { anyOf: [{ required: ['a'] }, { required: ['b'] }] };
  expect(signed({ a: { type: 'string' }, b: { type: 'string' } }, [], either)).toBe('t(a?, b?, ~)');
  expect(isLossy(signed({ a: { type: 'object', patternProperties: { '^x': {} } } }))).toBe(true);
  expect(isLossy(signed({ a: { enum: ['~', '/~/'] } }))).toBe(false);
});
