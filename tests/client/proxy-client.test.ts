/** The client library over a real core and, in between, the SDK's client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProxyClient } from '../../src-main/client/proxy-client.ts';
import { fixture, startCore, type TestCore } from '../integration/start-core.ts';

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

test('lists are what a client in mode proxy sees', async () => {
  const direct = await core.open({}, { mode: 'proxy' });
  for (const [method, list] of [
    ['tools/list', await proxy.listTools()],
    ['prompts/list', await proxy.listPrompts()],
    ['resources/list', await proxy.listResources()],
    ['resources/templates/list', await proxy.listResourceTemplates()],
  ] as const) {
    expect(list).toEqual(await direct.request(method));
  }
  expect(names((await proxy.listTools()).tools)).toContain('e_echo_tool');
});

test('a tool answers as if it were called directly', async () => {
  expect(await proxy.callTool({ name: 'm_add', arguments: { a: 5, b: 3 } })).toMatchObject({
    content: [{ type: 'text', text: '8' }],
    structuredContent: { result: 8 },
  });
  expect((await proxy.callTool({ name: 'm_add', arguments: { a: 1, b: 1 } }))['content']).toEqual([
    { type: 'text', text: '2' },
  ]);
  expect(await proxy.callTool({ name: 'm_boom' })).toMatchObject({ isError: true, content: [{ text: 'kaboom' }] });
});

test('resources have their own types, also those whose JSON was tidied up', async () => {
  expect(await proxy.readResource({ uri: 'data://cfg' })).toEqual({
    contents: [{ uri: 'data://cfg', mimeType: 'text/plain', text: '{"k":"v"}' }],
  });
  expect(await proxy.readResource({ uri: 'data://bin' })).toEqual({
    contents: [{ uri: 'data://bin', mimeType: 'application/octet-stream', blob: 'AAEC' }],
  });
});

test('a prompt is the whole prompt', async () => {
  expect(await proxy.getPrompt({ name: 'm_greet', arguments: { name: 'Bo' } })).toMatchObject({
    description: 'A greeting',
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello Bo' } }],
  });
});

test('what is not there is an error', async () => {
  await expect(proxy.readResource({ uri: 'data://nope' })).rejects.toThrow(`Resource 'data://nope' not found`);
  await expect(proxy.getPrompt({ name: 'nope' })).rejects.toThrow(`Prompt 'nope' not found`);
});

test('all pages are read, and a proxy that writes no _meta is understood', async () => {
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
