/** Promises of the shortened input schemas. */

import { describe, expect, test } from 'vitest';
import { condenseSchema } from '../../../src-main/core/condense/condense-tool.ts';
import { shapeSchema } from '../../../src-main/core/condense/shape-schema.ts';

function condenseProperty(property: unknown): unknown {
  return (condenseSchema({ type: 'object', properties: { it: property } })['properties'] as { it: unknown }).it;
}

describe('the documented vectors', () => {
  test.each([
    ['anyOf is dropped', { anyOf: [{ type: 'string' }, { type: 'null' }], default: null }, {}],
    ['$ref is dropped', { $ref: '#/$defs/X' }, {}],
    ['a list of types stays', { type: ['string', 'null'], description: 'x' }, { type: ['string', 'null'] }],
    ['a nested object is only an object', { type: 'object', properties: { a: {} } }, { type: 'object' }],
    ['an array without items stays bare', { type: 'array' }, { type: 'array' }],
    [
      'an array keeps the type of its items',
      { type: 'array', items: { type: 'string', minLength: 1 } },
      { type: 'array', items: { type: 'string' } },
    ],
    ['untyped items become {}', { type: 'array', items: { $ref: '#/x' } }, { type: 'array', items: {} }],
  ])('%s', (_, property, expected) => {
    expect(condenseProperty(property)).toEqual(expected);
  });
});

test('allowed values stay, so that a model need not guess them', () => {
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

test('required stays and everything else at the top goes', () => {
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

test('what is no object schema becomes {"type":"object"}', () => {
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

test('a property that is no schema becomes {}', () => {
  for (const property of [null, true, 'x', [1], { type: 5, enum: 'no' }])
    expect(condenseProperty(property)).toEqual({});
});

test('properties called __proto__ and constructor come through as data', () => {
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
