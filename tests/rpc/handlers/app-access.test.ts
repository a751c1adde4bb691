/** Installing by a URL, and an app's access as dashboards see and change it, with a real core and real files. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccessRow } from '../../../src-main/core/client-apps/app-rows.ts';
import { dispatchRpc } from '../../../src-main/rpc/dispatch-rpc.ts';
import type { RpcMethod, RpcMethods } from '../../../src-main/rpc/contract.ts';
import { startCore, type TestCore } from '../../support/start-core.ts';
import { until } from '../../support/until.ts';

let person = '';
let core: TestCore;

beforeAll(async () => {
  person = await mkdtemp(join(tmpdir(), 'tooltray-access-'));
  const env = { HOME: person, XDG_CONFIG_HOME: join(person, '.config') };
  for (const path of ['.cursor/mcp.json', '.kiro/settings/mcp.json', '.config/Claude/claude_desktop_config.json']) {
    await mkdir(dirname(join(person, path)), { recursive: true });
    await writeFile(join(person, path), '{\n  "mcpServers": {}\n}\n');
  }
  core = await startCore({ servers: {} }, { askToken: true, env });
});

afterAll(async () => {
  await core[Symbol.asyncDispose]();
  await rm(person, { recursive: true, force: true });
});

async function ask<M extends RpcMethod>(method: M, input: RpcMethods[M]['input']): Promise<RpcMethods[M]['output']> {
  const answer: unknown = await dispatchRpc(method, input, core.host.rpcDeps, new AbortController().signal);
  return answer as RpcMethods[M]['output'];
}

async function install(app: string, http: boolean): Promise<RpcMethods['installApp']['output']> {
  const { revision } = await ask('previewInstall', { app, http });
  return ask('installApp', { app, http, revision });
}

const textOf = (path: string): Promise<string> => readFile(join(person, path), 'utf8');

async function entryIn(path: string): Promise<{ url?: string; headers?: Record<string, string> }> {
  const { mcpServers } = JSON.parse(await textOf(path)) as { mcpServers: Record<string, object> };
  return mcpServers['tooltray'] ?? {};
}

/** Whether the app's endpoint accepts the entry in its file. */
async function letsIn({ url = '', headers = {} }: Awaited<ReturnType<typeof entryIn>>): Promise<boolean> {
  const response = await fetch(url, { headers });
  await response.body?.cancel();
  return response.status !== 401;
}

const accessOf = async (app: string): Promise<AccessRow | undefined> =>
  (await core.host.rpcDeps.apps.access()).find((row) => row.app === app);

test('installs an app by its own URL, and its token follows the file through uninstall and undo', async () => {
  const before = await textOf('.cursor/mcp.json');
  const preview = await ask('previewInstall', { app: 'cursor', http: true });
  expect(preview.diff.map(({ text }) => text).join('\n')).toContain('"Authorization": "***"');
  expect(preview.warning).toContain(
    'is the address of this run only; it differs from "port" in the config file. After the next start, the app cannot connect to it.',
  );
  expect([await accessOf('cursor'), core.host.appAccess.tokenOf('cursor')]).toEqual([undefined, undefined]);

  const installed = await install('cursor', true);
  const entry = await entryIn('.cursor/mcp.json');
  const token = core.host.appAccess.tokenOf('cursor') ?? '';
  expect(entry).toEqual({ url: `${core.url}/app/cursor`, headers: { Authorization: `Bearer ${token}` } });
  expect(await accessOf('cursor')).toMatchObject({ via: 'http', since: expect.any(Number) as number });
  // By default the kind of connection is unchanged.
  for (const wish of [{ http: true }, {}])
    expect((await ask('previewInstall', { app: 'cursor', ...wish })).diff).toEqual([]);
  expect((await ask('previewInstall', { app: 'cursor', http: true })).snippet).not.toContain(token);
  expect((await core.host.rpcDeps.apps.apps()).find(({ id }) => id === 'cursor')?.connected).toBe('yes');
  expect(await letsIn(entry)).toBe(true);

  const { undo } = await ask('uninstallApp', { app: 'cursor' });
  expect(await letsIn(entry)).toBe(false);
  await ask('undoInstall', { undo });
  expect([await entryIn('.cursor/mcp.json'), await letsIn(entry)]).toEqual([entry, true]);
  await ask('undoInstall', { undo: installed.undo });
  expect([await textOf('.cursor/mcp.json'), await letsIn(entry)]).toEqual([before, false]);
  // A disconnected app is no longer listed.
  expect(await accessOf('cursor')).toBeUndefined();
});

test('removes the token of an app that changes from its URL to a command', async () => {
  await install('kiro', true);
  const entry = await entryIn('.kiro/settings/mcp.json');
  await install('kiro', false);
  expect([await accessOf('kiro'), await letsIn(entry)]).toMatchObject([{ via: 'stdio' }, false]);
});

test('rejects a URL for an app that supports none with the reason, and issues no token', async () => {
  const app = 'claude-desktop';
  const { revision } = await ask('previewInstall', { app });
  for (const method of ['previewInstall', 'installApp'] as const) {
    const input = { app, http: true, revision };
    await expect(ask(method, input)).rejects.toMatchObject({ code: 'unsupported' });
  }
  expect(core.host.appAccess.list().find((one) => one.app === app)).toBeUndefined();
});

test('a failed install keeps an app revoked; an install with nothing to write restores its access', async () => {
  await install('kiro', false);
  await ask('setAccess', { app: 'kiro', allowed: false });
  await expect(ask('installApp', { app: 'kiro', revision: 'of another time', http: true })).rejects.toMatchObject({
    code: 'config_conflict',
  });
  expect(core.host.appAccess.isRevoked('kiro')).toBe(true);
  const preview = await ask('previewInstall', { app: 'kiro' });
  expect([preview.diff, preview.app.revoked]).toEqual([[], true]);
  const { sentence } = await ask('installApp', { app: 'kiro', revision: preview.revision });
  expect([sentence, core.host.appAccess.isRevoked('kiro')]).toEqual(['Kiro can use Tooltray again.', false]);
});

test('notifies every dashboard', async () => {
  const seen: (readonly AccessRow[])[][] = [[], []];
  const leave = seen.map((rows) =>
    core.host.dashboard?.publisher.watch(({ change }) => change.access && rows.push(change.access), undefined, [
      'access',
    ]),
  );
  await until(() => seen.every((rows) => rows.length === 1));
  await ask('setAccess', { app: 'zed', allowed: false });
  await until(() =>
    seen.every((rows) => rows.at(-1)?.some(({ app, revoked }) => app === 'zed' && revoked !== undefined)),
  );
  for (const stop of leave) stop?.();
});
