import { describe, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../../src-main/core/base/json.ts';
import { validateArguments, type RawArguments } from '../../../src-main/core/calls/validate-arguments.ts';
import { SchemaChecker } from '../../../src-main/core/calls/schema-check.ts';
import type { CatalogEntry } from '../../../src-main/core/catalog/catalog.ts';

const readFile = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    head: { type: 'integer' },
    mode: { enum: ['text', 'binary'] },
    place: { $ref: '#/$defs/place' },
  },
  required: ['path'],
  additionalProperties: false,
  $defs: { place: { type: 'object', properties: { line: { type: 'number' } }, required: ['line'] } },
};

function toolWith(inputSchema: unknown): CatalogEntry {
  return { id: 'fs:read', server: 'fs', name: 'read', listedName: 'read', definition: { name: 'read', inputSchema } };
}

function check(given: RawArguments | JsonObject, inputSchema: unknown = readFile): Promise<unknown> {
  const asked = 'arguments' in given ? (given as unknown as RawArguments) : { arguments: given };
  return validateArguments(toolWith(inputSchema), asked, new SchemaChecker()).catch((error: unknown) => error);
}

const refused = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'arguments_invalid', message: expect.stringMatching(message) as string });

describe('arguments that fit', () => {
  test('are passed on unchanged', async () => {
    const args = { path: '/a', head: 3, mode: 'text', place: { line: 1 } };
    expect(await check(args)).toEqual(args);
  });

  test('keep the spelling of their numbers, which count as numbers', async () => {
    const args = parseJson('{"path":"/a","head":12345678901234567890,"place":{"line":1.0}}') as JsonObject;
    expect(JSON.stringify(await check(args))).toBe('{"path":"/a","head":12345678901234567890,"place":{"line":1.0}}');
  });

  test('may be absent if none is required, and stay absent', async () => {
    expect(await check({ arguments: undefined }, { type: 'object', properties: { a: {} } })).toBeUndefined();
  });
});

describe('arguments that do not fit', () => {
  test('are rejected with the schema and a suggestion', async () => {
    expect(await check({ paht: '/a' })).toMatchObject({
      code: 'arguments_invalid',
      message: 'Invalid arguments for fs:read: "path" is missing; "paht" is unknown.',
      data: {
        error_type: 'invalid_params',
        tool: 'fs:read',
        hint: 'Did you mean "path" instead of "paht"? Parameters: path (required), head, mode, place.',
        input_schema: readFile,
      },
    });
  });

  test.each<[string, JsonObject, RegExp]>([
    ['a missing argument', {}, /"path" is missing/],
    ['a wrong type', { path: 5 }, /"path" must be string/],
    ['a value that is not allowed', { path: '', mode: 'x' }, /"mode" must be equal.*: "text", "binary"/],
    ['a nested problem', { path: '', place: {} }, /"line" is missing in place/],
    ['a text for a number', { path: '', head: '3' }, /"head" must be integer/],
  ])('are rejected for %s', async (_what, args, message) => {
    expect(await check(args)).toEqual(refused(message));
  });

  test('report five problems and the number of others', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `name${i}`);
    expect(await check({}, { type: 'object', required: names })).toEqual(refused(/"name4" is missing; 4 more\.$/));
  });
});

describe('misplaced arguments', () => {
  test.each<[string, RawArguments]>([
    ['inside one more layer', { arguments: { arguments: { path: '/a' } } }],
    ['inside two more layers, one of them as text', { arguments: { params: '{"args":{"path":"/a"}}' } }],
    ['beside the arguments', { arguments: undefined, beside: { path: '/a', intent_reason: 'x' } }],
    ['beside an empty layer', { arguments: {}, beside: { path: '/a' } }],
  ])('are found %s', async (_what, given) => {
    expect(await check(given)).toEqual({ path: '/a' });
  });

  test('do not replace arguments in the right place', async () => {
    expect(await check({ arguments: { path: '/a' }, beside: { path: '/b', head: 1 } })).toEqual({
      path: '/a',
      head: 1,
    });
  });

  test('are not assumed in a member that the tool defines', async () => {
    const schema = { type: 'object', properties: { args: { type: 'object' }, path: {} } };
    expect(await check({ arguments: { args: { path: '/a' } } }, schema)).toEqual({ args: { path: '/a' } });
  });

  test('are not assumed for a tool that accepts anything', async () => {
    expect(await check({ arguments: { args: { x: 1 } } }, { type: 'object' })).toEqual({ args: { x: 1 } });
  });
});

