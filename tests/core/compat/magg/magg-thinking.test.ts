/** Magg's tools that list, judge and work out servers: with an app that lends its model, with one that does not, and by another prefix. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Params } from '../../../support/raw-client.ts';
import { ModernClient } from '../../../support/modern-client.ts';
import { type SocketClient, textOf } from '../../../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../../../support/start-core.ts';

interface Envelope {
  readonly errors: readonly string[] | null;
  readonly output: Params | null;
}

const servers = { m: { ...fixture('capabilities'), notes: 'Sums.' }, e: fixture('compat', 'E') };
const package1 = { registryType: 'npm', identifier: '@x/weather', version: '1.0.0' };
const known = [
  { name: 'x/weather', description: 'Weather.', websiteUrl: 'https://x.test/weather', packages: [package1] },
];

let registry: Server;
let listed: unknown;
let registries: readonly object[];
beforeEach(async () => {
  listed = { servers: known };
  registry = createServer((_, response) => {
    if (listed === undefined) response.socket?.destroy();
    else response.end(JSON.stringify(listed));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  // The registry of the world is not for tests.
  registries = [{ name: 'official', url: `http://127.0.0.1:${port}` }];
});
afterEach(() => {
  registry.close().closeAllConnections();
});

const read = (result: Params): Envelope => JSON.parse(textOf(result)) as Envelope;
const ask = async (client: SocketClient, tool: string, args: Params = {}): Promise<Envelope> =>
  read(await client.callTool(tool, args));

/** A client app whose model says this to every question. */
async function lending(core: TestCore, said: string): Promise<SocketClient> {
  const client = await core.open({ sampling: {} }, { mode: 'proxy' });
  const content = { type: 'text', text: said };
  client.onRequest('sampling/createMessage', () => ({ model: 'test', role: 'assistant', content }));
  return client;
}

test('magg_list_tools names the tools of all servers, or of one', async () => {
  await using core = await startCore({ servers, registries });
  const client = await core.open();
  const { output } = await ask(client, 'magg_list_tools');
  expect(output).toMatchObject({ total: 6, servers: [{ server: 'm' }, { server: 'e' }] });
  expect((await ask(client, 'magg_list_tools', { server: 'm' })).output).toEqual({
    total: 3,
    servers: [
      {
        server: 'm',
        tools: [
          { name: 'm_add', description: 'Adds two numbers' },
          { name: 'm_boom', description: 'Fails' },
          { name: 'm_pic', description: 'Draws' },
        ],
      },
    ],
  });
  expect((await ask(client, 'magg_list_tools', { server: 'zz' })).errors).toEqual([
    expect.stringMatching(/'zz' not found.*There are: m, e/),
  ]);
});

test('magg_analyze_servers counts, and has the model of an app judge that lends it', async () => {
  await using core = await startCore({ servers, registries });
  const client = await lending(core, 'Two servers that add.');
  const { output, errors } = await ask(client, 'magg_analyze_servers');
  expect(errors).toBeNull();
  expect(output).toMatchObject({
    total_servers: 2,
    mounted_servers: 2,
    total_tools: 6,
    insights: 'Two servers that add.',
  });
  const [{ params } = {}] = client.requests;
  expect(JSON.stringify(params)).toMatch(/echo_tool.*Name what overlaps/);
  const plain = await ask(await core.open(), 'magg_analyze_servers');
  expect(plain.output).toMatchObject({
    total_tools: 6,
    insights: null,
    note: expect.stringContaining('sampling') as string,
  });
});

test('an app of 2026-07-28 is asked as well', async () => {
  await using core = await startCore({ servers, registries });
  const app = new ModernClient(await core.connect(), { sampling: {} }, 'modern');
  app.onAsk('sampling/createMessage', () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'Good.' },
  }));
  const { result } = await app.call('magg_analyze_servers', {});
  expect(read(result as Params).output).toMatchObject({ insights: 'Good.' });
});

