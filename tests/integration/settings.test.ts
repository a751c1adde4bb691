/** What the settings `mode`, `appModes`, `extraTools` and `raw` change for client apps, over every transport of a whole core. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Params } from '../support/raw-client.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import type { SocketClient } from '../support/socket-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const echo = fixture('compat', 'E');
const helpers = ['search_tools', 'call_tool'];
const tools = ['count_tool', 'echo_tool', 'reverse_tool'];

/** Names of the tools listed at an HTTP endpoint, over either protocol. */
async function namesAt(
  core: TestCore,
  path: string,
  era: 'legacy' | 'modern' = 'legacy',
  name?: string,
): Promise<string[]> {
  const http = new HttpClient(core.url + path, era === 'modern');
  if (era === 'legacy') await http.initialize();
  const { result } =
    era === 'legacy'
      ? (await http.exchange('tools/list')).message
      : await new ModernClient(http, {}, name).once('tools/list');
  return (result as { tools: { name: string }[] }).tools.map((tool) => tool.name);
}

/** Opens a session that introduces itself under this name. */
async function introduce(core: TestCore, name: string): Promise<SocketClient> {
  const client = await core.connect();
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name, version: '1' },
  });
  return client;
}

describe('the mode of a session', () => {
  let core: TestCore;
  beforeAll(async () => {
    core = await startCore({
      servers: { echo },
      mode: 'search',
      appModes: { Cursor: 'proxy', 'claude-code': 'proxy' },
    });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  test("is the config's by default", async () => {
    expect(await (await core.open()).toolNames()).toEqual(helpers);
    expect([await namesAt(core, ''), await namesAt(core, '', 'modern')]).toEqual([helpers, helpers]);
  });

  test("is the client app's if the shim or the URL names it", async () => {
    expect(await (await core.open({}, { app: 'Cursor' })).toolNames()).toEqual(tools);
    expect([await namesAt(core, '/app/Cursor'), await namesAt(core, '/app/Cursor', 'modern')]).toEqual([tools, tools]);
    expect(await (await core.open({}, { app: 'Zed' })).toolNames()).toEqual(helpers);
  });

  test.each(['constructor', '__proto__', 'toString'])('treats an app named %s like any other', async (app) => {
    expect(await namesAt(core, `/app/${app}`)).toEqual(helpers);
    expect(await (await core.open({}, { app })).toolNames()).toEqual(helpers);
  });

  test('is the requested one for every app', async () => {
    expect(await (await core.open({}, { app: 'Cursor', mode: 'search' })).toolNames()).toEqual(helpers);
    expect([await namesAt(core, '/mode/proxy'), await namesAt(core, '/mode/proxy', 'modern')]).toEqual([tools, tools]);
  });

  test("is the client app's if only initialize names it", async () => {
    expect(await (await introduce(core, 'claude-code')).toolNames()).toEqual(tools);
  });

  test('is the one of the client app that a stateless request names, on any connection', async () => {
    const asked = ['claude-code', 'Zed', 'claude-code'].map((name) => namesAt(core, '', 'modern', name));
    expect(await Promise.all(asked)).toEqual([tools, helpers, tools]);
    const line = await core.connect();
    const listed = async (name: string): Promise<string[]> => {
      const { result } = await new ModernClient(line, {}, name).once('tools/list');
      return (result as { tools: { name: string }[] }).tools.map((tool) => tool.name);
    };
    expect(await listed('claude-code')).toEqual(tools);
    expect(await listed('Zed')).toEqual(helpers);
    expect(await listed('claude-code')).toEqual(tools);
  });
});

describe('extraTools', () => {
  const listed = async (mode: string, extraTools: string[], server: object = echo): Promise<string[]> => {
    await using core = await startCore({ servers: { echo: server }, mode, extraTools });
    const [client, modern] = [await core.open(), await namesAt(core, '', 'modern')];
    expect(modern).toEqual(await client.toolNames());
    return modern;
  };

  test('are listed before the tools of servers, in the order of the config', async () => {
    expect(await listed('proxy', ['call_tool', 'search_tools'])).toEqual(['call_tool', 'search_tools', ...tools]);
  });

  test('are listed once, even if named twice or part of the mode', async () => {
    expect(await listed('proxy', ['call_tool', 'call_tool'])).toEqual(['call_tool', ...tools]);
    expect(await listed('search', ['call_tool', 'search_tools'])).toEqual(helpers);
  });

  test('that do not exist are omitted, including server tools', async () => {
    expect(await listed('search', ['echo_tool', 'constructor', '__proto__', 'call_tool '])).toEqual(helpers);
  });
});

describe('raw', () => {
  const definition = async (raw: boolean): Promise<Params> => {
    await using core = await startCore({ servers: { odd: fixture('odd') }, raw });
    const client = await core.open();
    const { tools: all } = (await client.request('tools/list')) as unknown as { tools: Params[] };
    return all.find((tool) => tool['name'] === 'decorated') ?? {};
  };

  test('keeps the definitions of servers unchanged', async () => {
    expect(await definition(true)).toMatchObject({
      title: 'Decorated',
      description: 'Has every optional field, and unknown ones beside each.',
      inputSchema: { $defs: { short: { maxLength: 5 } }, 'x-vendor': { kept: true } },
      icons: [{ vendorIcon: 1 }],
      execution: { vendorExecution: 1 },
      vendorField: { kept: true },
    });
  });

  test('is off by default', async () => {
    const { inputSchema, ...shown } = await definition(false);
    // Constraints stay; what a model does not read is removed.
    expect(inputSchema).toMatchObject({ type: 'object', $defs: { short: { type: 'string', maxLength: 5 } } });
    expect(inputSchema).not.toHaveProperty('x-vendor');
    expect(shown).toEqual({
      name: 'decorated',
      description: 'Has every optional field, and unknown ones beside each',
      // A title is for users, like the tool's own.
      annotations: { readOnlyHint: true, vendorHint: 'kept' },
      _meta: { 'vendor.test/tool': { deep: [1, { deeper: null }] } },
    });
  });
});

test('notifies each open session once of a change to its list', async () => {
  await using core = await startCore({ servers: { echo }, mode: 'proxy' });
  const [proxy, search] = [await core.open(), await core.open({}, { mode: 'search' })];
  expect([await proxy.toolNames(), await search.toolNames()]).toEqual([tools, helpers]);
  await core.write({ servers: { echo }, mode: 'proxy', extraTools: ['search_tools'] });
  await proxy.notification('notifications/tools/list_changed');
  expect(await proxy.toolNames()).toEqual(['search_tools', ...tools]);
  await core.write({ servers: { echo }, mode: 'proxy', extraTools: ['search_tools'], raw: true });
  await until(() => proxy.notifications.length === 2);
  const [, count] = (await proxy.request('tools/list'))['tools'] as { description: string }[];
  expect(count?.description).toMatch(/^Use this tool/);
  await core.write({ servers: { echo }, mode: 'search', extraTools: ['search_tools', 'search_tools'], raw: true });
  await until(() => proxy.notifications.length === 3);
  expect([await proxy.toolNames(), search.notifications.length]).toEqual([helpers, 0]);
});

test('an unknown mode in the config leaves open sessions in theirs', async () => {
  await using core = await startCore({ servers: { echo }, mode: 'search' });
  const session = await core.open();
  await core.write({ servers: { echo }, mode: 'serch' });
  await until(() => core.host.core.context.config.problems.length === 1);
  expect(core.host.core.context.config.current.mode).toBe('search');
  expect(await session.toolNames()).toEqual(helpers);
});
