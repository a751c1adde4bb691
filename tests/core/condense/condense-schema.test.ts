/** Condensed input schemas. */

import { describe, expect, test } from 'vitest';
import { condenseSchema } from '../../../src-main/core/condense/condense-tool.ts';
import { shapeSchema } from '../../../src-main/core/condense/shape-schema.ts';

function condenseProperty(property: unknown): unknown {
  return (condenseSchema({ type: 'object', properties: { it: property } })['properties'] as { it: unknown }).it;
}

describe('the documented vectors', () => {
  test.each([
    ['drops anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }], default: null }, {}],
    ['drops $ref', { $ref: '#/$defs/X' }, {}],
    ['keeps a list of types', { type: ['string', 'null'], description: 'x' }, { type: ['string', 'null'] }],
    ['reduces a nested object to its type', { type: 'object', properties: { a: {} } }, { type: 'object' }],
    ['keeps an array without items', { type: 'array' }, { type: 'array' }],
    [
      'keeps the type of array items',
      { type: 'array', items: { type: 'string', minLength: 1 } },
      { type: 'array', items: { type: 'string' } },
    ],
    ['reduces untyped items to {}', { type: 'array', items: { $ref: '#/x' } }, { type: 'array', items: {} }],
  ])('%s', (_, property, expected) => {
    expect(condenseProperty(property)).toEqual(expected);
  });
});

test('keeps allowed values, so that a model need not guess them', () => {
  expect(condenseProperty({ type: 'string', enum: ['a', 'b'], description: 'x' })).toEqual({
    type: 'string',
    enum: ['a', 'b'],
  });
  expect(condenseProperty({ const: null })).toEqual({ const: null });
  expect(condenseProperty({ type: 'array', items: { enum: [1, 2] } })).toEqual({
    type: 'array',
    items: { enum: [1, 2] },
  });
});

test('keeps required, and drops everything else at the top level', () => {
  const schema = {
    type: 'object',
    title: 'T',
    $defs: {},
    additionalProperties: false,
    properties: { a: { type: 'string' } },
    required: ['a'],
  };
  expect(condenseSchema(schema)).toEqual({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
});

test('turns a schema that is not an object schema into {"type":"object"}', () => {
  for (const schema of [
    undefined,
    null,
    true,
    'string',
    7,
    [],
    {},
    { properties: null },
    { properties: [] },
    { properties: {} },
  ]) {
    expect(condenseSchema(schema)).toEqual({ type: 'object' });
  }
});

test('turns a property that is not a schema into {}', () => {
  for (const property of [null, true, 'x', [1], { type: 5, enum: 'no' }])
    expect(condenseProperty(property)).toEqual({});
});

test('keeps properties called __proto__ and constructor as data', () => {
  const text =
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__"]}';
  expect(JSON.stringify(condenseSchema(JSON.parse(text)))).toBe(text);
});

test('keeps definitions whose names are percent-encoded in references', () => {
  const definitions = {
    'Page<Item>': { type: 'object', properties: { next: { $ref: '#/$defs/a~1b' } } },
    'a/b': { enum: [1] },
  };
  const schema = {
    type: 'object',
    properties: { page: { $ref: '#/$defs/Page%3CItem%3E' } },
    $defs: { ...definitions, unused: {} },
  };
  expect(Object.keys(shapeSchema(schema, false)['$defs'] as object)).toEqual(['Page<Item>', 'a/b']);
});
