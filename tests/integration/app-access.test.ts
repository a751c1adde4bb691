/** Revokes the access of client apps on a real core, over the socket and HTTP, and grants it again. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ShimClient } from '../shim/shim-client.ts';
import { HttpClient } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const reason = 'The access of Cursor to Tooltray was revoked, so it cannot use any servers.';
const clientInfo = { name: 'a', version: '1' };
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
};

let person = '';
let core: TestCore;

beforeAll(async () => {
  person = await mkdtemp(join(tmpdir(), 'tooltray-person-'));
  const servers = { e: fixture('echo'), hang: fixture('misbehaving', 'never') };
  core = await startCore({ servers }, { askToken: true, env: { HOME: person, XDG_CONFIG_HOME: person } });
});

afterAll(async () => {
  await core[Symbol.asyncDispose]();
  await rm(person, { recursive: true, force: true });
});

/** As requested by `tooltray apps revoke`. */
async function allow(app: string, allowed: boolean): Promise<unknown> {
  const control = await core.connect({ purpose: 'control' });
  const { sentence } = await control.request('setAccess', { app, allowed });
  control.socket.destroy();
  return sentence;
}

const rowOf = async (app: string) => (await core.host.rpcDeps.apps.access()).find((row) => row.app === app);

test('revoking an app ends its sessions with the reason for pending calls, and no other sessions', async () => {
  const [cursor, zed] = [await core.open({}, { app: 'cursor' }), await core.open({}, { app: 'zed' })];
  const waiting = cursor.exchange('tools/call', { name: 'hang__hang', arguments: {} });
  await until(() => core.host.core.clients.sessions.all.some(({ app, calls }) => app === 'cursor' && calls === 1));
  expect(await allow('cursor', false)).toBe('The access of Cursor was revoked, and its sessions were closed.');
  expect((await waiting).message.error).toMatchObject({
    message: expect.stringContaining(reason) as string,
    data: { code: 'not_allowed' },
  });
  await cursor.closed;
  expect(await zed.say('e__echo', { message: 'still here' })).toBe('still here');
  zed.socket.destroy();

  const again = await core.connect({ app: 'cursor' });
  await Promise.race([once(again.socket, 'data'), again.closed]);
  expect(JSON.parse(again.lines[0] ?? '')).toMatchObject({ code: 'not_allowed' });
  expect(await rowOf('cursor')).toMatchObject({ name: 'Cursor', via: 'none', revoked: expect.any(Number) as number });
  expect(await allow('cursor', true)).toBe('Cursor can use Tooltray again.');
  expect(await allow('cursor', true)).toBe('Cursor already has access.');
  const back = await core.open({}, { app: 'cursor' });
  expect(await back.say('e__echo', { message: 'again' })).toBe('again');
  back.socket.destroy();
});

test('the shim of a revoked app returns the reason and logs it, and works once access is granted again', async () => {
  await allow('cursor', false);
  using shim = new ShimClient({ ...process.env, TOOLTRAY_HOME: core.home }, ['--app', 'cursor']);
  shim.say({ id: 1, ...initialize });
  const { error } = await shim.answer(1);
  expect(error?.message).toBe(
    `${reason} To restore it, run "tooltray install cursor", or choose Allow in the dashboard’s settings.`,
  );
  await until(() => shim.stderr.includes(`tooltray: ${reason}`));
  await allow('cursor', true);
  shim.say({ id: 2, ...initialize });
  expect((await shim.answer(2)).error).toBeUndefined();
});

test('a running shim returns the reason once its app is revoked', async () => {
  using shim = new ShimClient({ ...process.env, TOOLTRAY_HOME: core.home }, ['--app', 'kiro']);
  shim.say({ id: 1, ...initialize }, { method: 'notifications/initialized' });
  expect((await shim.answer(1)).error).toBeUndefined();
  await allow('kiro', false);
  await until(() => shim.stderr.includes('The access of Kiro'));
  shim.say({ id: 2, method: 'tools/list' });
  expect((await shim.answer(2)).error?.message).toContain('The access of Kiro to Tooltray was revoked');
  await allow('kiro', true);
  shim.say({ id: 3, method: 'tools/list' });
  expect((await shim.answer(3)).error).toBeUndefined();
});

test("an HTTP token opens only its app's address, is rejected while revoked, and works once granted again", async () => {
  const tokenOf = async (app: string): Promise<string> => (await core.host.appAccess.grant(app, true)).token ?? '';
  const [cursor, zed] = [await tokenOf('cursor'), await tokenOf('zed')];
  const ask = async (path: string, token: string): Promise<[number, string]> => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...initialize });
    const response = await fetch(`${core.url}${path}`, { method: 'POST', body, headers });
    return [response.status, response.status === 200 ? await cancelled(response) : await response.text()];
  };
  const status = async (path: string, token: string): Promise<number> => (await ask(path, token))[0];
  const addresses = async (): Promise<number[]> => [
    await status('/app/cursor', cursor),
    await status('/app/zed', cursor),
    await status('', cursor),
    await status('/mode/proxy', cursor),
    await status('/app/zed', zed),
    await status('/app/cursor', core.host.core.clients.token),
  ];
  expect(await addresses()).toEqual([200, 401, 401, 401, 200, 200]);

  const headers = { authorization: `Bearer ${cursor}` };
  const legacy = new HttpClient(`${core.url}/app/cursor`, false, headers);
  await legacy.initialize();
  const modern = new ModernClient(new HttpClient(`${core.url}/app/cursor`, true, headers));
  expect((await modern.once('tools/list')).result).toBeDefined();
  const heard: unknown[] = [];
  const stream = legacy.listen((message) => heard.push(message));
  await until(() => heard.length > 0);

  await allow('cursor', false);
  await stream;
  expect(core.host.core.clients.sessions.all.some(({ app }) => app === 'cursor')).toBe(false);
  expect(await addresses()).toEqual([403, 401, 401, 401, 200, 403]);
  expect((await ask('/app/cursor', cursor))[1]).toContain(reason);
  expect((await modern.once('tools/list')).error?.message).toContain(reason);
  expect((await legacy.exchange('tools/list')).message.error?.message).toContain(reason);

  await allow('cursor', true);
  expect(await addresses()).toEqual([200, 401, 401, 401, 200, 200]);
  expect((await modern.once('tools/list')).result).toBeDefined();
});

test('lists every app that connected under any name, and refuses to revoke an unknown name', async () => {
  const before = Date.now();
  const client = await core.open({}, { app: 'my-script' });
  await until(() => core.host.appAccess.list().some(({ app }) => app === 'my-script'));
  const row = await rowOf('my-script');
  expect(row).toMatchObject({ name: 'my-script', via: 'none', since: undefined, revoked: undefined });
  expect(row?.seen).toBeGreaterThanOrEqual(before);
  client.socket.destroy();
  await expect(allow('my-scrpt', false)).rejects.toThrow('No client app called "my-scrpt"');
});

async function cancelled(response: Response): Promise<string> {
  await response.body?.cancel();
  return '';
}
