/** Malformed HTTP requests with the right token: each is rejected with the HTTP status, and leaves nothing behind. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

let core: TestCore;
const sockets: Socket[] = [];
beforeAll(async () => {
  core = await startCore(
    { servers: { echo: fixture('echo') }, http: { maxBodyMB: 1, maxRequests: 3 } },
    { askToken: true },
  );
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await core[Symbol.asyncDispose]();
});

/** A connection that keeps what it receives. */
class Wire {
  readonly socket: Socket;
  text = '';
  isClosed = false;

  constructor() {
    this.socket = connect(Number(new URL(core.url).port), '127.0.0.1');
    sockets.push(this.socket);
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.socket.on('close', () => (this.isClosed = true));
  }

  /** Status of each response with complete headers so far. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n/g)].map(([, status]) => Number(status));
  }

  write(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Resolves once that many responses have arrived. */
  async answers(count = 1): Promise<number[]> {
    await until(() => this.statuses.length >= count || this.isClosed);
    return this.statuses;
  }

  async closed(): Promise<number[]> {
    await until(() => this.isClosed);
    return this.statuses;
  }
}

const usual = (): Record<string, string> => ({
  Host: '127.0.0.1',
  Authorization: `Bearer ${core.host.core.clients.token}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
});
const lines = (headers: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(headers)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
    .join('');
const hello = (id: number): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });

/** A POST to /mcp; undefined headers are omitted. */
function post(body: string, more: Readonly<Record<string, string | undefined>> = {}, extra = ''): string {
  const length = String(Buffer.byteLength(body));
  return `POST /mcp HTTP/1.1\r\n${lines({ ...usual(), 'Content-Length': length, ...more })}${extra}\r\n${body}`;
}

/** The session of a handshake. */
async function session(): Promise<string> {
  const wire = new Wire().write(post(hello(1)));
  await wire.answers();
  return /mcp-session-id: (\S+)/.exec(wire.text)?.[1] ?? '';
}

const modern = (method: string, params: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
const modernHeaders = (method: string): Record<string, string> => ({
  'Mcp-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
});

test.each([
  ['a length and chunks', { 'Transfer-Encoding': 'chunked' }, ''],
  ['two lengths', {}, 'Content-Length: 0\r\n'],
  ['a length that is none', { 'Content-Length': '+5' }, ''],
  ['chunks under two names', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked, identity' }, ''],
  ['a header with a space before its colon', {}, 'X-Odd : 1\r\n'],
  ['a header that goes on in the next line', {}, 'X-Odd: 1\r\n 2\r\n'],
  ['a header without a name', {}, ': 1\r\n'],
])('rejects a request with %s, and runs no request that it hides', async (_what, more, extra) => {
  const hidden = post(hello(2));
  const before = core.host.core.clients.sessions.all.length;
  const wire = new Wire().write(post(`0\r\n\r\n${hidden}`, more, extra));
  expect(await wire.closed()).toEqual([400]);
  expect(core.host.core.clients.sessions.all.length).toBe(before);
});

test('reads a body up to its Content-Length, and the rest as the next request', async () => {
  const wire = new Wire().write(post(hello(1)) + post(hello(2)));
  expect(await wire.answers(2)).toEqual([200, 200]);
  await expect.poll(() => [...wire.text.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2']);
});

test.each([
  ['host', 'Host: 127.0.0.1\r\n', 403],
  ['token', 'Authorization: Bearer x\r\n', 401],
  ['type', 'Content-Type: text/plain\r\n', 415],
  ['origin', 'Origin: http://localhost\r\nOrigin: http://evil.example\r\n', 403],
])('treats a second %s as a different one', async (_what, extra, status) => {
  expect(await new Wire().write(post(hello(1), {}, extra)).answers()).toEqual([status]);
});

test('rejects a second session header', async () => {
  const id = await session();
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const twice = post(list, { 'Mcp-Session-Id': id }, `Mcp-Session-Id: ${id}\r\n`);
  expect(await new Wire().write(twice).answers()).toEqual([404]);
});

test('rejects a second method header that differs from the body', async () => {
  const asked = post(modern('tools/list'), modernHeaders('tools/list'), 'Mcp-Method: tools/call\r\n');
  const wire = new Wire().write(asked);
  expect(await wire.answers()).toEqual([400]);
  await until(() => wire.text.includes('-32020'));
});

test.each([
  ['text/plain', 415],
  [undefined, 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/json; charset=utf-8', 200],
])('answers a body of type %j with %i', async (type, status) => {
  expect(await new Wire().write(post(hello(1), { 'Content-Type': type })).answers()).toEqual([status]);
});

test.each([
  ['not JSON', '{"jsonrpc":', 400],
  ['nothing', '', 400],
  ['nested without end', '['.repeat(100_000), 400],
  ['no message', '"hello"', 400],
  ['bytes that are no text', '\u0000\u0001', 400],
])('rejects a body that is %s, and keeps the connection open', async (_what, body, status) => {
  const wire = new Wire().write(post(body));
  expect(await wire.answers()).toEqual([status]);
  expect(await wire.write(post(hello(1))).answers(2)).toEqual([status, 200]);
});

test.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'])(
  'rejects %s with 405 and the allowed methods',
  async (method) => {
    const wire = new Wire().write(`${method} /mcp HTTP/1.1\r\n${lines(usual())}\r\n`);
    expect(await wire.answers()).toEqual([405]);
    expect(wire.text).toMatch(/allow: GET, POST, DELETE/i);
  },
);

test('sends 100 Continue to a client that expects it, and then a response', async () => {
  const body = hello(1);
  const [head = ''] = post(body, { Expect: '100-continue' }).split(body);
  const wire = new Wire().write(head);
  expect(await wire.answers()).toEqual([100]);
  expect(await wire.write(body).answers(2)).toEqual([100, 200]);
});

test.each([
  ['has no token', { Authorization: undefined }, 401],
  ['has another host', { Host: 'evil.example' }, 403],
  ['has a body of another type', { 'Content-Type': 'text/plain' }, 415],
  ['has a body that is too long', { 'Content-Length': '2000000' }, 413],
  ['expects something else', { Expect: 'a-miracle' }, 417],
])('sends no 100 Continue to a client that %s', async (_what, more, status) => {
  const wire = new Wire().write(post('', { 'Content-Length': '10', Expect: '100-continue', ...more }));
  expect(await wire.answers()).toEqual([status]);
});

test('rejects a body over the limit by its Content-Length, and by its chunks', async () => {
  const said = new Wire().write(post('', { 'Content-Length': String(2 ** 30) }));
  expect(await said.answers()).toEqual([413]);
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const sent = new Wire().write(post('', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }));
  for (let at = 0; at < 20; at++) sent.write(chunk);
  expect(await sent.closed()).toEqual([413]);
});

test('frees the place of a client that disconnects in the middle of a body', async () => {
  const wires = Array.from({ length: 20 }, () => new Wire().write(post('{', { 'Content-Length': '1000' })));
  await Promise.all(wires.map(({ socket }) => once(socket, 'ready')));
  for (const { socket } of wires) socket.resetAndDestroy();
  await Promise.all(wires.map((wire) => wire.closed()));
  // The limit is three at once: aborted requests must not keep their slots.
  const asked = Array.from({ length: 3 }, () =>
    new Wire().write(post(modern('tools/list'), modernHeaders('tools/list'))),
  );
  expect(await Promise.all(asked.map((wire) => wire.answers()))).toEqual([[200], [200], [200]]);
});

test('answers a batch with a batch in any order, and notifications with 202', async () => {
  const id = await session();
  const list = (one: number): object => ({ jsonrpc: '2.0', id: one, method: 'tools/list' });
  const told = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const wire = new Wire().write(post(JSON.stringify([list(5), told, list(6)]), { 'Mcp-Session-Id': id }));
  expect(await wire.answers()).toEqual([200]);
  await until(() => wire.text.endsWith(']'));
  const answers = JSON.parse(wire.text.split('\r\n\r\n')[1] ?? '') as { id: number }[];
  expect(answers.map((one) => one.id).sort()).toEqual([5, 6]);
  const silent = new Wire().write(post(JSON.stringify([told]), { 'Mcp-Session-Id': id }));
  expect(await silent.answers()).toEqual([202]);
});

test.each([
  ['', 'GET /mcp HTTP/1.0\r\n\r\n', 403],
  ['a host that only begins as ours', 'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n', 403],
  ['a host with a name in front', 'GET /mcp HTTP/1.1\r\nHost: x@127.0.0.1\r\n\r\n', 403],
  ['a host that is empty', 'GET /mcp HTTP/1.1\r\nHost:\r\n\r\n', 403],
])('rejects a request without our host: %j', async (_what, text, status) => {
  const wire = new Wire().write(text);
  await wire.answers();
  expect(wire.text).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
});

test('a path with an escape leads nowhere', async () => {
  for (const path of ['/mcp/server/..%2f..%2fetc', '/mcp/../mcp/server/nope', '/mcp//', '/mcp/server/a/b']) {
    const wire = new Wire().write(`GET ${path} HTTP/1.1\r\n${lines(usual())}\r\n`);
    expect([path, (await wire.answers())[0]]).toEqual([path, expect.toBeOneOf([400, 404, 406])]);
  }
});

test('ignores a request to upgrade the protocol', async () => {
  const wire = new Wire().write(post(hello(1), { Connection: 'Upgrade', Upgrade: 'websocket' }));
  expect(await wire.answers()).toEqual([200]);
});

test.each(['"__proto__"', '0', '-1', '""', '1.5', '"é\\u0000"'])('returns the ID %s unchanged', async (id) => {
  const body = modern('tools/list').replace('"id":1', `"id":${id}`);
  const wire = new Wire().write(post(body, modernHeaders('tools/list')));
  await until(() => wire.text.endsWith('}'));
  const answer = JSON.parse(wire.text.split('\r\n\r\n')[1] ?? '') as { id: unknown };
  expect([wire.statuses, answer.id]).toEqual([[200], JSON.parse(id)]);
});

test.each(['1.0', '12345678901234567890', 'null', 'true', '{}'])('rejects %s as an ID', async (id) => {
  const body = modern('tools/list').replace('"id":1', `"id":${id}`);
  expect(await new Wire().write(post(body, modernHeaders('tools/list'))).answers()).toEqual([400]);
});
