/** What a list omits from a schema, and what it keeps. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import { leanSchema } from '../../../src-main/core/condense/lean-schema.ts';

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...rest });

test('drops limits that everything fits, and additionalProperties: false', () => {
  const schema = object(
    {
      name: { type: 'string', minLength: 1, maxLength: 255 },
      count: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      filter: { type: 'object', properties: {}, propertyNames: { type: 'string' }, additionalProperties: {} },
    },
    { required: ['name'], additionalProperties: false },
  );
  expect(leanSchema(schema)).toEqual(
    object(
      { name: { type: 'string' }, count: { type: 'integer', minimum: 1 }, filter: { type: 'object' } },
      { required: ['name'] },
    ),
  );
});

test.each<[string, JsonObject]>([
  ['that no members are allowed', object({}, { additionalProperties: false })],
  ['the type of other members', object({ a: {} }, { additionalProperties: { type: 'integer' } })],
  ['what applies beside patterns', object({ a: {} }, { patternProperties: { '^x': {} }, additionalProperties: false })],
  ['limits of parts in allOf', { allOf: [object({ a: {} }, { additionalProperties: false })] }],
  ['a negated schema', { not: { type: 'string', minLength: 1 } }],
  [
    'what distinguishes branches',
    {
      oneOf: [
        { type: 'string', maxLength: 100 },
        { type: 'string', minLength: 101 },
      ],
    },
  ],
  [
    'limits that values may reach',
    object({ a: { type: 'string', minLength: 3, maxLength: 20 }, n: { maximum: 1000 } }),
  ],
])('keeps %s', (_what, schema) => {
  expect(leanSchema({ type: 'object', properties: { it: schema } })).toMatchObject({
    properties: { it: pruned(schema) },
  });
});

/** Removes an empty list of members. */
function pruned({ properties, ...rest }: JsonObject): JsonObject {
  return JSON.stringify(properties) === '{}' || properties === undefined ? rest : { properties, ...rest };
}

test('drops descriptions repeated in branches, and shortens an optional one to a clause', () => {
  const description = 'The region of the data, which is the one of the organization unless it is named';
  const branch = { anyOf: [{ type: 'string', description }, { type: 'null' }], description };
  expect(leanSchema(object({ region: branch }))).toEqual(
    object({ region: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'The region of the data' } }),
  );
});
