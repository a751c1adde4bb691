/** Arguments generated from a schema, as by a model that knows nothing else, and five hundred schemas. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { isObject, type JsonObject } from '../../../src-main/core/base/json.ts';

export type Fits = (args: unknown) => boolean;

export function validatorOf({ $schema: _dialect, ...schema }: JsonObject): Fits {
  const options = { strict: false, validateFormats: false, validateSchema: false, logger: false } as const;
  const validate = new Ajv2020(options).compile(schema);
  return (args) => validate(args);
}

/** Up to `count` different arguments that match the schema; deterministic. */
export function argumentsFor(schema: JsonObject, count = 25): unknown[] {
  const fits = validatorOf(schema);
  const made = fc.sample(valueOf(schema, schema, 0), { numRuns: count * 3, seed: 7 });
  return made
    .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
    .filter((value) => isObject(value) && fits(value))
    .slice(0, count);
}

const anything = fc.oneof(fc.string({ minLength: 1 }), fc.integer(), fc.boolean(), fc.constant(null));

/** Values that mostly match; further constraints are satisfied by trying. */
function valueOf(schema: unknown, root: JsonObject, depth: number): fc.Arbitrary<unknown> {
  if (!isObject(schema)) return anything;
  const { $ref, ...beside } = schema;
  if (typeof $ref === 'string') return valueOf({ ...(at(root, $ref) as object), ...beside }, root, depth + 1);
  if (Object.hasOwn(schema, 'const')) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const { anyOf, oneOf, allOf, ...rest } = schema;
  if (Array.isArray(allOf))
    return valueOf(
      (allOf as JsonObject[]).reduce((a, b) => both(a, b, root), {
        ...rest,
        ...(anyOf !== undefined && { anyOf }),
        ...(oneOf !== undefined && { oneOf }),
      }),
      root,
      depth,
    );
  const branches = anyOf ?? oneOf;
  if (Array.isArray(branches)) {
    const inReach = depth > 5 ? branches.filter((one) => !JSON.stringify(one).includes('$ref')) : branches;
    const used = inReach.length === 0 ? branches : inReach;
    return fc.oneof(...used.map((one) => valueOf(both(rest, one as JsonObject, root), root, depth + 1)));
  }
  const { type } = schema;
  if (Array.isArray(type))
    return fc.oneof(...type.map((one: unknown) => valueOf({ ...schema, type: one }, root, depth)));
  return ofType(type ?? (isObject(schema['properties']) ? 'object' : undefined), schema, root, depth);
}

function ofType(type: unknown, schema: JsonObject, root: JsonObject, depth: number): fc.Arbitrary<unknown> {
  const number = (key: string, otherwise: number): number => Number(schema[key] ?? otherwise);
  switch (type) {
    case 'string':
      return textOf(schema, number('minLength', 1), number('maxLength', 60));
    case 'integer':
    case 'number': {
      const step = number('multipleOf', 1);
      const low = Math.ceil(Math.max(number('minimum', -1e6), number('exclusiveMinimum', -1e6) + 1) / step);
      const high = Math.floor(
        Math.min(number('maximum', Math.max(1e6, low * step)), number('exclusiveMaximum', 1e12) - 1) / step,
      );
      return fc.integer({ min: low, max: Math.max(low, high) }).map((steps) => steps * step);
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const places: unknown = schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined);
      if (Array.isArray(places)) return fc.tuple(...places.map((one) => valueOf(one, root, depth + 1)));
      const least = number('minItems', 0);
      const most = Math.max(least, Math.min(number('maxItems', least + 3), least + 3));
      const items = valueOf(schema['items'], root, depth + 1);
      const count = { minLength: least, maxLength: depth > 5 ? least : most };
      if (schema['uniqueItems'] === true) return fc.array(items, count).map(distinct);
      return fc.array(items, count);
    }
    case 'object': {
      const properties = isObject(schema['properties']) ? schema['properties'] : {};
      const required = ((schema['required'] ?? []) as string[]).filter((name) => typeof name === 'string');
      const names = [
        ...new Set([...Object.keys(properties).filter((name) => depth < 5 || required.includes(name)), ...required]),
      ];
      const model = names.map((name) => [name, valueOf(properties[name], root, depth + 1)] as const);
      // As entries, because a member may be named "__proto__".
      const members = fc.tuple(...model.map(([name, value]) => fc.tuple(fc.constant(name), value, fc.boolean())));
      const others = schema['additionalProperties'];
      const more = isObject(others)
        ? fc.dictionary(fc.constantFrom('k1', 'k2'), valueOf(others, root, depth + 1), { maxKeys: depth > 5 ? 0 : 2 })
        : fc.constant(schema['minProperties'] === undefined ? {} : { k1: 'x' });
      return fc
        .tuple(members, more)
        .map(([all, added]) =>
          Object.fromEntries<unknown>([
            ...Object.entries(added),
            ...all
              .filter(([name, , given]) => given || required.includes(name))
              .map(([name, value]): [string, unknown] => [name, value]),
          ]),
        );
    }
    default:
      return anything;
  }
}

function distinct(values: unknown[]): unknown[] {
  return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
}

function textOf(schema: JsonObject, least: number, most: number): fc.Arbitrary<string> {
  const { pattern, format } = schema;
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  switch (format) {
    case 'uri':
    case 'url':
      return fc.webUrl();
    case 'email':
      return fc.emailAddress();
    case 'uuid':
      return fc.uuid();
    case 'date-time':
      return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    default:
      return fc.string({ minLength: Math.max(least, Math.min(1, most)), maxLength: Math.max(least, most) });
  }
}

