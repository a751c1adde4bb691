/** Tests a core with its socket and HTTP server: opening, authorization, and stopping. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { quitFile } from '../../src-main/core/base/app-paths.ts';
import { ChildProcessList } from '../../src-main/core/servers/launch/child-process-list.ts';
import { CoreHost, type CoreHostOptions } from '../../src-main/host/core-host.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { isAlive } from '../support/processes.ts';
import { openSocket, type SocketClient, textOf } from '../support/socket-client.ts';

let home: string;
let hosts: CoreHost[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tooltray-host-'));
  hosts = [];
});

afterEach(async () => {
  for (const host of hosts) await host.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

async function open(options: Partial<CoreHostOptions> = {}): Promise<CoreHost> {
  const host = await CoreHost.open({
    env: { ...process.env, TOOLTRAY_HOME: home },
    version: '1.2.3',
    port: 0,
    askToken: true,
    pageRoot: home,
    onStop: () => undefined,
    ...options,
  });
  hosts.push(host);
  return host;
}

async function run(options: Partial<CoreHostOptions> = {}): Promise<CoreHost> {
  const host = await open(options);
  await host.listen();
  await host.core.start();
  return host;
}

/** Sends the hello and resolves with the core's one-line response. */
async function knock(host: CoreHost, wishes: object, token = host.core.clients.token): Promise<unknown> {
  const client = await openSocket(host.paths.socketPath, token, wishes);
  await Promise.race([once(client.socket, 'data'), client.closed]);
  client.socket.destroy();
  return JSON.parse(client.lines[0] ?? 'null');
}

const connect = (host: CoreHost, wishes: object = {}): Promise<SocketClient> =>
  openSocket(host.paths.socketPath, host.core.clients.token, wishes);

describe('opening', () => {
  test('writes a working config on the first start, readable only by its owner', async () => {
    const host = await run();
    expect(statSync(host.paths.configFile).mode & 0o777).toBe(0o600);
    const client = await connect(host);
    await client.initialize();
    const result = await client.callTool('utils:current_time', { timezone: 'UTC' });
    expect([result['isError'] ?? false, textOf(result)]).toEqual([false, expect.stringMatching(/\d\d:\d\d/)]);
  });

  test('keeps an existing config unchanged', async () => {
    const text = '{ "servers": {} } // mine';
    writeFileSync(join(home, 'config.json'), text);
    await run();
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(text);
  });

  test('rejects a named config that does not exist', async () => {
    await expect(open({ configFile: join(home, 'other.json') })).rejects.toMatchObject({ code: 'config_not_found' });
    expect(existsSync(join(home, 'other.json'))).toBe(false);
  });
});

/** The process list of a killed core, with a harmless process; resolves to its PID. */
async function leaveRunning(runDir: string): Promise<number> {
  const child = spawn('/bin/sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const list = new ChildProcessList(runDir);
  list.add(child.pid ?? 0);
  const file = join(runDir, `children-${process.pid}.list`);
  // As if written by another core that no longer exists.
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^core .*$/m, 'core 999999999 gone'));
  return child.pid ?? 0;
}

test.runIf(process.platform !== 'win32')(
  'delays clients until the servers of a killed core have ended and its own are known',
  async () => {
    const host = await open({ askToken: false });
    const left = await leaveRunning(host.paths.runDir);
    await host.listen();
    const started = host.core.start();
    expect(isAlive(left)).toBe(true);
    const url = `${host.addresses.http}/server/utils`;
    const [client, person] = [await connect(host), await connect(host, { purpose: 'control' })];
    const [modern, legacy] = [new ModernClient(new HttpClient(url, true)), new HttpClient(url)];
    const [bySocket, byHttp, bySession, asked] = await Promise.all([
      client.initialize().then(() => client.toolNames()),
      modern.once('tools/list'),
      legacy.initialize().then(() => legacy.exchange('tools/list')),
      person.request('state'),
    ]);
    expect(bySocket).toContain('current_time');
    for (const { result } of [byHttp, bySession.message])
      expect(result?.['tools']).toContainEqual(expect.objectContaining({ name: 'current_time' }));
    expect(asked['servers']).toContainEqual(expect.objectContaining({ name: 'utils' }));
    await started;
  },
);

describe('a second core', () => {
  test('of the same home is rejected, and stopping it leaves the first one running', async () => {
    const first = await run();
    const second = await open();
    await expect(second.listen()).rejects.toMatchObject({ code: 'already_running' });
    await second.stop();
    expect(await knock(first, {})).toMatchObject({ ok: true, version: '1.2.3' });
  });

  test('can start after the first one has stopped', async () => {
    const first = await run();
    await first.stop();
    expect(existsSync(first.paths.socketPath)).toBe(false);
    expect(await knock(await run(), {})).toMatchObject({ ok: true });
  });

  test('rejects a port in use, and leaves no socket when stopped', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const host = await open({ port: (other.address() as AddressInfo).port });
    await expect(host.listen()).rejects.toMatchObject({
      code: 'port_in_use',
      fix: expect.stringContaining('--port') as string,
    });
    await host.stop();
    other.close();
    expect(existsSync(host.paths.socketPath)).toBe(false);
  });
});

