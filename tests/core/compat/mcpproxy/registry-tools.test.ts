/** search_servers, list_registries and upstream_servers add_from_registry, over a real core and a registry over HTTP. */
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startRegistry, type TestRegistry } from '../../../fixtures/registry/registry-server.ts';
import { textOf } from '../../../support/socket-client.ts';
import { startCore, type TestCore } from '../../../support/start-core.ts';

type Json = Record<string, unknown>;

interface World {
  readonly core: TestCore;
  readonly registry: TestRegistry;
  readonly options: Parameters<typeof startRegistry>[0];
  readonly ask: (tool: string, input: Json) => Promise<Json>;
}

async function world(settings: Json = {}): Promise<World> {
  const options: NonNullable<Parameters<typeof startRegistry>[0]> = {};
  const registry = await startRegistry(options);
  const core = await startCore({ servers: {}, registries: [{ name: 'official', url: registry.url }], ...settings });
  onTestFinished(async () => {
    await core[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });
  const client = await core.open({}, { mode: 'retrieve' });
  const ask = async (tool: string, input: Json): Promise<Json> => {
    const result = await client.callTool(tool, input);
    return { ...(JSON.parse(textOf(result)) as Json), ...(result['isError'] === true && { isError: true }) };
  };
  return { core, registry, options, ask };
}

const add = (input: Json): Json => ({ operation: 'add_from_registry', ...input });
const weather = 'io.github.example/weather-mcp';

test('servers are searched, with the ways to run them and what these ask for', async () => {
  const { ask, registry } = await world();
  expect(await ask('search_servers', { registry: 'official', search: 'weather', limit: 1 })).toEqual({
    servers: [
      {
        ...{ id: weather, name: weather, version: '0.5.0', description: 'Weather of any place.' },
        options: [
          {
            ...{ id: 'package-0', kind: 'Python package', target: 'weather-mcp-server 0.5.0' },
            inputs: ['WEATHER_API_KEY* (secret)', 'WEATHER_UNITS', '--port', '--verbose'],
          },
        ],
      },
    ],
    ...{ registry: 'official', total: 1, query: 'weather' },
    message: 'Found 1 in official. There are more: search for a longer part of the name.',
  });
  expect(await ask('list_registries', {})).toEqual({
    registries: [{ id: 'official', name: 'official', url: registry.url }],
    total: 1,
  });
});

test('a registry that does not answer is unavailable, and that is an error', async () => {
  const { ask, options } = await world();
  Object.assign(options ?? {}, { answer: (_: unknown, response: { destroy: () => void }) => response.destroy() });
  expect(await ask('search_servers', { search: 'weather' })).toMatchObject({
    ...{ isError: true, servers: [], total: 0 },
    unavailable: { reason: 'The registry "official" could not be asked: the connection was cut.' },
  });
});

test('what a model adds is a proposal, made from the entry: in a box, pinned, its secret the person’s to set', async () => {
  const { ask, core } = await world();
  const before = await readFile(core.configFile, 'utf8');
  const inputs = JSON.stringify({ WEATHER_UNITS: 'fahrenheit' });
  const asked = await ask('upstream_servers', add({ id: weather, name: 'sky', inputs_json: inputs }));
  expect(asked).toMatchObject({
    success: true,
    server: { name: 'sky', protocol: 'stdio', command: 'uvx', quarantined: true },
    ...{ status: 'pending_approval', secrets: ['SKY_WEATHER_API_KEY'] },
    secrets_message: 'The person sets them: tooltray secret set SKY_WEATHER_API_KEY',
  });
  expect(await readFile(core.configFile, 'utf8')).toBe(before);
  const [proposal] = await core.host.core.admin.proposals();
  expect(proposal?.changes).toEqual([
    {
      ...{ kind: 'add', server: 'sky', isUnseen: true },
      entry: {
        command: 'uvx',
        args: ['--python=3.12', 'weather-mcp-server@0.5.0', '--port', '8080', '--stdio'],
        env: { WEATHER_API_KEY: '${secret:SKY_WEATHER_API_KEY}', WEATHER_UNITS: 'fahrenheit' },
        isolation: { mode: 'auto', network: true },
        registry: { name: 'official', server: weather, version: '0.5.0' },
      },
    },
  ]);
});

test('where models may change servers, it is added in review, and nothing of it starts', async () => {
  const { ask, core } = await world({ policy: { agentChanges: 'allow' } });
  const added = await ask('upstream_servers', add({ id: 'io.github.example/old-weather' }));
  expect(added).toMatchObject({ success: true, server: { name: 'old-weather' } });
  expect(core.server('old-weather').config).toMatchObject({ enabled: false, held: 'review' });
});

test('what is missing, unknown or cannot be run is said, and nothing is proposed', async () => {
  const { ask, core } = await world();
  const failed = async (input: Json): Promise<Json> => ask('upstream_servers', add(input));
  expect(await failed({ id: 'io.github.example/database-manager' })).toEqual({
    ...{ success: false, code: 'missing_inputs', message: 'database_name is needed. db_type is needed.' },
    missing_inputs: ['database_name', 'db_type'],
  });
  expect(await failed({ id: 'a/b' })).toMatchObject({ isError: true, error_code: 'not_found' });
  expect(await failed({})).toMatchObject({ isError: true, error_code: 'bad_request' });
  expect(await failed({ id: weather, inputs_json: '{"PATH":"/evil"}' })).toMatchObject({ error_code: 'bad_request' });
  expect(await failed({ id: 'io.github.example/rusty' })).toMatchObject({ isError: true, error_code: 'unsupported' });
  expect(await core.host.core.admin.proposals()).toEqual([]);
});
