/** Verifies the statements of docs/how-to/migrate.md on a running core and on config files of the four products. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allModes } from '../../src-main/compat/all-modes.ts';
import { modeNames } from '../../src-main/core/config/mode-names.ts';
import { readServersOfText } from '../../src-main/core/config/dialects/read-servers.ts';
import { parseConfig } from '../../src-main/core/config/read-config.ts';
import type { Params } from '../support/raw-client.ts';
import { type SocketClient, textOf } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/migrate.md'), 'utf8');

/** The part of the page below a second-level heading. */
function section(heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
}

/** The code in the paragraph that begins with these bold words. */
function codeIn(text: string, start: string): string[] {
  const paragraph = text.split('\n\n').find((one) => one.startsWith(`**${start}**`)) ?? '';
  return [...paragraph.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

const isToolName = (name: string): boolean => /^[a-z]+(?:_[a-z]+)+$/.test(name);

let folder: string;
let core: TestCore;
let client: SocketClient;
/** A client of each mode. */
const inMode = new Map<string, SocketClient>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tooltray-migrate-'));
  const tools = ['git_log', 'plain', 'list_all', 'echo_it'].map((name) => ({ name }));
  const script = join(folder, 'tools.json');
  await writeFile(script, JSON.stringify({ tools }));
  core = await startCore({
    dataFlow: 'off',
    servers: {
      git: fixture('scripted', script),
      my_server: fixture('compat', 'A'),
      off: { ...fixture('compat', 'B'), enabled: false },
    },
  });
  for (const mode of modeNames) inMode.set(mode, await core.open({}, { mode }));
  client = inMode.get('proxy') as SocketClient;
});
afterAll(async () => {
  await core[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function call(name: string, args: Params = {}, from = client): Promise<{ isError: unknown; text: string }> {
  const result = await from.callTool(name, args);
  return { isError: result['isError'] ?? false, text: textOf(result) };
}

describe('differences for everyone', () => {
  test.each(modeNames)('the tools of all four products can be called in mode %s', async (mode) => {
    const from = inMode.get(mode);
    const message = { message: 'hello' };
    const calls: (readonly [string, Params])[] = [
      ['invoke', { name: 'my-server_echo_tool', args: message }],
      ['proxy-dispatch', { action: 'call', tool: 'my-server_echo_tool', arguments: message }],
      ['proxy', { action: 'call', type: 'tool', path: 'my-server_echo_tool', args: message }],
      ['call_tool_read', { name: 'my_server:echo_tool', args: message }],
    ];
    for (const [name, args] of calls) {
      const { isError, text } = await call(name, args, from);
      expect({ name, isError, hasMessage: text.includes('hello') }).toEqual({ name, isError: false, hasMessage: true });
    }
    expect(await call('retrieve_tools', { query: 'echo' }, from)).toMatchObject({ isError: false });
  });

  test('settings that keep the previous behavior are read', () => {
    const [, block = ''] = /```json\n([\s\S]*?)```/.exec(section('Differences for everyone')) ?? [];
    const { config, problems } = parseConfig(block, '/c.json', {});
    expect(problems).toEqual([]);
    expect(config).toMatchObject({ policy: { agentChanges: 'allow' }, trustEdits: true, port: 8080 });
  });

  test('the port and the policies differ without them', () => {
    expect(parseConfig('{}', '/c.json', {}).config).toMatchObject({
      mode: 'auto',
      port: 8690,
      trustEdits: false,
      heal: 'ask',
      policy: { agentChanges: 'ask' },
    });
  });
});

describe('ToolMux', () => {
  const own = codeIn(section('ToolMux'), 'Works unchanged.');

  test('every tool that the page names is a helper tool', () => {
    const named = own.filter((name) => isToolName(name) && !['cache_model', 'base_url'].includes(name));
    expect(named.length).toBeGreaterThanOrEqual(9);
    expect(named.filter((name) => !allModes.helpers.has(name))).toEqual([]);
  });

  test('reads its file as mode gateway if it has no mode', () => {
    const entry = { base_url: 'https://example.org/mcp', transport: 'http', timeout: 20 };
    const text = JSON.stringify({ cache_model: 'm', servers: { a: entry, b: { command: 'x' } } });
    const { config, problems } = parseConfig(text, '/home/me/toolmux/mcp.json', {});
    expect(problems).toEqual([]);
    expect(config).toMatchObject({ mode: 'gateway', servers: [{ kind: 'http' }, { kind: 'stdio' }] });
    expect(parseConfig(JSON.stringify({ mode: 'search', servers: {} }), '/c.json', {}).config?.mode).toBe('search');
  });

  test('lists tools that change servers only with exposeAdmin, and others with extraTools', async () => {
    const names = new Set((await Promise.all([...inMode.values()].map((one) => one.toolNames()))).flat());
    expect([...names]).not.toContain('manage_servers');
    expect([...names]).not.toContain('optimize_descriptions');
    expect(await client.toolNames()).not.toContain('list_all_tools');
    await using other = await startCore({ exposeAdmin: true, extraTools: ['list_all_tools'], servers: {} });
    const listed = await (await other.open({}, { mode: 'proxy' })).toolNames();
    expect(listed).toEqual(expect.arrayContaining(['manage_servers', 'optimize_descriptions', 'list_all_tools']));
  });

  test('names: my_server becomes my-server, git_log is not doubled, and other spellings can be called', async () => {
    const names = await client.toolNames();
    expect(names).toEqual(expect.arrayContaining(['my-server_echo_tool', 'git_log']));
    expect(names).not.toContain('git_git_log');
    for (const name of ['git_log', 'git_git_log', 'my_server_echo_tool'])
      expect(await call(name, { message: 'm' })).toMatchObject({ isError: false });
  });

  test('call_tool on a disabled server reports its status', async () => {
    const result = await client.callTool('call_tool', { name: 'off_echo_tool', arguments: {} });
    expect([result['isError'], JSON.stringify(result)]).toEqual([true, expect.stringMatching(/off/)]);
    expect(JSON.stringify(result)).not.toMatch(/not found/i);
  });

  test('catalog_tools returns everything, or less with a query', async () => {
    const all = JSON.parse((await call('catalog_tools')).text) as unknown[];
    const found = JSON.parse((await call('catalog_tools', { query: 'reverse' })).text) as unknown[];
    expect(found.length).toBeGreaterThan(0);
    expect(all.length).toBeGreaterThan(found.length);
  });

  test('a search without a match suggests something', async () => {
    const { text } = await call('search_tools', { query: 'revers_tol' }, inMode.get('search'));
    expect(text).toContain('reverse');
  });

  test('execute stops at 50 calls', async () => {
    const code = `for (let i = 0; i < 51; i++) await call_tool('git_log', {}); return 'done'`;
    expect((await call('execute', { code, language: 'javascript' })).text).not.toContain('done');
    const fewer = code.replace('51', '50');
    expect((await call('execute', { code: fewer, language: 'javascript' })).text).toContain('done');
  });
});

describe('mini-a', () => {
  test('reads its settings', () => {
    const [, block = ''] = /```json\n([\s\S]*?)```/.exec(section('mini-a')) ?? [];
    const { config, problems } = parseConfig(block, '/c.json', {});
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      mode: 'dispatch',
      dispatch: { allow: ['github:list_issues'], deny: [] },
      results: { threshold: 20000, toon: true, cacheSeconds: { github: 60 } },
    });
  });

  test('has the actions and parameters that the page names; connections have aliases and the server as id', async () => {
    const listed = await call('proxy-dispatch', { action: 'list' });
    const { connections } = JSON.parse(listed.text) as { connections: { id: string; alias: string }[] };
    expect(connections.map(({ id }) => id)).toEqual(['git', 'my_server']);
    expect(connections.map(({ alias }) => alias)).toEqual(['c1', 'c2']);
    expect(await call('proxy-dispatch', { action: 'status' })).toMatchObject({ isError: false });
    const schema = allModes.helpers.get('proxy-dispatch')?.definition['inputSchema'] as Params | undefined;
    const named = codeIn(section('mini-a'), 'Works unchanged.').filter((name) => /^[a-z]+[A-Z]\w+$/.test(name));
    expect(named).toEqual(['argumentsFile', 'resultToFile', 'resultSizeThreshold']);
    expect(Object.keys(schema?.['properties'] ?? {})).toEqual(expect.arrayContaining(named));
  });

  test('a search returns signatures, the servers of aliases, and in detail the matched fields', async () => {
    const brief = await call('proxy-dispatch', { action: 'search', query: 'reverse' });
    expect(JSON.parse(brief.text)).toMatchObject({
      results: [{ signature: expect.stringContaining('(') as string }],
      connections: { c2: 'my_server' },
    });
    const detail = await call('proxy-dispatch', { action: 'search', query: 'reverse', format: 'detail' });
    expect(detail.text).toContain('matchedFields');
    const anyOrder = await call('proxy-dispatch', { action: 'search', query: 'string reverse' });
    expect(anyOrder.text).toContain('reverse_tool');
  });

  test('a result spilled to a file has its facts in _meta', async () => {
    const args = { action: 'call', tool: 'my-server_echo_tool', arguments: { message: 'm' }, resultToFile: true };
    const result = await client.callTool('proxy-dispatch', args);
    expect(JSON.stringify(result['_meta'])).toContain('resultFile');
  });
});

describe('Magg', () => {
  test('reads its file', () => {
    const servers = {
      line: { command: 'npx -y some-server', prefix: 'line', env: { A: 'b' }, source: 'https://example.org' },
      far: { uri: 'https://example.org/mcp', transport: {} },
    };
    const { config, problems } = parseConfig(JSON.stringify({ servers }), '/home/me/.magg/config.json', {});
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(config?.servers).toMatchObject([{ command: 'npx', args: ['-y', 'some-server'] }, { kind: 'http' }]);
  });

  test('imports the file of a kit, without the source of its servers', () => {
    const calculator = { source: 'https://example.org', command: 'npx -y calc-mcp', enabled: true };
    const kit = { name: 'calc', description: 'Calculators', version: '1', keywords: ['x'], servers: { calculator } };
    const { servers } = readServersOfText(JSON.stringify(kit), 'kit.d/calc.json', { home: '/home/me' });
    expect(servers).toMatchObject([
      {
        name: 'calculator',
        entry: { command: 'npx', args: ['-y', 'calc-mcp'] },
        losses: [expect.stringContaining('source') as string],
      },
    ]);
  });

  test('batch names each operation above its result', async () => {
    const operations = ['git_log', 'plain'].map((path) => ({ action: 'call', type: 'tool', path }));
    const result = await client.callTool('proxy', { action: 'batch', type: 'tool', operations });
    const texts = (result['content'] as { text?: string }[]).map(({ text = '' }) => text);
    expect(texts.filter((text) => /git_log|plain/.test(text))).toHaveLength(2);
  });

  test('what the page lists as not available does not exist', async () => {
    const named = codeIn(section('Magg'), 'Not available.');
    expect(named).toEqual(expect.arrayContaining(['magg_*', 'magg://', 'MAGG_READ_ONLY', 'MAGG_SELF_PREFIX']));
    expect([...allModes.helpers.keys()].filter((name) => name.startsWith('magg'))).toEqual([]);
  });
});

describe('MCPProxy', () => {
  const own = codeIn(section('MCPProxy'), 'Works unchanged.');

  test('every tool that the page names is a helper tool, every operation one of upstream_servers', () => {
    const tools = ['retrieve_tools', 'call_tool_read', 'call_tool_write', 'call_tool_destructive', 'describe_tool'];
    expect(own).toEqual(expect.arrayContaining(tools));
    for (const name of [...tools, 'code_execution', 'upstream_servers']) expect(allModes.helpers.has(name)).toBe(true);
    const schema = allModes.helpers.get('upstream_servers')?.definition['inputSchema'] as {
      properties: { operation: { enum: string[] } };
    };
    const operations = ['list', 'add', 'remove', 'update', 'patch', 'tail_log'];
    expect(own).toEqual(expect.arrayContaining(operations));
    expect(schema.properties.operation.enum.toSorted()).toEqual(operations.toSorted());
  });

  test('reads its settings without a problem', () => {
    const settings = {
      listen: '127.0.0.1:8080',
      routing_mode: 'retrieve_tools',
      tools_limit: 5,
      tool_response_limit: 20000,
      read_only_mode: true,
      allow_server_add: false,
      enable_code_execution: false,
      call_tool_timeout: '2m',
      mcpServers: [
        {
          name: 'a',
          command: 'x',
          working_dir: '/tmp',
          enabled_tools: ['t'],
          disabled_tools: ['u'],
          oauth: { client_id: 'c' },
        },
        { name: 'q', url: 'https://example.org/mcp', protocol: 'http', quarantined: true },
      ],
    };
    const { config, problems } = parseConfig(JSON.stringify(settings), '/home/me/.mcpproxy/mcp_config.json', {});
    expect(problems.filter(({ path }) => !path.includes('quarantined') && !path.includes('oauth'))).toEqual([]);
    expect(config).toMatchObject({
      product: 'mcpproxy',
      mode: 'retrieve',
      port: 8080,
      retrieve: { limit: 5 },
      code: { enabled: false },
      results: { threshold: 20000 },
      callTimeoutSeconds: 120,
      policy: { agentChanges: 'refuse', allowAdd: false },
      servers: [{ name: 'a' }, { name: 'q', held: 'review', enabled: false }],
    });
  });

  test('reports a key without an effect with the reason', () => {
    const text = JSON.stringify({ mcpServers: [], health_check_interval: '5s' });
    const { problems } = parseConfig(text, '/home/me/.mcpproxy/mcp_config.json', {});
    expect(problems).toMatchObject([{ path: 'health_check_interval', suggestion: expect.any(String) as string }]);
  });

  test('recommends call_tool_read for a tool without annotations, which accepts it', async () => {
    const { text } = await call('retrieve_tools', { query: 'plain' });
    expect(JSON.parse(text)).toMatchObject({ tools: [{ name: 'git:plain', call_with: 'call_tool_read' }] });
  });

  test('rejects stored scripts', async () => {
    expect(await call('code_execution', { script: 'nightly' })).toMatchObject({ isError: true });
  });

  test('what the page lists as not available does not exist', async () => {
    const named = codeIn(section('MCPProxy'), 'Not available.');
    const tools = ['quarantine_security', 'set_profile', 'search_servers', 'list_registries'];
    tools.push('add_from_registry', 'read_cache', 'tail_log');
    expect(named).toEqual(expect.arrayContaining([...tools, '/mcp/call', '/mcp/all', '/mcp/code', '/api/v1']));
    expect(tools.filter((name) => allModes.helpers.has(name))).toEqual([]);
    for (const path of ['/mcp/call', '/mcp/all', '/mcp/code', '/api/v1/servers'])
      expect((await fetch(new URL(path, core.url), { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(new URL('/mcp/mode/retrieve', core.url))).status).not.toBe(404);
  });

  test('/mcp needs a token', async () => {
    await using closed = await startCore({ servers: {} }, { askToken: true });
    expect((await fetch(closed.url, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});
