/** Tools made from an OpenAPI description: names, parameters, bodies, and definitions. */
import { expect, test } from 'vitest';
import { toOperations } from '../../../../src-main/core/servers/openapi/operations.ts';
import { description } from '../../../fixtures/servers/openapi-api.ts';

function schemaOf(name: string, document: object = description): Record<string, unknown> {
  const found = toOperations(document as never, undefined).find(({ tool }) => tool.name === name);
  return found?.tool['inputSchema'] as Record<string, unknown>;
}

const doc = (paths: object) => ({ openapi: '3.0.0', paths });

test('names tools by operationId, else by method and path', () => {
  expect(toOperations(description as never, undefined).map(({ tool }) => tool.name)).toEqual(
    'getPet replacePet delete_pets_id listPets login note image large slow moved missing'.split(' '),
  );
});

test.each([
  [{ operationId: 'get_pet__pets__get' }, 'get_pet'],
  [{ operationId: 'pets/list all' }, 'pets_list_all'],
  [{ operationId: '***' }, 'operation'],
  [{}, 'get_a_b'],
  [{ operationId: 'x'.repeat(80) }, 'x'.repeat(56)],
])('names the operation %j', (operation, name) => {
  expect(toOperations(doc({ '/a/{b}': { get: operation } }) as never, undefined)[0]?.tool.name).toBe(name);
});

test('numbers tools of the same name', () => {
  const same = { operationId: 'same' };
  const names = toOperations(doc({ '/a': { get: same, post: same }, '/b': { get: same } }), undefined);
  expect(names.map(({ tool }) => tool.name)).toEqual(['same', 'same_2', 'same_3']);
});

test('puts the members of a body and the parameters side by side; those of the same name get their place', () => {
  const schema = schemaOf('replacePet');
  expect(Object.keys(schema['properties'] as object)).toEqual(['id', 'name', 'parent', 'id__path']);
  expect(schema['required']).toEqual(['name', 'id__path']);
  expect(schema['$defs']).toMatchObject({ Pet: { properties: { parent: { $ref: '#/$defs/Pet' } } } });
});

test('distinguishes a name in path and query', () => {
  const parameters = ['path', 'query'].map((place) => ({ name: 'id', in: place, schema: {} }));
  const schema = schemaOf('get_id', doc({ '/{id}': { get: { parameters } } }));
  expect(Object.keys(schema['properties'] as object)).toEqual(['id__path', 'id__query']);
});

test('an operation replaces a parameter of its path', () => {
  const parameter = (type: string) => ({ name: 'q', in: 'query', schema: { type } });
  const item = { parameters: [parameter('string')], get: { parameters: [parameter('integer')] } };
  expect(schemaOf('get_a', doc({ '/a': item }))['properties']).toEqual({ q: { type: 'integer' } });
});

test('offers no headers that are described elsewhere', () => {
  expect(Object.keys(schemaOf('listPets')['properties'] as object)).toEqual(['tags', 'ids', 'filter', 'X-Trace']);
});

test.each([
  [['getPet'], ['getPet']],
  [['DELETE /pets/{id}'], ['delete_pets_id']],
  [['tag:read'], ['getPet', 'listPets']],
])('chooses %j', (wanted, names) => {
  expect(toOperations(description as never, wanted).map(({ tool }) => tool.name)).toEqual(names);
});

test('rejects a chosen operation that does not exist', () => {
  expect(() => toOperations(description as never, ['getPet', 'x'])).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  );
});

test('survives references in circles and to nothing', () => {
  const parameters = [{ $ref: '#/components/parameters/a' }, { $ref: '#/none' }, 7, null];
  const document = {
    ...doc({ '/a': { get: { parameters, requestBody: { $ref: '#/components/none' } } }, '/b': 5 }),
    components: { parameters: { a: { $ref: '#/components/parameters/a' } } },
  };
  expect(schemaOf('get_a', document)).toEqual({ type: 'object', properties: {} });
});