describe('the socket', () => {
  test('rejects a wrong token, an unknown mode, and a different config', async () => {
    const host = await run();
    expect(await knock(host, {}, 'wrong')).toMatchObject({ code: 'unauthorized' });
    expect(await knock(host, { mode: 'nonsense' })).toMatchObject({ code: 'mode_unknown' });
    expect(await knock(host, { config: join(home, 'other.json') })).toMatchObject({ code: 'config_conflict' });
    expect(await knock(host, { mode: 'search', config: host.paths.configFile })).toMatchObject({ ok: true });
  });

  test('answers control requests on a control connection, and no MCP requests', async () => {
    const host = await run();
    const control = await connect(host, { purpose: 'control' });
    expect(await control.request('state')).toMatchObject({
      version: '1.2.3',
      socket: host.paths.socketPath,
      http: host.addresses.http,
    });
    for (const method of ['tools/list', 'constructor', '__proto__', '']) {
      await expect(control.request(method)).rejects.toMatchObject({ code: -32601 });
    }
    expect(host.core.clients.sessions.all).toEqual([]);
  });

  test("lists a session while it is connected, under its client's name", async () => {
    const host = await run();
    const client = await connect(host);
    await client.initialize();
    expect(host.core.clients.sessions.all.map(({ app, protocol }) => [app, protocol])).toEqual([
      ['raw-client', 'legacy'],
    ]);
    client.socket.destroy();
    while (host.core.clients.sessions.all.length > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('stops the core on a control request', async () => {
    const stopped = Promise.withResolvers<void>();
    const host = await run({ onStop: () => stopped.resolve() });
    const control = await connect(host, { purpose: 'control' });
    expect(await control.request('stop')).toEqual({});
    await stopped.promise;
  });
});

describe('HTTP', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };

  interface Answer {
    readonly status: number;
    readonly body: string;
  }

  /** fetch cannot send a custom Host. */
  function post(
    host: CoreHost,
    path: string,
    headers: Record<string, string>,
    body = JSON.stringify(initialize),
  ): Promise<Answer> {
    const all = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${host.core.clients.token}`,
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, host.addresses.http), { method: 'POST', headers: all }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  test('accepts the token from this machine', async () => {
    const host = await run();
    expect((await post(host, '/mcp', {})).status).toBe(200);
    expect((await post(host, '/mcp', { origin: 'http://localhost:3000' })).status).toBe(200);
  });

  test.each([
    ['no token', { authorization: '' }, 401],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401],
    ['the name of another host, as a rebound name would bring', { host: 'evil.example' }, 403],
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
  ])('rejects %s', async (_what, headers, status) => {
    const host = await run();
    const answer = await post(host, '/mcp', headers);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain(host.core.clients.token);
  });

  test.each([
    ['/nothing', 404, /\/nothing was not found/],
    ['/mcp/nothing', 404, /was not found/],
    ['/mcp/mode/nonsense', 404, /Unknown mode \\"nonsense\\"/],
    ['/mcp/server/nobody', 404, /no server named \\"nobody\\"/],
    ['/mcp/server/__proto__', 404, /no server named/],
  ])('returns what is wrong with %s', async (path, status, text) => {
    expect(await post(await run(), path, {})).toMatchObject({ status, body: expect.stringMatching(text) as string });
  });

  test.each(['', '{"jsonrpc":', 'nonsense'])('returns a parse error for a body that is not JSON (%j)', async (body) => {
    expect(await post(await run(), '/mcp', {}, body)).toMatchObject({
      status: 400,
      body: expect.stringContaining('-32700') as string,
    });
  });

  test('closes its streams when the core stops', async () => {
    const host = await run();
    const stream = await fetch(host.addresses.http, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${host.core.clients.token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(initialize),
    });
    const session = stream.headers.get('mcp-session-id') ?? '';
    await stream.text();
    const open = await fetch(host.addresses.http, {
      headers: {
        authorization: `Bearer ${host.core.clients.token}`,
        accept: 'text/event-stream',
        'mcp-session-id': session,
      },
    });
    expect(open.status).toBe(200);
    await host.stop();
    await open.text().catch(() => 'cut');
    await expect(fetch(host.addresses.http)).rejects.toThrow();
  });
});

test('delays clients of one server that come between listening and starting', async () => {
  const host = await open({ askToken: false });
  await host.listen();
  const url = `${host.addresses.http}/server/utils`;
  const [modern, legacy, socket] = [
    new ModernClient(new HttpClient(url, true)),
    new HttpClient(url),
    await connect(host, { server: 'utils' }),
  ];
  const asked = Promise.all([
    modern.once('tools/list').then(({ result }) => result),
    legacy
      .initialize()
      .then(() => legacy.exchange('tools/list'))
      .then(({ message }) => message.result),
    socket.initialize().then(() => socket.request('tools/list')),
  ]);
  // They wait for this, however early they arrive.
  expect(host.core.starting).toBeInstanceOf(Promise);
  await host.core.start();
  expect(host.core.starting).toBeUndefined();
  for (const result of await asked)
    expect(result?.['tools']).toContainEqual(expect.objectContaining({ name: 'current_time' }));
});

test('ends clients that wait for a start when the core stops before it', async () => {
  const host = await open({ askToken: false });
  await host.listen();
  const client = await connect(host);
  await host.stop();
  await client.closed;
});

test('a listening core lets client apps start Tooltray again', async () => {
  const host = await open();
  const file = quitFile(host.core.context.paths.runDir);
  writeFileSync(file, '');
  await host.listen();
  expect(existsSync(file)).toBe(false);
});
