/** The transports against servers of the current and the legacy SDK. */
import { randomUUID } from 'node:crypto';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import type { ServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { ProcessRegistry } from '../../../../src-main/core/servers/launch/process-registry.ts';
import { EnvironmentResolver } from '../../../../src-main/core/servers/launch/resolve-environment.ts';
import { createTransport } from '../../../../src-main/core/servers/transports/create-transport.ts';
import { HttpTransport } from '../../../../src-main/core/servers/transports/http-transport.ts';
import { adaptSdkTransport } from '../../../../src-main/core/servers/transports/memory-transport.ts';
import { SseTransport } from '../../../../src-main/core/servers/transports/sse-transport.ts';
import { ServerLog } from '../../../../src-main/core/servers/transports/server-log.ts';
import { type HttpHarness, httpHarness, httpOptions, serve } from './http-harness.ts';

const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const odd = { big: JSON.rawJSON('12345678901234567890'), note: 'kept' };
const call = { name: 'odd', arguments: {} };

function newServer(): Server {
  const server = new Server({ name: 'new', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', (request) => ({
    content: [{ type: 'text', text: JSON.stringify(request.params.arguments) }],
    structuredContent: odd,
  }));
  return server;
}

async function shakeHands(client: HttpHarness): Promise<void> {
  await client.start();
  expect(await client.ask('initialize', initialize)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  await client.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

async function legacySse(): Promise<{ href: string; origin: string; stop: () => void }> {
  const sessions = new Map<string, SSEServerTransport>();
  return serve((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    if (request.method === 'GET') {
      const server = new LegacyServer({ name: 'old', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler(CallToolRequestSchema, () => ({ content: [], structuredContent: odd }));
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      void server.connect(transport);
    } else if (url.pathname === '/messages') {
      void sessions.get(url.searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
    } else response.writeHead(404).end();
  });
}

test.each([true, false])('connects to an SDK server with sessions, JSON responses: %s', async (enableJsonResponse) => {
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse });
  await newServer().connect(transport);
  const { href } = await serve((request, response) => void transport.handleRequest(request, response));
  const client = httpHarness(new HttpTransport(httpOptions(href)));
  await shakeHands(client);
  expect(JSON.stringify(await client.ask('tools/call', call))).toContain('"big":12345678901234567890');
});

test('connects to an SDK server of the stateless protocol', async () => {
  const handle = toNodeHandler(createMcpHandler(() => newServer()));
  const { href } = await serve((request, response) => void handle(request as never, response));
  const client = httpHarness(new HttpTransport(httpOptions(href)));
  await client.start();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const found = await client.ask('server/discover', { _meta });
  expect(found).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  expect(JSON.stringify(await client.ask('tools/call', { ...call, _meta }))).toContain('"big":12345678901234567890');
  expect(await client.ask('no/such/method', { _meta })).toMatchObject({ error: { code: -32601 } });
});

test('connects to a legacy SSE server', async () => {
  const { href } = await legacySse();
  const client = httpHarness(new SseTransport(httpOptions(href)));
  await shakeHands(client);
  expect(JSON.stringify(await client.ask('tools/call', call))).toContain('"big":12345678901234567890');
});

test('closes when a legacy SSE server goes away', async () => {
  const server = await legacySse();
  const client = httpHarness(new SseTransport(httpOptions(server.href)));
  await shakeHands(client);
  server.stop();
  expect(await client.closed).toMatchObject({ code: 'server_exited' });
});

test('rejects an SSE address that is unreachable or requires a sign-in at the start', async () => {
  const gone = await serve(() => undefined);
  gone.stop();
  await expect(httpHarness(new SseTransport(httpOptions(gone.href))).start()).rejects.toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining('connection refused') as string,
  });
  const locked = await serve((_request, response) => void response.writeHead(401).end());
  await expect(httpHarness(new SseTransport(httpOptions(locked.href))).start()).rejects.toMatchObject({
    code: 'server_unauthorized',
  });
});

const base = {
  name: 'far',
  enabled: true,
  lazy: false,
  idleTimeoutMs: undefined,
  initTimeoutMs: 30_000,
  callTimeoutMs: 60_000,
  maxMessageBytes: 64 * 1024 * 1024,
  description: undefined,
  hash: '',
};

function transportFor(config: ServerConfig) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const registry = new ProcessRegistry();
  registry.close();
  return createTransport(config, {
    environment: new EnvironmentResolver({ own: process.env }),
    registry,
    log: new ServerLog({ mask: (text) => text }),
    env: {},
    connectBuiltin: async () => {
      void newServer().connect(theirs);
      return ours;
    },
  });
}

test('detects a legacy SSE server at an address of kind http', async () => {
  const { href } = await legacySse();
  const client = httpHarness(transportFor({ ...base, kind: 'http', url: href, headers: {} }));
  await shakeHands(client);
  expect(await client.ask('tools/call', call)).toMatchObject({ result: { structuredContent: { note: 'kept' } } });
  await client.transport.close();
  expect(await client.closed).toBeUndefined();
});

test('reports the response to the POST if the address is neither http nor SSE', async () => {
  const { href } = await serve((_request, response) => void response.writeHead(404).end('nothing here'));
  const client = httpHarness(transportFor({ ...base, kind: 'http', url: href, headers: {} }));
  await client.start();
  await expect(client.ask('initialize', initialize)).rejects.toMatchObject({
    message: expect.stringContaining('HTTP 404: nothing here') as string,
  });
});

test('calls a built-in server in memory, with plain numbers', async () => {
  const client = httpHarness(transportFor({ ...base, kind: 'builtin', builtin: 'utils', folders: [] }));
  await shakeHands(client);
  const answer = await client.ask('tools/call', { name: 'odd', arguments: { one: JSON.rawJSON('1.0') } });
  expect(answer).toMatchObject({ result: { content: [{ text: '{"one":1}' }] } });
  await client.transport.close();
  expect(await client.closed).toBeUndefined();
});

test('reports that a built-in server closed its transport', async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = httpHarness(adaptSdkTransport(ours));
  await client.start();
  await theirs.close();
  expect(await client.closed).toMatchObject({ code: 'server_exited' });
});
