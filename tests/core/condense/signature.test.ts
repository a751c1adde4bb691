/** Promises of the one-line signatures. */

import { expect, test } from 'vitest';
import { signature } from '../../../src-main/core/condense/signature.ts';

function signed(properties: unknown, required: readonly string[] = [], more: object = {}): string {
  return signature({ name: 't', inputSchema: { type: 'object', properties, required, ...more } });
}

test('required parameters are bare, others carry a question mark', () => {
  expect(signed({ path: { type: 'string' }, head: { type: 'number' } }, ['path'])).toBe(
    't(path: string, head?: number)',
  );
});

test('allowed values are shown, and a long list says that it goes on', () => {
  expect(signed({ state: { type: 'string', enum: ['open', 'closed'] } })).toBe('t(state?: "open" | "closed")');
  expect(signed({ n: { enum: Array.from({ length: 40 }, (_, i) => i) } })).toMatch(/ 10 \| 11 \| …\)$/);
});

test('arrays, unions, nested objects and local references are read', () => {
  expect(signed({ ids: { type: 'array', items: { type: ['string', 'integer'] } } })).toBe(
    't(ids?: (string | integer)[])',
  );
  expect(signed({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } })).toBe('t(a?: string | null)');
  expect(signed({ at: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } })).toBe(
    't(at?: {lat: number})',
  );
  expect(signed({ c: { $ref: '#/$defs/Color' } }, [], { $defs: { Color: { enum: ['red'] } } })).toBe('t(c?: "red")');
});

test('a schema that refers to itself ends', () => {
  const node = { type: 'object', properties: { left: { $ref: '#/$defs/N' }, right: { $ref: '#/$defs/N' } } };
  expect(signed({ tree: { $ref: '#/$defs/N' } }, [], { $defs: { N: node } }).length).toBeLessThan(2_000);
  expect(signed({ loop: { $ref: '#/properties/loop' } })).toBe('t(loop?: any)');
});

test('what is no schema gives a signature without parameters', () => {
  for (const inputSchema of [undefined, null, 'x', [], { properties: 'x' }]) {
    expect(signature({ name: 't', inputSchema })).toBe('t()');
  }
  expect(signed({ a: null, b: true, 'odd name': { type: 'zap' } })).toBe('t(a?: any, b?: any, "odd name"?: any)');
});
