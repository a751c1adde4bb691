/** Unauthorized and badly behaved clients of the socket and HTTP servers affect no other client. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

let core: TestCore;
const sockets: Socket[] = [];
beforeAll(async () => {
  core = await startCore(
    { servers: { other: fixture('echo'), hang: fixture('misbehaving', 'never') }, http: { maxSessions: 10 } },
    { askToken: true },
  );
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await core[Symbol.asyncDispose]();
});

const port = (): number => Number(new URL(core.url).port);

async function open(where: { port: number } | { path: string }): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', ...where } as never);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Returns the first line of the response to a raw request. */
async function statusOf(head: string): Promise<string> {
  const socket = await open({ port: port() });
  socket.write(head);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString().split('\r\n', 1)[0] as string;
}

test.each([
  ['an absolute address without a host', 'GET http:// HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['one without a host on a path of the dashboard', 'GET http:///rpc/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
])('%s is a client error', async (_what, head) => {
  expect(await statusOf(head)).toMatch(/^HTTP\/1\.1 4\d\d/);
});

test('rejects an invalid percent escape', async () => {
  const key = new URL(core.host.pageUrl).hash.slice('#key='.length);
  const head = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  for (const path of ['/%zz', '/rpc/spill/%zz', '/mcp/server/%zz', '/mcp/app/%'])
    expect(await statusOf(head(path))).toMatch(/^HTTP\/1\.1 4\d\d/);
});

test('answers a slow body without a token with 401, and closes the connection', async () => {
  const socket = await open({ port: port() });
  // A sender that keeps writing may get a broken pipe before it sees the end; the connection was closed all the same.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.write(
    'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
  );
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 401/);
  const trickle = setInterval(() => socket.write(' '), 50);
  await closed;
  clearInterval(trickle);
});

test('hundreds of silent connections do not keep a client out', async () => {
  const path = core.host.paths.socketPath;
  await Promise.all(Array.from({ length: 400 }, () => open({ path })));
  const client = await core.open();
  expect(await client.say('other_echo', { message: 'in' })).toBe('in');
});

interface Posted {
  readonly status: number;
  readonly session: string | undefined;
  readonly text: string;
}

function post(path: string, body: object, more: Record<string, string> = {}): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${core.host.core.clients.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    };
    const asked = request(
      { host: '127.0.0.1', port: port(), path, method: 'POST', headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const session = response.headers['mcp-session-id'];
          resolve({
            status: response.statusCode ?? 0,
            session: typeof session === 'string' ? session : undefined,
            text,
          });
        });
      },
    );
    asked.on('error', reject);
    asked.end(JSON.stringify({ jsonrpc: '2.0', ...body }));
  });
}

const hello = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};
const callOf = (name: string, args: object = {}) => ({
  id: 2,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('accepts a session ID only at the endpoint that opened it', async () => {
  const { session = '' } = await post('/mcp', hello);
  const list = { id: 3, method: 'tools/list' };
  expect((await post('/mcp', list, { 'mcp-session-id': session })).status).toBe(200);
  for (const path of ['/mcp/app/cursor', '/mcp/server/other', '/mcp/mode/search'])
    expect((await post(path, list, { 'mcp-session-id': session })).status).toBe(404);
});

test('evicts idle sessions over the limit, but none with a running call', async () => {
  const { session: busy = '' } = await post('/mcp', hello);
  const { session: idle = '' } = await post('/mcp', hello);
  const waiting = post('/mcp', callOf('hang_hang'), { 'mcp-session-id': busy });
  await until(() => core.host.core.clients.sessions.all.some(({ calls }) => calls === 1));
  for (let at = 0; at < 12; at++) expect((await post('/mcp', hello)).status).toBe(200);
  const list = { id: 3, method: 'tools/list' };
  expect((await post('/mcp', list, { 'mcp-session-id': idle })).status).toBe(404);
  expect((await post('/mcp', list, { 'mcp-session-id': busy })).status).toBe(200);
  await post('/mcp', { method: 'notifications/cancelled', params: { requestId: 2 } }, { 'mcp-session-id': busy });
  void waiting.catch(() => undefined);
});