test('magg_smart_configure has the model work out an entry, and proposes it where that is wanted', async () => {
  await using core = await startCore({ servers, registries }, { env: { KEY: 'value' } });
  const { command, args } = fixture('echo');
  const line = [command, ...args].join(' ');
  const client = await lending(
    core,
    `Sure:\n\`\`\`json\n${JSON.stringify({ command: line, env: { KEY: '${env:KEY}' } })}\n\`\`\``,
  );
  const input = { source: 'https://x.test/weather' };
  const { output, errors } = await ask(client, 'magg_smart_configure', input);
  expect([errors, output]).toEqual([
    null,
    {
      action: 'smart_configured',
      config: { name: 'weather', source: input.source, command: line, env: { KEY: '${env:KEY}' } },
      added: false,
    },
  ]);
  const [{ params } = {}] = client.requests;
  expect(JSON.stringify(params)).toContain('npx -y @x/weather@1.0.0');
  const added = await ask(client, 'magg_smart_configure', { ...input, server_name: 'sky', allow_add: true });
  expect(added.output).toMatchObject({ action: 'server_added', status: 'proposed', server: { name: 'sky' } });
  expect((await core.host.core.admin.proposals()).length).toBe(1);
});

test('without the model the registry has to know it; what is missing is said', async () => {
  await using core = await startCore({ servers, registries });
  const client = await core.open();
  const known1 = await ask(client, 'magg_smart_configure', { source: 'https://x.test/weather.git' });
  expect(known1.output).toMatchObject({
    action: 'metadata_based_config',
    config: { name: 'weather', command: 'npx -y @x/weather@1.0.0', notes: 'Weather.' },
    note: expect.stringContaining('sampling') as string,
  });
  const unknown = await ask(client, 'magg_smart_configure', { source: 'https://x.test/other' });
  expect(unknown.errors).toEqual([expect.stringMatching(/sampling.*registry does not know.*magg_add_server/)]);
  listed = undefined;
  // Of what it was asked a moment ago the answer is remembered.
  const away = await ask(client, 'magg_smart_configure', { source: 'https://x.test/rain' });
  expect(away.errors?.[1]).toMatch(/registry "official" could not be asked/);
});

test('a model that answers with no configuration is told so', async () => {
  await using core = await startCore({ servers, registries });
  const client = await lending(core, 'I do not know.');
  expect((await ask(client, 'magg_smart_configure', { source: 'x' })).errors).toEqual([
    expect.stringContaining('no configuration'),
  ]);
});

test('a registry that cannot be reached is told, and no empty success', async () => {
  await using core = await startCore({ servers, registries });
  const client = await core.open();
  expect((await ask(client, 'magg_search_servers', { query: 'weather' })).output).toMatchObject({ total: 1 });
  listed = undefined;
  const { errors, output } = await ask(client, 'magg_search_servers', { query: 'rain' });
  expect([errors, output]).toEqual([
    [expect.stringContaining('could not be asked')],
    expect.objectContaining({ total: 0 }),
  ]);
});

test('MAGG_SELF_PREFIX gives its tools another name; one that Magg would refuse changes nothing', async () => {
  await using core = await startCore({ servers, exposeAdmin: true }, { env: { MAGG_SELF_PREFIX: 'hub' } });
  const client = await core.open();
  const names = await client.toolNames();
  expect([names.includes('hub_status'), names.some((name) => name.startsWith('magg_'))]).toEqual([true, false]);
  expect((await ask(client, 'hub_status')).output).toMatchObject({ tools: { total: 6 } });
  await expect(client.callTool('magg_status')).rejects.toThrow('magg_status');
  await using odd = await startCore({ servers, registries }, { env: { MAGG_SELF_PREFIX: 'my_hub' } });
  expect((await ask(await odd.open(), 'magg_status')).errors).toBeNull();
});
