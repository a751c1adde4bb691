/** Repairs invalid keywords of tool schemas at any depth, as providers require. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src-main/core/base/json.ts';
import { acceptableSchema } from '../../../../src-main/core/sessions/views/acceptable-schema.ts';
import { recordedListings } from '../../../fixtures/recorded-listings.ts';

/** The same two levels down, at each kind of location. */
const places: readonly ((schema: unknown) => JsonObject)[] = [
  (schema) => ({ type: 'object', properties: { a: { type: 'object', properties: { b: schema } } } }),
  (schema) => ({ type: 'object', properties: { a: { type: 'array', items: schema } } }),
  (schema) => ({ type: 'object', properties: { a: { anyOf: [schema, { type: 'null' }] } } }),
  (schema) => ({ type: 'object', properties: { a: { additionalProperties: schema } } }),
  (schema) => ({ type: 'object', $defs: { a: schema } }),
];

test.each<[what: string, wrong: unknown, right: unknown]>([
  ['a type of another language', { type: 'int' }, { type: 'integer' }],
  ['a type in capitals', { type: 'STRING' }, { type: 'string' }],
  ['a type that there is not', { type: 'file', description: 'x' }, { description: 'x' }],
  ['types, one of which there is not', { type: ['str', 'any', 'null'] }, { type: ['string', 'null'] }],
  [
    'a bound of draft 4',
    { type: 'integer', minimum: 3, exclusiveMinimum: true },
    { type: 'integer', exclusiveMinimum: 3 },
  ],
  ['no bound of draft 4', { type: 'integer', maximum: 3, exclusiveMaximum: false }, { type: 'integer', maximum: 3 }],
  ['a number as a text', { type: 'string', minLength: '3' }, { type: 'string' }],
  ['no list of values', { enum: 'a, b' }, {}],
  ['an empty list of schemas', { type: 'string', anyOf: [] }, { type: 'string' }],
  ['a text for a flag', { type: 'object', additionalProperties: 'false' }, { type: 'object' }],
  ['no description', { type: 'string', description: null }, { type: 'string' }],
  ['required of itself', { type: 'string', required: false }, { type: 'string' }],
  [
    'a required property of draft 3',
    { properties: { c: { type: 'string', required: true } } },
    { properties: { c: { type: 'string' } }, required: ['c'] },
  ],
  ['required names that are none', { properties: {}, required: ['a', 7, null] }, { properties: {}, required: ['a'] }],
  ['a property that is no schema', { properties: { c: 'string' } }, { properties: { c: {} } }],
])('repairs %s below the top level', (_what, wrong, right) => {
  for (const place of places) expect(acceptableSchema(place(wrong))).toEqual(place(right));
});

test('returns valid schemas as the same objects, including those of real servers', () => {
  const schemas = recordedListings().flatMap(({ tools }) => tools.map(({ inputSchema }) => inputSchema as JsonObject));
  const repaired = schemas.filter((schema) => schema !== undefined && acceptableSchema(schema) !== schema);
  expect(repaired).toEqual([]);
});

test('does not change a schema that is too deep or too large', () => {
  let deep: JsonObject = { type: 'int' };
  for (let level = 0; level < 400; level++) deep = { properties: { a: deep } };
  const wide = {
    properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { type: 'int' }])),
  };
  expect(acceptableSchema(deep)).toBe(deep);
  expect(acceptableSchema(wide)).toBe(wide);
});
