/** The HTTP port is in use: the core runs without it, reports the process that uses it, and opens it once it is free. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/team/engines/free-port.ts';
import { CoreHost, type CoreHostOptions } from '../../src-main/host/core-host.ts';
import { PortBinder, type PortBinderOptions, portHolder } from '../../src-main/host/port-binder.ts';
import { stateBuilders, stateSource } from '../../src-main/rpc/build-state.ts';
import type { AppState } from '../../src-main/rpc/contract.ts';
import type { DesktopService } from '../../src-main/rpc/deps.ts';
import { openSocket } from '../support/socket-client.ts';
import { until } from '../support/until.ts';

let other: Server;

beforeEach(async () => void (other = await listening(await freePort())));
afterEach(() => void other.close());

async function listening(port: number): Promise<Server> {
  const server = createServer((_request, response) => response.end('somebody else')).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('a core whose port is in use', () => {
  let home: string;
  let hosts: CoreHost[];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'tooltray-port-'));
    hosts = [];
  });
  afterEach(async () => {
    for (const host of hosts) await host.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const wish = (port: number): void =>
    writeFileSync(
      join(home, 'config.json'),
      JSON.stringify({ port, servers: { utils: { type: 'builtin', builtin: 'utils' } } }),
    );

  async function run(options: Partial<CoreHostOptions> = {}): Promise<CoreHost> {
    const host = await CoreHost.open({
      env: { ...process.env, TOOLTRAY_HOME: home },
      version: '1.2.3',
      askToken: true,
      pageRoot: home,
      onStop: () => undefined,
      ...options,
    });
    hosts.push(host);
    await host.listen();
    await host.core.start();
    return host;
  }

  const desktop = { settings: () => ({}), onChange: () => () => undefined } as unknown as DesktopService;
  const attention = async ({ rpcDeps }: CoreHost): Promise<AppState['attention']> => stateBuilders(rpcDeps).attention();

  test('in the desktop app runs without HTTP, and reports it to the user', async () => {
    wish(portOf(other));
    const host = await run({ desktop });
    const client = await openSocket(host.paths.socketPath, host.core.clients.token);
    await client.initialize();
    expect((await client.callTool('utils:current_time', { timezone: 'UTC' }))['isError'] ?? false).toBe(false);
    client.socket.destroy();
    expect(host.addresses.http).toBe('');
    expect(await attention(host)).toEqual([
      {
        id: 'http',
        sentence: expect.stringMatching(
          `^Port ${portOf(other)} is in use by .+: client apps cannot reach Tooltray over HTTP\\. .*another port`,
        ) as string,
        server: undefined,
        action: { kind: 'open-config', label: 'Open config file' },
      },
    ]);
  });

  test('opens the port of a changed config, and clears the problem', async () => {
    wish(portOf(other));
    const host = await run({ desktop });
    const touched = new Set<string>();
    const stop = stateSource(host.rpcDeps)((...slices) => slices.forEach((slice) => touched.add(slice)));
    wish(0);
    await until(() => host.addresses.http !== '');
    stop();
    expect(await attention(host)).toEqual([]);
    expect([...touched]).toEqual(expect.arrayContaining(['core', 'attention']));
    expect((await fetch(host.addresses.http, { method: 'POST', body: '{}' })).status).toBe(401);
  });

  test('without the desktop app opens its dashboard at another port for this run', async () => {
    wish(portOf(other));
    const host = await run();
    expect(host.addresses.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(host.addresses.http).not.toContain(`:${portOf(other)}/`);
    expect(host.addresses.httpProblem).toMatch(/: Tooltray is listening on port \d+ instead\. .*another port/);
    expect((await fetch(host.addresses.http, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});

describe('a port in use', () => {
  const opened: Server[] = [];
  const ports: PortBinder[] = [];
  afterEach(async () => {
    for (const one of ports.splice(0)) await one.stop();
    for (const server of opened.splice(0)) server.close();
  });

  async function start(options: Partial<PortBinderOptions>): Promise<PortBinder> {
    const one = new PortBinder({
      open: async (port) => {
        const server = await listening(port);
        opened.push(server);
        return portOf(server);
      },
      wanted: () => portOf(other),
      onWish: () => () => undefined,
      hasSpare: false,
      isFixed: false,
      retryMs: 20,
      onProblem: () => undefined,
      ...options,
    });
    ports.push(one);
    await one.start();
    return one;
  }

  test('is opened as soon as it is free, and reported once', async () => {
    const told: string[] = [];
    const wanted = portOf(other);
    const one = await start({ wanted: () => wanted, onProblem: (sentence) => told.push(sentence) });
    expect([one.port, told.length]).toEqual([undefined, 1]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    other.close();
    await until(() => one.port === wanted);
    expect([one.problem, told.length]).toEqual(['', 1]);
  });

  test('from the command line has no replacement', async () => {
    await expect(start({ isFixed: true, hasSpare: true })).rejects.toThrow();
  });

  test('is reported with the process that uses it, where the system knows', async () => {
    const holder = await portHolder(portOf(other));
    expect(holder).toBe(process.platform === 'win32' ? undefined : `node (process ${process.pid})`);
  });

  test('of another Tooltray is recognized by its response', async () => {
    const tooltray = createServer((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="tooltray"' }).end();
    }).listen(0, '127.0.0.1');
    await once(tooltray, 'listening');
    expect(await portHolder(portOf(tooltray))).toMatch(/^another Tooltray/);
    tooltray.close();
  });
});