/** Each level mentions the one below twice: 2^60 nodes when followed. */
const levels = Array.from({ length: 60 }, (_, i) => {
  const below = { $ref: `#/$defs/d${i + 1}` };
  return [`d${i}`, { allOf: [below, below] }];
});
const doubling: JsonObject = {
  type: 'object',
  $ref: '#/$defs/d0',
  $defs: { ...(Object.fromEntries(levels) as JsonObject), d60: { required: ['never'] } },
};

describe('schemas that cannot be checked', () => {
  test.each<[string, unknown]>([
    ['no schema at all', 'nonsense'],
    ['an invalid schema', { type: 'object', properties: { a: { type: 'strnig' } }, required: ['x'] }],
    ['older tuples', { type: 'object', properties: { a: { items: [{ type: 'string' }] } }, required: ['x'] }],
    ['a dangling reference', { type: 'object', properties: { a: { $ref: '#/$defs/gone' } }, required: ['x'] }],
    ['an external reference', { type: 'object', $ref: 'https://example.com/x', required: ['x'] }],
    ['a recursive schema', { type: 'object', properties: { next: { $ref: '#' } }, required: ['x'] }],
    ['exponential references', doubling],
    ['patternProperties', { type: 'object', patternProperties: { '(a+)+$': false }, required: ['x'] }],
    [
      'exponential references behind a property name',
      { type: 'object', properties: { $defs: doubling }, required: ['x'] },
    ],
    [
      'exponential references behind an id',
      { type: 'object', properties: { a: { $id: 'x', ...doubling } }, required: ['x'] },
    ],
  ])('accept everything: %s', async (_what, schema) => {
    expect(await check({ a: 1 }, schema)).toEqual({ a: 1 });
  });

  test('leave patterns and formats to the server, so that no pattern blocks the core', async () => {
    const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$', format: 'uri' } } };
    const args = { a: `${'a'.repeat(60)}!` };
    expect(await check(args, evil)).toEqual(args);
  });

  test('pass on arguments of megabytes unchecked', async () => {
    const args = { path: 5, text: 'x'.repeat(5_000_000) };
    expect(await check(args)).toBe(args);
  });

  test('may share an id between two tools', async () => {
    const schemas = new SchemaChecker();
    const one = toolWith({ $id: 'same', type: 'object', required: ['a'] });
    const two = toolWith({ $id: 'same', type: 'object', required: ['b'] });
    await expect(validateArguments(one, { arguments: {} }, schemas)).rejects.toEqual(refused(/"a"/));
    await expect(validateArguments(two, { arguments: {} }, schemas)).rejects.toEqual(refused(/"b"/));
  });
});

describe('cost of a check', () => {
  const many = (count: number, schema: JsonObject): JsonObject[] => Array.from({ length: count }, () => schema);
  const each = (items: JsonObject): JsonObject => ({ type: 'object', properties: { ids: { type: 'array', items } } });

  /** Microseconds of this thread, for the cheapest of three runs: the others include compiling and garbage. */
  async function cpuOf(work: () => Promise<unknown>): Promise<number> {
    const costs: number[] = [];
    for (let run = 0; run < 3; run++) {
      const before = process.threadCpuUsage();
      await work();
      const { user, system } = process.threadCpuUsage(before);
      costs.push(user + system);
    }
    return Math.min(...costs);
  }

  test.each<[string, JsonObject, JsonObject]>([
    [
      '1,200 allOf and 5,000 wrong values',
      each({ allOf: many(1200, { type: 'string' }) }),
      { ids: Array(5000).fill(0) },
    ],
    ['100 allOf and 500 wrong values', each({ allOf: many(100, { type: 'string' }) }), { ids: Array(500).fill(0) }],
    [
      '1,000 properties',
      { type: 'object', properties: Object.fromEntries(many(1000, {}).map((_, i) => [`p${i}`, { type: 'string' }])) },
      { p1: 3 },
    ],
    ['1,000 anyOf', each({ anyOf: many(1000, { type: 'string', minLength: 3 }) }), { ids: Array(1000).fill(0) }],
    [
      '50,000 allowed values',
      each({ enum: Array.from({ length: 50_000 }, (_, i) => ({ i })) }),
      { ids: Array(1000).fill({ i: 1 }) },
    ],
    [
      '50,000 unknown names',
      { type: 'object', properties: { name_of_it: {} }, additionalProperties: false },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`name_of_${i}`, i])),
    ],
    [
      'lengths of a megabyte',
      { type: 'object', properties: { s: { allOf: many(500, { maxLength: 5 }) } } },
      { s: 'é'.repeat(1_000_000) },
    ],
  ])('stays low for %s', async (_what, schema, args) => {
    await check({ path: '/a', head: '3' });
    const cpu = await cpuOf(() => check({ arguments: args }, schema));
    expect(cpu).toBeLessThan(250_000);
  });
});
