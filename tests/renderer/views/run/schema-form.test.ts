/** Forms made from schemas: initial values, fields, and valid results. */
import { expect, test } from 'vitest';
import { validationErrors } from '../../../../src-main/core/calls/validate-arguments.ts';
import { SchemaChecker } from '../../../../src-main/core/calls/schema-check.ts';
import {
  kindOf,
  readObject,
  resolved,
  startValue,
  withMember,
} from '../../../../src-renderer/views/run/schema-form.ts';
import { recordedListings } from '../../../fixtures/recorded-listings.ts';

type Schema = Record<string, unknown>;

const tools = recordedListings().flatMap(({ name, tools: all }) =>
  all.map((tool) => [`${name}:${String(tool['name'])}`, tool] as const),
);

test('the initial value of each real tool’s form matches its schema', async () => {
  const schemas = new SchemaChecker();
  const wrong: string[] = [];
  for (const [id, tool] of tools) {
    const schema = (tool['inputSchema'] ?? {}) as Schema;
    const value = startValue(schema, schema) as Schema;
    const errors = await validationErrors(tool, value, schemas);
    // Required texts start empty: the form waits for the user, also if several types are allowed.
    const isEmptyText = errors.some(({ keyword }) => keyword === 'minLength');
    const real = errors.filter(({ keyword }) => keyword !== 'minLength' && !(isEmptyText && keyword === 'anyOf'));
    if (real.length > 0) wrong.push(`${id}: ${real.map(({ path, text }) => `${path} ${text}`)[0]}`);
  }
  expect(wrong).toEqual([]);
  expect(tools.length).toBeGreaterThan(100);
});

test('maps a schema to fields: objects, lists, choices, alternatives, and JSON for the rest', () => {
  const root = { $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } } };
  const kind = (schema: Schema): string => kindOf(resolved(schema, root), root);
  expect(kind({ $ref: '#/$defs/point' })).toBe('object');
  expect(kind({ type: 'array', items: { type: 'string' } })).toBe('list');
  expect(kind({ type: ['string', 'null'] })).toBe('text');
  expect(kind({ enum: ['a', 1, null] })).toBe('choice');
  expect(kind({ oneOf: [{ const: 'a' }, { const: 'b' }] })).toBe('choice');
  expect(kind({ anyOf: [{ type: 'string' }, { type: 'number' }] })).toBe('either');
  expect(kind({ type: 'object', additionalProperties: { type: 'string' } })).toBe('json');
  expect(kind({})).toBe('json');
  expect(kind({ allOf: [{ $ref: '#/$defs/point' }, { properties: { y: { type: 'number' } } }] })).toBe('object');
});

test('fills in defaults and required values, and omits optional ones', () => {
  const schema = {
    type: 'object',
    required: ['name', 'kind', 'at'],
    properties: {
      name: { type: 'string' },
      kind: { enum: ['small', 'big'] },
      at: {
        type: 'object',
        required: ['x'],
        properties: { x: { type: 'integer', minimum: 3 }, y: { type: 'integer' } },
      },
      limit: { type: 'integer', default: 10 },
      note: { type: 'string' },
    },
  };
  expect(startValue(schema, schema)).toEqual({ name: '', kind: 'small', at: { x: 3 }, limit: 10 });
});

test('handles a schema that refers to itself', () => {
  const schema: Schema = { type: 'object', required: ['child'], properties: { child: { $ref: '#' } } };
  expect(JSON.stringify(startValue(schema, schema)).length).toBeLessThan(200);
  expect(resolved({ $ref: '#/$defs/loop' }, { $defs: { loop: { $ref: '#/$defs/loop' } } })).toBeDefined();
});

test('sets and removes a member in place', () => {
  expect(Object.keys(withMember({ a: 1, b: 2 }, 'a', 3))).toEqual(['a', 'b']);
  expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  expect(withMember(undefined, 'a', 1)).toEqual({ a: 1 });
  expect(readObject('{"a":1}')).toEqual({ value: { a: 1 } });
  expect(readObject('[1]')).toHaveProperty('problem');
  expect(readObject('{"a":')).toHaveProperty('problem');
});
