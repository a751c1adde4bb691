/** Compatibility cases 36 to 38 and 40 to 43: mini-a's `proxy-dispatch`, over a real socket and real servers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromToon } from '../../../src-main/core/spills/toon.ts';
import type { Params } from '../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../support/socket-client.ts';
import { fixture, ready, startCore, type TestCore } from '../../support/start-core.ts';
import { until } from '../../support/until.ts';

const secret = 'sk-live-abcdef0123456789abcdef';
const servers = {
  a: { ...fixture('compat', 'A'), env: { API_TOKEN: secret } },
  b: fixture('compat', 'B'),
  x: fixture('compat-results'),
};

const parsed = (result: Params): Params => JSON.parse(textOf(result)) as Params;
const toonOf = (result: Params): Params => fromToon(textOf(result)) as Params;
const objectOf = (result: Params): Params => (result['_meta'] as Params)['tooltray/dispatch'] as Params;

let core: TestCore;
let client: SocketClient;
const dispatch = (input: Params): Promise<Params> => client.callTool('proxy-dispatch', input);
const failureOf = async (input: Params): Promise<unknown[]> => {
  const result = await dispatch(input);
  return [result['isError'], textOf(result)];
};

beforeAll(async () => {
  core = await startCore({ servers });
  client = await core.open({}, { mode: 'dispatch' });
});
afterAll(() => core[Symbol.asyncDispose]());

test('lists one tool, and the others can be called', async () => {
  expect(await client.toolNames()).toEqual(['proxy-dispatch']);
  expect(parsed(await client.callTool('b_echo_tool', { message: 'hi' }))).toEqual({ message: 'hi', who: 'B' });
});

test('36: list returns connections and their tools without schemas; in detail with them', async () => {
  const list = await dispatch({ action: 'list' });
  const { connections } = parsed(list) as { [key: string]: Params[] };
  expect([objectOf(list)['totalConnections'], connections?.map(({ alias }) => alias)]).toEqual([3, ['c1', 'c2', 'c3']]);
  expect(connections?.[0]?.['tools']).toEqual([
    { name: 'count_tool', description: 'Count the items of a list' },
    { name: 'echo_tool', description: 'Echo back the input arguments' },
    { name: 'reverse_tool', description: 'Reverse a string' },
  ]);
  const detail = { action: 'list', format: 'detail', connection: 'a' };
  expect(toonOf(await dispatch({ ...detail, includeInputSchema: true }))['connections']).toMatchObject([
    { alias: 'c1', serverInfo: { name: 'compat-A' }, tools: [{ inputSchema: { required: ['items'] } }, {}, {}] },
  ]);
  expect(toonOf(await dispatch({ ...detail, includeTools: false }))['connections']).toEqual([
    {
      id: 'a',
      alias: 'c1',
      serverInfo: { name: 'compat-A', version: '1.0.0' },
      lastError: null,
      toolCount: 3,
      lastRefreshed: expect.any(Number) as number,
    },
  ]);
  expect(await failureOf({ action: 'list', connection: 'zz' })).toEqual([
    true,
    expect.stringContaining('Unknown connection identifier'),
  ]);
});

test('37: search finds by letters and by words, and returns the full count', async () => {
  const found = parsed(await dispatch({ action: 'search', query: 'ECHO', limit: 1 }));
  expect(found).toMatchObject({ totalMatches: 2, results: [{ alias: 'c1', name: 'echo_tool' }] });
  const detail = textOf(await dispatch({ action: 'search', query: 'ECHO', limit: 1, format: 'detail' }));
  expect(detail).toMatch(/matchedFields.*name/s);
  const worded = parsed(await dispatch({ action: 'search', query: 'count some items' }));
  expect(worded['results']).toMatchObject([{ name: 'count_tool' }, { name: 'count_tool' }]);
  expect(await failureOf({ action: 'search' })).toEqual([true, expect.stringContaining("non-empty 'query'")]);
});

describe('38: call', () => {
  test('finds the connection if only one has the tool; estimates a token per four characters', async () => {
    const result = await dispatch({ action: 'call', tool: 'structured' });
    expect(textOf(result)).toBe('{"answer":42}');
    expect(objectOf(result)).toMatchObject({
      action: 'call',
      tool: 'structured',
      arguments: {},
      resultFormat: 'json',
      estimatedTokens: 4,
      connection: { id: 'x', alias: 'c3', serverInfo: { name: 'compat-X' } },
    });
  });

  test.each([
    [{ connection: 'c2' }, 'B'],
    [{ connection: 'default', refresh: true }, 'A'],
    [{ tool: 'b:echo_tool' }, 'B'],
  ])('goes to the named connection: %j', async (input, who) => {
    const result = await dispatch({ action: 'call', tool: 'echo_tool', arguments: { message: 'hi' }, ...input });
    expect([parsed(result), objectOf(result)['arguments']]).toEqual([{ message: 'hi', who }, { message: 'hi' }]);
  });

  test.each([
    [{ tool: 'echo_tool' }, 'is available on multiple connections'],
    [{ tool: 'nope' }, 'is not available on any registered connection'],
    [{ tool: 'a:ecko_tool' }, 'Did you mean a:echo_tool'],
    [{}, "requires a 'tool' name"],
    [{ tool: 'a:echo_tool', arguments: 'x' }, "requires 'arguments' to be an object"],
    [{ tool: 'a:echo_tool', message: 'x' }, 'received downstream input(s) at the proxy level: message'],
    [
      { tool: 'a:echo_tool', arguments: { mesage: 'x' } },
      "'mesage' (did you mean 'message'?). Still missing: message.",
    ],
    [{ tool: 'rpcerr' }, 'bad params'],
    [{ tool: 'iserr' }, 'it failed'],
  ])('%j is an error: %s', async (input, fragment) => {
    expect(await failureOf({ action: 'call', ...input })).toEqual([true, expect.stringContaining(fragment)]);
  });

  test('keeps an image', async () => {
    const { content } = await dispatch({ action: 'call', tool: 'picture' });
    expect(content).toMatchObject([{ type: 'text' }, { type: 'image', data: 'AA==' }]);
  });
});

test('40: no listing shows a secret', async () => {
  const looks = [
    { action: 'status' },
    { action: 'list', format: 'detail' },
    { action: 'search', query: 'token', format: 'detail' },
  ];
  const answers = await Promise.all(looks.map(dispatch));
  expect(JSON.stringify(answers)).not.toContain(secret);
});

test.each([
  ['shell', "does not support action='shell'"],
  ['zap', "Unsupported proxy-dispatch action 'zap'"],
  ['', 'Valid actions are: status, list, search, call, readresult'],
])('41: rejects action %j', async (action, fragment) => {
  expect(await failureOf({ action })).toEqual([true, expect.stringContaining(fragment)]);
});

test('37, 43: a server that never responds delays no other, and its call ends; the hash changes with the tools', async () => {
  const hash = async (): Promise<unknown> => parsed(await dispatch({ action: 'status' }))['catalogHash'];
  const before = await hash();
  expect(await hash()).toBe(before);
  const stuck = { ...fixture('misbehaving', 'never'), callTimeoutSeconds: 0.3 };
  await core.write({ servers: { ...servers, stuck }, dispatch: { deny: ['count_tool'] } });
  await until(() => core.host.core.servers.manager.find('stuck') !== undefined);
  await ready(core.server('stuck'));
  const status = parsed(await dispatch({ action: 'status' }));
  expect(status).toMatchObject({ totalConnections: 4, toolFilter: { allow: [], deny: ['count_tool'] } });
  expect(status['catalogHash']).not.toBe(before);

  const hanging = dispatch({ action: 'call', tool: 'hang', arguments: {} });
  expect(parsed(await dispatch({ action: 'call', tool: 'structured' }))).toEqual({ answer: 42 });
  expect((await hanging)['isError']).toBe(true);
  expect(await failureOf({ action: 'call', tool: 'c1:count_tool', arguments: { items: [] } })).toEqual([
    true,
    expect.stringContaining('not allowed by the MCP proxy tool filter'),
  ]);
});

test('a refresh reads the tools again, filtered; an alias stays with its server if an earlier one is disabled', async () => {
  const quiet = {
    command: process.execPath,
    args: [`${import.meta.dirname}/../../integration/servers/quiet-toggle.ts`],
  };
  const config = { servers: { first: servers.a, quiet }, dispatch: { deny: ['ECHO_TOOL'] } };
  await using own = await startCore(config);
  const session = await own.open({}, { mode: 'dispatch' });
  const listed = async (input: Params): Promise<unknown> => {
    const { connections } = parsed(await session.callTool('proxy-dispatch', { action: 'list', ...input }));
    return (connections as { alias: string; tools: Params[] }[]).map(({ alias, tools }) => [
      alias,
      ...tools.map(({ name }) => name),
    ]);
  };
  await session.callTool('quiet_toggle');
  expect(await listed({ connection: 'quiet' })).toEqual([['c2', 'toggle']]);
  expect(await listed({ refresh: true })).toEqual([
    ['c1', 'count_tool', 'reverse_tool'],
    ['c2', 'extra', 'toggle'],
  ]);
  await own.write({ ...config, servers: { first: { ...servers.a, enabled: false }, quiet } });
  // The servers change first, and the catalog a moment later.
  await expect.poll(() => listed({})).toEqual([['c2', 'extra', 'toggle']]);
});
