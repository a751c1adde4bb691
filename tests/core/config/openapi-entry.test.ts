/** Entries of web APIs: the address of the API, and where its description is. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src-main/core/config/read-config.ts';

const url = 'https://api.example.com/v1';

function read(entry: object) {
  const { config, problems } = parseConfig(
    JSON.stringify({ servers: { a: entry } }),
    resolve('/config/config.json'),
    {},
  );
  return { server: config?.servers[0], problems };
}

test.each([
  ['an address', 'https://example.com/openapi.json', 'https://example.com/openapi.json'],
  ['a path next to the config', 'pets.yaml', resolve('/config/pets.yaml')],
])('reads the description at %s', (_what, spec, place) => {
  const { server, problems } = read({ type: 'openapi', url, spec, operations: ['getPet'], headers: { a: 'b' } });
  expect(problems).toEqual([]);
  expect(server).toMatchObject({
    kind: 'openapi',
    url,
    headers: { a: 'b' },
    openapi: { spec: place, operations: ['getPet'] },
  });
});

test('needs no type if it names a description', () => {
  expect(read({ url, spec: 'pets.yaml' }).server?.kind).toBe('openapi');
});

test.each([
  [{ type: 'openapi', spec: 'pets.yaml' }, 'error'],
  [{ type: 'openapi', url }, 'error'],
  [{ type: 'openapi', url: 'ftp://x', spec: 'pets.yaml' }, 'error'],
  [{ type: 'openapi', url, spec: 'pets.yaml', operations: [] }, 'error'],
  [{ type: 'openapi', url, spec: 'pets.yaml', oauth: { clientId: 'x' } }, 'warning'],
  [{ type: 'http', url, spec: 'pets.yaml' }, 'warning'],
  [{ command: 'x', spec: 'pets.yaml' }, 'warning'],
])('reports %j', (entry, severity) => {
  expect(read(entry).problems).toMatchObject([{ severity }]);
});
