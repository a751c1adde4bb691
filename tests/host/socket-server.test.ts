/** Tests what a client app receives if the core rejects its session after all, through the real shim and socket server. */
import { homedir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import type { CoreContext } from '../../src-main/core/core-context.ts';
import { ensurePrivateDir, socketLocation } from '../../src-main/core/base/app-paths.ts';
import { AppError } from '../../src-main/core/base/errors.ts';
import { readOrCreateToken } from '../../src-main/core/security/access-token.ts';
import type { SocketListener } from '../../src-main/core/sessions/socket/socket-listener.ts';
import { createConnectionBudgets } from '../../src-main/core/wire/byte-budget.ts';
import { Peer } from '../../src-main/core/wire/peer.ts';
import type { Transport } from '../../src-main/core/wire/transport.ts';
import type { AppAccessControl } from '../../src-main/host/app-access.ts';
import { createSocketServer } from '../../src-main/host/socket-server.ts';
import { ShimClient, TestHome } from '../shim/shim-client.ts';

const why = new AppError('session_limit', 'There is no room for this session.', { fix: 'Close another one.' });
const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'app', version: '1' } },
};

const doors: SocketListener[] = [];
afterEach(async () => {
  for (const door of doors.splice(0)) await door.stop();
});

async function openDoor(home: TestHome, serve: (transport: Transport) => Promise<void>): Promise<SocketListener> {
  const location = socketLocation(home.env, process.platform, homedir());
  ensurePrivateDir(location.runDir);
  const log = { warn: () => undefined };
  const context = {
    paths: { ...location, dataDir: location.runDir },
    version: '1.0.0',
    config: { path: '' },
    log,
  } as unknown as CoreContext;
  const clients = { token: readOrCreateToken(location.tokenFile), budgets: createConnectionBudgets() };
  const gate = { admit: () => undefined } as unknown as AppAccessControl;
  const rpcDeps = (): never => {
    throw new Error('nobody asks');
  };
  const door = createSocketServer({
    context,
    clients,
    starting: () => undefined,
    gate,
    serve,
    rpcDeps,
    keepFiles: () => undefined,
  });
  doors.push(door);
  await door.start();
  return door;
}

const refuse = (): Promise<void> => Promise.reject(why);

async function serveAll(transport: Transport): Promise<void> {
  const onRequest = async (method: string) => ({ method });
  await new Peer(transport, { onRequest, onNotification: () => undefined, onClose: () => undefined }).start();
}

test('returns the reason for the first request, and for the next one', async () => {
  using home = new TestHome();
  await openDoor(home, refuse);
  using client = new ShimClient(home.env);
  client.say(initialize);
  const error = { code: -32603, message: 'There is no room for this session. Close another one.' };
  expect((await client.answer(0)).error).toMatchObject({ ...error, data: { code: 'session_limit' } });
  client.say({ ...initialize, id: 1 });
  expect((await client.answer(1)).error?.message).toBe(error.message);
});

test('returns the reason for a session that the next core rejects', async () => {
  using home = new TestHome();
  const door = await openDoor(home, serveAll);
  using client = new ShimClient(home.env);
  client.say(initialize, { method: 'notifications/initialized' });
  expect((await client.answer(0)).result?.method).toBe('initialize');
  await door.stop();
  const isRefused = Promise.withResolvers<void>();
  await openDoor(home, () => {
    isRefused.resolve();
    return refuse();
  });
  // Before, the shim may not have seen the end of the old connection, and a call on it is lost.
  await isRefused.promise;
  client.say({ id: 'next', method: 'tools/call', params: { name: 'x' } });
  expect((await client.answer('next')).error?.message).toBe('There is no room for this session. Close another one.');
  expect(client.lines.filter(({ id }) => id === 0)).toHaveLength(1);
});

test('answers the next request once there is room again', async () => {
  using home = new TestHome();
  const door = await openDoor(home, refuse);
  using client = new ShimClient(home.env);
  client.say(initialize);
  expect((await client.answer(0)).error).toBeDefined();
  await door.stop();
  await openDoor(home, serveAll);
  client.say({ ...initialize, id: 1 });
  expect((await client.answer(1)).result?.method).toBe('initialize');
});