function both(a: JsonObject, b: JsonObject, root: JsonObject): JsonObject {
  const { $ref, ...own } = b;
  const other = typeof $ref === 'string' ? { ...(at(root, $ref) as JsonObject), ...own } : own;
  const list = (key: string): unknown[] =>
    [a[key], other[key]].flatMap((one) => (Array.isArray(one) ? (one as unknown[]) : []));
  const required = list('required');
  return {
    ...a,
    ...other,
    ...(a['properties'] !== undefined && {
      properties: { ...(a['properties'] as object), ...(other['properties'] as object | undefined) },
    }),
    ...(required.length > 0 && { required }),
  };
}

function at(root: JsonObject, reference: string): unknown {
  const steps = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '');
  return steps.reduce<unknown>(
    (node, step) => (node as JsonObject)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  );
}

const names = fc.constantFrom(
  'path',
  'query',
  'limit',
  'description',
  'title',
  'default',
  'items',
  '__proto__',
  'a b',
  'größe',
  'x-y',
  '$ref_id',
);
const words = {
  description: fc.constantFrom('The path. More of it.', 'What to look for (e.g. a word), or nothing.'),
  title: fc.constant('A title'),
};
const described = (schema: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc.tuple(schema, fc.record(words, { requiredKeys: [] })).map(([one, texts]) => ({ ...texts, ...one }));

/** Typical and arbitrary schemas of tool inputs. */
export const madeUpSchema: fc.Arbitrary<JsonObject> = fc
  .letrec<{ node: JsonObject; object: JsonObject }>((tie) => ({
    node: described(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.record(
          {
            type: fc.constant('string'),
            minLength: fc.constantFrom(1, 2),
            maxLength: fc.constantFrom(3, 500),
          },
          { requiredKeys: ['type'] },
        ),
        fc.record({
          type: fc.constant('string'),
          pattern: fc.constantFrom('^[a-z]+$', '^a/b"[0-9]{2}$', '^(x|y){3}$'),
        }),
        fc.record(
          {
            type: fc.constantFrom('integer', 'number'),
            minimum: fc.constantFrom(0, -5),
            maximum: fc.constantFrom(10, 1000),
            multipleOf: fc.constantFrom(1, 2),
          },
          { requiredKeys: ['type'] },
        ),
        fc.record(
          { type: fc.constant('integer'), exclusiveMinimum: fc.constantFrom(0, 3), default: fc.constant(5) },
          { requiredKeys: ['type'] },
        ),
        fc.constantFrom<JsonObject>(
          { type: 'boolean', default: true },
          { type: ['string', 'null'] },
          {},
          { const: 'fixed' },
          { type: 'string', const: 'b' },
        ),
        fc
          .uniqueArray(fc.constantFrom('a', 'b', 'c~d', '"', '…', 1, null), { minLength: 1 })
          .map((values): JsonObject => ({ enum: values })),
        fc.record(
          {
            type: fc.constant('array'),
            items: tie('node'),
            minItems: fc.constantFrom(1, 2),
            maxItems: fc.constantFrom(2, 4),
            uniqueItems: fc.boolean(),
          },
          { requiredKeys: ['type', 'items'] },
        ),
        fc
          .array(tie('node'), { minLength: 1, maxLength: 3 })
          .map((prefixItems): JsonObject => ({ type: 'array', prefixItems, items: false })),
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonObject => ({ anyOf })),
        fc
          .tuple(tie('object'), tie('object'))
          .map(([a, b]): JsonObject => ({ oneOf: [tagged(a, 'one'), tagged(b, 'two')] })),
        fc.tuple(tie('object'), tie('object')).map((allOf): JsonObject => ({ allOf })),
        fc.constantFrom<JsonObject>({ $ref: '#/$defs/Plain' }, { $ref: '#/$defs/Tree' }, { $ref: '#/$defs/a~1b' }),
        tie('object'),
      ),
    ),
    object: fc
      .tuple(
        fc.uniqueArray(fc.tuple(names, tie('node'), fc.boolean()), { maxLength: 4, selector: ([name]) => name }),
        fc.constantFrom<JsonObject>(
          {},
          {},
          { additionalProperties: false },
          { additionalProperties: { type: 'integer' } },
          { minProperties: 1 },
          { propertyNames: { type: 'string' } },
        ),
      )
      .map(([members, more]): JsonObject => ({
        type: 'object',
        properties: Object.fromEntries(members.map(([name, schema]) => [name, schema])),
        ...required(members.flatMap(([name, , needed]) => (needed ? [name] : []))),
        ...more,
      })),
  }))
  .object.map((schema): JsonObject => ({
    ...schema,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      Plain: { type: 'object', title: 'Plain', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] },
      Tree: {
        type: 'object',
        properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
        required: ['label'],
      },
      'a/b': { enum: ['slash'] },
      Unused: { type: 'string' },
    },
  }));

function tagged(schema: JsonObject, kind: string): JsonObject {
  const properties = { ...(schema['properties'] as object), kind: { const: kind } };
  return { ...schema, properties, required: [...((schema['required'] ?? []) as string[]), 'kind'] };
}

function required(all: readonly string[]): JsonObject {
  return all.length === 0 ? {} : { required: all };
}
