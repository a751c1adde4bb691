/** Imports the configuration of ToolMux, Magg and MCPProxy, and reports what cannot be imported. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Machine } from '../../../src-main/core/client-apps/app-files.ts';
import { knownApp } from '../../../src-main/core/client-apps/app-files.ts';
import { secretSettingNames } from '../../../src-main/core/client-apps/secret-settings.ts';
import { readServersOfValue } from '../../../src-main/core/config/dialects/read-servers.ts';
import { findImportOffers } from '../../../src-main/core/client-apps/import-offers.ts';
import { findAggregators } from '../../../src-main/core/client-apps/other-aggregators.ts';

let home = '';
let machine: Machine;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-others-'));
  machine = { home, env: {}, platform: 'linux' };
});
afterEach(() => rm(home, { recursive: true }));

async function put(path: string, value: object): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value));
  return file;
}

async function offers(cwd?: string) {
  return (await findImportOffers([], [], machine, await findAggregators(machine, cwd))).offers;
}

test('finds their configs in the default places and in the current folder', async () => {
  await put('shared/toolmux/mcp.json', { servers: { shared: { command: 'shared' } } });
  await put('toolmux/mcp.json', { servers: { local: { command: 'local' } } });
  await put('.magg/config.json', { servers: { magg: { source: 's', command: 'magg-server --x y' } } });
  await put('.mcpproxy/mcp_config.json', { mcpServers: [{ name: 'proxied', command: 'proxied' }] });
  await put('project/mcp.json', { servers: { here: { command: 'here' } } });
  const found = await offers(join(home, 'project'));
  expect(found.map(({ name, sources }) => [name, ...sources])).toEqual([
    ['here', 'ToolMux'],
    ['shared', 'ToolMux'],
    ['local', 'ToolMux'],
    ['magg', 'Magg'],
    ['proxied', 'MCPProxy'],
  ]);
  expect((await offers()).map(({ name }) => name)).not.toContain('here');
});

test('reads the Magg config from its variables, in their order', async () => {
  await put('a/config.json', { servers: { a: { source: 's', command: 'a' } } });
  await put('b/config.json', { servers: { b: { source: 's', command: 'b' } } });
  const named = await put('c/x.json', { servers: { c: { source: 's', command: 'c' } } });
  machine = { ...machine, env: { MAGG_PATH: `${join(home, 'a')}:${join(home, 'b')}`, MAGG_CONFIG_PATH: named } };
  expect((await offers()).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
});

describe('an entry that starts another aggregator is offered as its servers', () => {
  test.each([
    [{ command: 'toolmux', args: ['--mode', 'gateway'] }, ['shared']],
    [{ command: 'uvx', args: ['toolmux==2.3.1', '--config', 'CONFIG'] }, ['special']],
    [{ command: '/opt/bin/toolmux', args: ['--config=CONFIG'] }, ['special']],
    [{ command: 'magg', args: ['serve'], env: { MAGG_CONFIG_PATH: 'CONFIG' } }, ['special']],
    [{ command: 'mcpproxy', args: ['serve'] }, []],
    [{ command: 'uvx', args: ['mcp-server-toolmux'] }, ['entry']],
  ])('%j', async (entry, names) => {
    await put('shared/toolmux/mcp.json', { servers: { shared: { command: 'shared' } } });
    const config = await put('special.json', { servers: { special: { command: 'special', source: 's' } } });
    const text = JSON.stringify(entry).replaceAll('CONFIG"', `${config}"`).replace(`"MAGG_${config}"`, '"MAGG_CONFIG"');
    const file = await put('.cursor/mcp.json', { mcpServers: { entry: JSON.parse(text) as object } });
    const { offers: found } = await findImportOffers([{ app: knownApp('cursor'), file }], [], machine);
    expect(found.map(({ name }) => name)).toEqual(names);
  });
});

test('imports what it can and reports each setting that it cannot', async () => {
  await put('.mcpproxy/mcp_config.json', {
    listen: ':8080',
    read_only_mode: true,
    mcpServers: [
      {
        name: 'a',
        command: 'a',
        args: [],
        env: { KEY: '${keyring:key}' },
        isolation: { enabled: true, image: 'x' },
        init_timeout: '2m',
        enabled: true,
        quarantined: true,
        trust_mode: 'scan',
        queue_size: 2,
        created: '2026-01-01',
        shoe: 5,
      },
      { name: 'b', url: 'https://h/mcp', oauth: { client_id: 'c', scopes: ['s'] }, quarantined: false },
    ],
  });
  const [a, b] = await offers();
  expect(a?.entry).toEqual({
    command: 'a',
    env: { KEY: '${keyring:key}' },
    isolation: { enabled: true, image: 'x' },
    initTimeoutSeconds: 120,
    quarantined: true,
  });
  expect(a?.losses).toEqual([
    expect.stringMatching(/^trust_mode: /),
    expect.stringMatching(/^queue_size: /),
    expect.stringMatching(/^shoe: /),
    "MCPProxy's own settings are not imported: listen, read_only_mode.",
  ]);
  expect(b).toMatchObject({ entry: { url: 'https://h/mcp', oauth: { client_id: 'c', scopes: ['s'] } }, losses: [] });
});

test('imports manually registered OAuth clients of any product', () => {
  const mcpServers = {
    cursor: { url: 'https://h/mcp', auth: { CLIENT_ID: 'c', CLIENT_SECRET: 's3cr3t-s3cr3t', scopes: ['a'] } },
    codex: { url: 'https://h/mcp', oauth: { client_id: 'c' }, scopes: ['b'] },
  };
  const imported = readServersOfValue({ mcpServers }, 'x.json', { home: '/h' }).servers;
  expect(imported).toMatchObject([
    { entry: { oauth: { CLIENT_ID: 'c', scopes: ['a'] } }, losses: [] },
    { entry: { oauth: { client_id: 'c', scopes: ['b'] } }, losses: [] },
  ]);
  expect(imported.map(({ entry = {} }) => secretSettingNames(entry))).toEqual([['CLIENT_SECRET'], []]);
});

test('imports timeouts in the unit of each product, and prefix, notes and kits of Magg', async () => {
  await put('toolmux/mcp.json', {
    servers: { a: { command: 'a', timeout: 15_000 }, b: { base_url: 'http://h', timeout: 30 } },
  });
  await put('.magg/config.json', {
    servers: {
      c: {
        source: 'https://x',
        command: 'c',
        prefix: 'p',
        notes: 'n',
        kits: ['k'],
        env_vars: { A: 'b' },
        transport: { python_cmd: 'py' },
      },
    },
  });
  const found = await offers();
  expect(found.map(({ entry }) => entry)).toEqual([
    { command: 'a', initTimeoutSeconds: 15 },
    { url: 'http://h/mcp', initTimeoutSeconds: 30, callTimeoutSeconds: 30 },
    { command: 'c', prefix: 'p', description: 'n', kits: ['k'], env: { A: 'b' } },
  ]);
  expect(found[2]?.losses).toEqual([
    expect.stringMatching(/^source: /),
    expect.stringMatching(/^transport\.python_cmd: /),
  ]);
});
