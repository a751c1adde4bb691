/** A web API as a server (`"type": "openapi"`), over a real core and a real HTTP server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { description, startWebApi, type WebApi } from '../fixtures/servers/openapi-api.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-openapi-'));
const file = join(folder, 'pets.json');
writeFileSync(file, JSON.stringify(description));

let api: WebApi;
let core: TestCore;
let client: SocketClient;
beforeAll(async () => {
  api = await startWebApi();
  const entry = { type: 'openapi', url: `${api.url}/v1`, spec: `${api.url}/openapi.json` };
  core = await startCore({
    servers: {
      pets: { ...entry, headers: { Authorization: 'Bearer ${secret:PETS}' }, maxMessageMB: 2 },
      some: { ...entry, spec: file, operations: ['tag:read'] },
    },
  });
  await core.host.core.trust.secrets.set('PETS', 'hush');
  client = await core.open({}, { mode: 'proxy' });
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const last = () => api.requests.at(-1);

test('lists the operations as tools, all or the chosen ones, with the prefix of the server', async () => {
  const names = await client.toolNames();
  expect(names).toContain('pets_replacePet');
  expect(names.filter((name) => name.startsWith('some_'))).toEqual(['some_getPet', 'some_listPets']);
});

describe('a call', () => {
  test('sends path, query, and headers, with the secret of the vault', async () => {
    const args = { tags: ['a', 'b c'], ids: [1, 2], filter: { kind: 'cat' }, 'X-Trace': 't1' };
    const result = await client.callTool('pets_listPets', args);
    const url = '/v1/pets?tags=a&tags=b+c&ids=1%2C2&filter%5Bkind%5D=cat';
    expect(result).toMatchObject({ structuredContent: { method: 'GET', url } });
    expect(last()).toMatchObject({ url, headers: { authorization: 'Bearer hush', 'x-trace': 't1' } });
  });

  test('sends a body of JSON without the parameters', async () => {
    await client.callTool('pets_replacePet', { id__path: 'a/b', id: 7, name: 'Tom' });
    expect(last()).toMatchObject({ method: 'PUT', url: '/v1/pets/a%2Fb', body: '{"id":7,"name":"Tom"}' });
  });

  test('sends a form, and a text', async () => {
    await client.callTool('pets_login', { user: 'a b', scopes: ['x', 'y'] });
    expect(last()?.body).toBe('user=a+b&scopes=x%2Cy');
    await client.callTool('pets_note', { body: 'plain' });
    expect(last()).toMatchObject({ body: 'plain', headers: { 'content-type': 'text/plain' } });
  });

  test.each(['..', '.', ''])('does not leave its path with the parameter %j', async (id) => {
    const before = api.requests.length;
    expect(await client.callTool('pets_getPet', { id })).toMatchObject({ isError: true });
    expect(api.requests.length).toBe(before);
  });

  test('returns an image as one', async () => {
    const result = await client.callTool('pets_image', {});
    expect(result).toMatchObject({ content: [{ type: 'image', mimeType: 'image/png', data: 'AQID' }] });
  });

  test.each([
    ['missing', 'no such pet'],
    ['moved', 'HTTP 302'],
    ['large', 'MB'],
  ])('returns an error for %s', async (name, text) => {
    const result = await client.callTool(`pets_${name}`, {});
    expect(result['isError']).toBe(true);
    expect(JSON.stringify(result['content'])).toContain(text);
    expect(JSON.stringify(result)).not.toContain('hush');
  });

  test('is recorded like any other, and passes the pins', async () => {
    await client.callTool('pets_getPet', { id: '1' });
    expect(core.host.core.trust.pins.find('pets')?.pinOf('tool', 'getPet')).toBeDefined();
  });
});

test.each([
  ['an older version', { swagger: '2.0', paths: {} }],
  ['a reference to another file', { openapi: '3.1.0', paths: { '/a': { $ref: 'other.json' } } }],
  ['no paths', { openapi: '3.1.0' }],
])('does not start with a description with %s, and says so', async (_what, content) => {
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, JSON.stringify(content));
  await using other = await startCore({ servers: { bad: { type: 'openapi', url: api.url, spec: bad } } });
  const code = (): string | undefined => {
    const { state } = other.server('bad');
    return 'error' in state ? state.error?.code : undefined;
  };
  await until(() => code() !== undefined);
  expect(code()).toBe('config_invalid');
});
