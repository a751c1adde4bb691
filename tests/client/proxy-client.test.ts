/** Tests the client library over a real core, through the SDK's client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProxyClient, type ToolLister } from '../../src-main/client/proxy-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';

let core: TestCore;
let sdk: Client;
let proxy: ProxyClient;
beforeAll(async () => {
  core = await startCore({ servers: { m: fixture('capabilities'), e: fixture('compat', 'E') }, raw: true });
  sdk = new Client({ name: 'proxy-client-test', version: '1.0.0' });
  await sdk.connect(new StreamableHTTPClientTransport(new URL(`${core.url}/mode/universal`)));
  proxy = new ProxyClient(sdk);
});
afterAll(async () => {
  await sdk.close();
  await core[Symbol.asyncDispose]();
});

const names = (entries: readonly Record<string, unknown>[]): unknown[] => entries.map(({ name }) => name);

test('lists are the same as in mode proxy', async () => {
  const direct = await core.open({}, { mode: 'proxy' });
  // The helper tool of mode proxy that reads resources is omitted, because the client reads them itself.
  const { tools } = (await direct.request('tools/list')) as { tools: Record<string, unknown>[] };
  expect((await proxy.listTools()).tools).toEqual(tools.filter(({ name }) => name !== 'read_resource'));
  for (const [method, list] of [
    ['prompts/list', await proxy.listPrompts()],
    ['resources/list', await proxy.listResources()],
    ['resources/templates/list', await proxy.listResourceTemplates()],
  ] as const) {
    expect(list).toEqual(await direct.request(method));
  }
  expect(names((await proxy.listTools()).tools)).toContain('e_echo_tool');
});

test("a tool's result is the same as of a direct call", async () => {
  expect(await proxy.callTool({ name: 'm_add', arguments: { a: 5, b: 3 } })).toMatchObject({
    content: [{ type: 'text', text: '8' }],
    structuredContent: { result: 8 },
  });
  expect((await proxy.callTool({ name: 'm_add', arguments: { a: 1, b: 1 } }))['content']).toEqual([
    { type: 'text', text: '2' },
  ]);
  expect(await proxy.callTool({ name: 'm_boom' })).toMatchObject({ isError: true, content: [{ text: 'kaboom' }] });
});

test('resources keep their MIME types, also those returned as JSON', async () => {
  expect(await proxy.readResource({ uri: 'data://cfg' })).toEqual({
    contents: [{ uri: 'data://cfg', mimeType: 'text/plain', text: '{"k":"v"}' }],
  });
  expect(await proxy.readResource({ uri: 'data://bin' })).toEqual({
    contents: [{ uri: 'data://bin', mimeType: 'application/octet-stream', blob: 'AAEC' }],
  });
});

test('returns the whole prompt', async () => {
  expect(await proxy.getPrompt({ name: 'm_greet', arguments: { name: 'Bo' } })).toMatchObject({
    description: 'A greeting',
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello Bo' } }],
  });
});

test('rejects unknown resources and prompts', async () => {
  await expect(proxy.readResource({ uri: 'data://nope' })).rejects.toThrow(`Resource 'data://nope' not found`);
  await expect(proxy.getPrompt({ name: 'nope' })).rejects.toThrow(`Prompt 'nope' not found`);
});

test('reads all pages, also of a proxy without _meta', async () => {
  const offsets: unknown[] = [];
  const magg = new ProxyClient({
    callTool: async ({ arguments: input = {} }) => {
      const offset = Number(input['offset']);
      offsets.push(offset);
      const text = JSON.stringify([{ name: `tool ${offset}` }]);
      return { content: [{ type: 'resource', resource: { text }, annotations: { totalCount: 3 } }] };
    },
  });
  expect(names((await magg.listTools()).tools)).toEqual(['tool 0', 'tool 1', 'tool 2']);
  expect(offsets).toEqual([0, 1, 2]);
  const empty = new ProxyClient({ callTool: async () => ({ content: [] }) });
  expect(await empty.listTools()).toEqual({ tools: [] });
});

test('accepts a name alone, and rejects a call without a name locally', async () => {
  expect(await proxy.callTool('m_add', { a: 2, b: 2 })).toMatchObject({ content: [{ text: '4' }] });
  expect(await proxy.getPrompt('m_greet', { name: 'Bo' })).toMatchObject({ description: 'A greeting' });
  expect(await proxy.readResource('data://plain')).toMatchObject({ contents: [{ text: 'just words' }] });
  await expect(proxy.callTool({ tool: 'm_add' } as never)).rejects.toThrow('The name is missing');
});

test("reads a resource by its name; a template's error names its parameters", async () => {
  expect(await proxy.readResource('plain')).toMatchObject({ contents: [{ uri: 'data://plain', text: 'just words' }] });
  await expect(proxy.readResource('item')).rejects.toThrow('data://item/{id}');
  await expect(proxy.readResource('plian')).rejects.toThrow(/\bplain\b/);
});

test('info returns the whole definition', async () => {
  expect(await proxy.info('tool', 'm_add')).toMatchObject({ name: 'm_add', inputSchema: { required: ['a', 'b'] } });
  expect(await proxy.info('resource', 'data://cfg')).toMatchObject({ uri: 'data://cfg' });
  await expect(proxy.info('tool', 'nope')).rejects.toThrow(`Tool 'nope' not found`);
});

test("proxy returns Magg's own items with their facts", async () => {
  expect(await proxy.proxy('tool', 'call', 'm_add', { a: 1, b: 2 })).toMatchObject([
    { type: 'text', text: '3', _meta: { 'app.tooltray/proxy': { proxyAction: 'call', proxyPath: 'm_add' } } },
  ]);
});

test('a batch returns a result per operation', async () => {
  const operations = [
    { action: 'call', type: 'tool', path: 'm_add', args: { a: 1, b: 2 } },
    { action: 'call', type: 'tool', path: 'nope' },
    { action: 'info', type: 'prompt', path: 'm_greet' },
  ] as const;
  expect(await proxy.batch(operations)).toMatchObject([
    { isError: false, content: [{ text: '3' }] },
    { isError: true, content: [{ text: expect.stringContaining('nope') as string }] },
    { isError: false, content: [{ type: 'resource' }] },
  ]);
  expect(await proxy.batch([])).toEqual([]);
  const magg = new ProxyClient({ callTool: async () => ({ content: [{ type: 'text', text: 'no such action' }] }) });
  await expect(magg.batch(operations)).rejects.toThrow('no such action');
});

test('detect finds the proxy tool by its name and parameters', async () => {
  const found = await ProxyClient.detect(sdk);
  expect(await found?.callTool('m_add', { a: 1, b: 1 })).toMatchObject({ content: [{ text: '2' }] });
  const inputSchema = { properties: { action: {}, type: {}, path: {} } };
  const asked: string[] = [];
  const lister = (tools: { name: string }[]): ToolLister => ({
    listTools: async ({ cursor } = {}) => (cursor === undefined ? { tools: [], nextCursor: 'a' } : { tools }),
    callTool: async ({ name }) => ({ content: [], asked: asked.push(name) }),
  });
  const other = await ProxyClient.detect(
    lister([{ name: 'http-proxy' }, { name: 'magg_proxy', inputSchema } as never]),
  );
  await other?.callTool('x');
  expect(asked).toEqual(['magg_proxy']);
  expect(await ProxyClient.detect(lister([{ name: 'proxy' }]))).toBeUndefined();
});

test('passes timeouts and progress to the client of either SDK version', async () => {
  const { signal } = new AbortController();
  const seen: unknown[] = [];
  const version1 = { callTool: async (_: object, ...rest: unknown[]) => ({ content: seen.push(rest) > 0 ? [] : [] }) };
  await new ProxyClient(version1, { timeout: 5 }).callTool('x', {}, { signal });
  const version2 = {
    callTool: async (_: object, options?: object) => ({ content: seen.push([options]) > 0 ? [] : [] }),
  };
  await new ProxyClient(version2, { timeout: 5 }).callTool('x', {}, { timeout: 7 });
  await new ProxyClient(version2).callTool('x');
  expect(seen).toEqual([[undefined, { timeout: 5, signal }], [{ timeout: 7 }], [undefined]]);
});

test('a call over HTTP times out', async () => {
  await using slow = await startCore({ servers: { s: fixture('misbehaving', 'never') } });
  const client = new Client({ name: 'slow', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${slow.url}/mode/universal`)));
  await expect(new ProxyClient(client, { timeout: 300 }).callTool('hang')).rejects.toThrow(/timed out/i);
  await client.close();
});
