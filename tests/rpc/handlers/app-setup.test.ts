/** The dashboard's setup on a running core: apps found, connected, undone; servers offered, imported, watched. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dispatchRpc } from '../../../src-main/rpc/dispatch-rpc.ts';
import { stateBuilders } from '../../../src-main/rpc/build-state.ts';
import type { RpcMethod, RpcMethods } from '../../../src-main/rpc/contract.ts';
import { serverStatuses } from '../../../src-main/rpc/deps.ts';
import { fixture, startCore, type TestCore } from '../../support/start-core.ts';

let person = '';

beforeEach(async () => {
  person = await mkdtemp(join(tmpdir(), 'tooltray-setup-'));
});

afterEach(() => rm(person, { recursive: true, force: true }));

async function put(path: string, content: object): Promise<string> {
  const file = join(person, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
  return file;
}

const cursor = (servers: object): Promise<string> => put('.cursor/mcp.json', { mcpServers: servers });

const start = (servers: Record<string, object>): Promise<TestCore> =>
  startCore({ servers }, { env: { HOME: person, XDG_CONFIG_HOME: join(person, '.config') } });

async function ask<M extends RpcMethod>(
  { host }: TestCore,
  method: M,
  input: RpcMethods[M]['input'],
): Promise<RpcMethods[M]['output']> {
  const answer: unknown = await dispatchRpc(method, input, host.rpcDeps, new AbortController().signal);
  return answer as RpcMethods[M]['output'];
}

const accessRows = ({ host }: TestCore) => stateBuilders(host.rpcDeps).access();
const setupOf = ({ host }: TestCore) => stateBuilders(host.rpcDeps).setup();

test('finds two apps, and connects one with a real initialize, which can be undone', async () => {
  const file = await cursor({ own: { command: 'own' } });
  await put('.gemini/settings.json', {});
  const before = await readFile(file, 'utf8');
  await using core = await start({ e: fixture('echo') });
  const rows = (await setupOf(core)).apps.map(({ id, connected, servers }) => [id, connected, servers]);
  expect(rows).toEqual([
    ['cursor', 'no', 1],
    ['gemini-cli', 'no', 0],
  ]);
  const preview = await ask(core, 'previewInstall', { app: 'cursor' });
  expect(preview).toMatchObject({ file, warning: undefined, app: { id: 'cursor' } });
  expect(preview.diff.some(({ kind, text }) => kind === 'added' && text.includes('"tooltray"'))).toBe(true);

  const { revision } = preview;
  const { undo, sentence } = await ask(core, 'installApp', { app: 'cursor', revision });
  expect(sentence).toMatch(/^Cursor is connected\./);
  expect((await setupOf(core)).apps[0]).toMatchObject({ id: 'cursor', connected: 'yes', servers: 1 });
  await expect(ask(core, 'installApp', { app: 'cursor', revision })).rejects.toMatchObject({ code: 'config_conflict' });

  const out = await ask(core, 'previewUninstall', { app: 'cursor' });
  expect(out).toMatchObject({ file, removesFile: false });
  expect(out.diff.filter(({ kind }) => kind === 'added')).toEqual([]);
  expect(out.diff.some(({ kind, text }) => kind === 'removed' && text.includes('"tooltray"'))).toBe(true);
  expect((await setupOf(core)).apps[0]?.connected).toBe('yes');
  // Exactly what was shown is done, or nothing.
  const stale = ask(core, 'uninstallApp', { app: 'cursor', revision });
  await expect(stale).rejects.toMatchObject({ code: 'config_conflict' });

  await ask(core, 'undoInstall', { undo });
  expect([await readFile(file, 'utf8'), (await setupOf(core)).apps[0]?.connected]).toEqual([before, 'no']);
});

test('disconnecting an app ends its access, even if it was only seen; a revocation stays', async () => {
  const file = await cursor({});
  await using core = await start({ e: fixture('echo') });
  const accessOf = async () => (await accessRows(core)).filter(({ app }) => app === 'cursor');
  const { revision } = await ask(core, 'previewInstall', { app: 'cursor' });
  await ask(core, 'installApp', { app: 'cursor', revision });
  await core.host.appAccess.recordSeen('cursor', Date.now());
  expect(await accessOf()).toMatchObject([{ via: 'stdio', revoked: undefined }]);
  const disconnect = async () => {
    const { revision: now } = await ask(core, 'previewUninstall', { app: 'cursor' });
    await ask(core, 'uninstallApp', { app: 'cursor', revision: now });
  };
  await disconnect();
  expect([await accessOf(), JSON.parse(await readFile(file, 'utf8'))]).toEqual([[], { mcpServers: {} }]);

  const again = await ask(core, 'previewInstall', { app: 'cursor' });
  await ask(core, 'installApp', { app: 'cursor', revision: again.revision });
  await core.host.appAccess.revoke('cursor');
  await disconnect();
  expect(await accessOf()).toMatchObject([{ via: 'none', since: undefined, revoked: expect.any(Number) as number }]);
});

test('offers servers of an app unchanged, imports them for immediate use, and undoes it', async () => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  await cursor({ e: fixture('echo'), n: { ...fixture('echo', 'n'), env: { GITHUB_TOKEN: secret } } });
  await using core = await start({ here: fixture('echo') });
  const { servers } = await ask(core, 'importableServers', {});
  expect(servers.map(({ name, app, secrets, already }) => ({ name, app, secrets, already }))).toEqual([
    { name: 'e', app: 'Cursor', secrets: [], already: 'here' },
    { name: 'n', app: 'Cursor', secrets: ['GITHUB_TOKEN'], already: undefined },
  ]);
  // No list contains the values of secrets.
  expect(servers[1]?.endpoint).toContain(`with env {"GITHUB_TOKEN":"***"}`);
  expect((await setupOf(core)).offered).toBe(1);

  const id = servers[1]?.id ?? '';
  const { added, undo } = await ask(core, 'importServers', { servers: [{ id, name: 'new' }], move: false });
  await core.server('new').ready();
  expect([added, (await setupOf(core)).offered]).toEqual([['new'], 0]);
  expect(await readFile(core.configFile, 'utf8')).toContain(secret);
  await ask(core, 'undoInstall', { undo: undo ?? '' });
  expect(core.host.core.servers.manager.find('new')).toBeUndefined();
});

test('tests an offered server with its secrets, and neither writes nor shows them', async () => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  await cursor({ works: { ...fixture('echo'), env: { GITHUB_TOKEN: secret } }, gone: { command: '/no/such/program' } });
  await using core = await start({});
  const before = await readFile(core.configFile, 'utf8');
  const { servers } = await ask(core, 'importableServers', {});
  await ask(core, 'testImportableServers', { ids: servers.map(({ id }) => id) });
  const tests = async () => (await setupOf(core)).tests;
  await expect
    .poll(async () => (await tests()).map(({ stage, tools }) => [stage, tools]))
    .toEqual([
      ['passed', 1],
      ['failed', 0],
    ]);
  const [passed, failed] = await tests();
  expect(passed?.listTokens).toBeGreaterThan(10);
  expect(failed?.reason).toContain('/no/such/program');
  expect(failed?.fix).not.toBe('');
  expect(JSON.stringify(await tests())).not.toContain(secret);
  expect(await readFile(core.configFile, 'utf8')).toBe(before);
  await expect(ask(core, 'testImportableServers', { ids: ['none'] })).rejects.toMatchObject({ code: 'not_found' });
});

test('one plan connects the chosen apps and moves their servers, and one undo gives every file back', async () => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  const shared = { ...fixture('echo'), env: { GITHUB_TOKEN: secret } };
  const files = [
    await cursor({ shared, own: fixture('echo', 'own') }),
    await put('.gemini/settings.json', { theme: 'dark', mcpServers: { shared } }),
    await put('.codeium/windsurf/mcp_config.json', { mcpServers: { untouched: fixture('echo', 'other') } }),
  ];
  const texts = (): Promise<string[]> => Promise.all(files.map((file) => readFile(file, 'utf8')));
  const before = await texts();
  await using core = await start({});
  const { servers } = await ask(core, 'importableServers', {});
  const chosen = servers.filter(({ name }) => name !== 'untouched').map(({ id, name }) => ({ id, name }));
  expect(servers.find(({ name }) => name === 'shared')?.apps).toEqual(['cursor', 'gemini-cli']);

  const choice = { apps: ['cursor', 'gemini-cli'], servers: chosen };
  const plan = await ask(core, 'planSetup', choice);
  expect(plan.files.map(({ app, removed, problem }) => [app, removed, problem])).toEqual([
    ['cursor', 2, undefined],
    ['gemini-cli', 1, undefined],
  ]);
  expect(
    plan.files.every(({ diff }) => diff.some((line) => line.kind === 'added' && /"tooltray"/.test(line.text))),
  ).toBe(true);
  expect(JSON.stringify(plan)).not.toContain(secret);
  // A plan changes nothing, including the access of the apps.
  expect([await texts(), (await accessRows(core)).filter(({ since }) => since !== undefined)]).toEqual([before, []]);

  const { added, undo } = await ask(core, 'applySetup', choice);
  expect(added.toSorted()).toEqual(['own', 'shared']);
  expect((await setupOf(core)).apps.map(({ id, connected, servers: left }) => [id, connected, left])).toEqual([
    ['cursor', 'yes', 0],
    ['windsurf', 'no', 1],
    ['gemini-cli', 'yes', 0],
  ]);
  await ask(core, 'undoInstall', { undo: undo ?? '' });
  expect(await texts()).toEqual(before);
  expect((await setupOf(core)).apps.map(({ connected }) => connected)).toEqual(['no', 'no', 'no']);
  expect(core.host.core.servers.manager.all).toEqual([]);
});

test('a plan connects an app that has no servers of its own', async () => {
  const file = await put('.gemini/settings.json', { theme: 'dark' });
  await using core = await start({});
  const { undo } = await ask(core, 'applySetup', { apps: ['gemini-cli'], servers: [] });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ theme: 'dark', mcpServers: { tooltray: {} } });
  await ask(core, 'undoInstall', { undo: undo ?? '' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ theme: 'dark' });
});

test('offers a server that is added to an app later, without importing it', async () => {
  await cursor({});
  await using core = await start({});
  expect((await setupOf(core)).offered).toBe(0);
  await cursor({ later: fixture('echo') });
  await expect.poll(async () => (await setupOf(core)).offered).toBe(1);
  expect(core.host.core.servers.manager.all).toEqual([]);
});

test('rejects an offer that the app no longer has', async () => {
  await using core = await start({});
  const servers = [{ id: 'none', name: 'x' }];
  await expect(ask(core, 'importServers', { servers, move: false })).rejects.toMatchObject({ code: 'not_found' });
});

test('lists a repairable server under attention, with its one action', async () => {
  await cursor({ x: { ...fixture('echo'), env: { API_TOKEN: 'of-the-person' } } });
  await using core = await start({ x: { command: 'tooltray-has-no-such-command' } });
  const { offers } = await ask(core, 'healCandidates', {});
  expect(offers.map(({ server, source, file }) => [server, source, file])).toEqual([
    ['x', 'Cursor', join(person, '.cursor/mcp.json')],
  ]);
  const attention = async (): Promise<unknown[]> =>
    (await stateBuilders(core.host.rpcDeps).attention()).map(({ server, action }) => [server, action]);
  // It is retried now and then, and fails immediately.
  await expect.poll(attention).toEqual([['x', { kind: 'heal', label: 'Decide' }]]);
  // The failing one comes first, and the other entry is not shown before it is checked.
  await expect
    .poll(() => serverStatuses(core.host.core)[0]?.detail)
    .toMatch(/^x did not start: .*Cursor starts it differently\.$/);
  await expect(ask(core, 'heal', { server: 'x' })).resolves.toMatchObject({ healed: true });
  expect(await attention()).toEqual([]);
});

test('decides on a found launch in the inbox: dismissed, asked again, used, and undone', async () => {
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
  await cursor({ x: { ...fixture('echo'), env: { API_TOKEN: secret } } });
  const broken = { command: 'tooltray-has-no-such-command' };
  await using core = await start({ x: broken });
  await ask(core, 'healCandidates', {});
  const inbox = () => ask(core, 'inbox', {});
  const [offer] = (await inbox()).items;
  const id = offer?.id ?? '';
  expect(await ask(core, 'inboxItem', { id })).toMatchObject({
    kind: 'heal',
    server: 'x',
    meanings: expect.arrayContaining([{ text: 'Receives API_TOKEN.', isGrave: false }]) as object,
    actions: [
      { id: 'leave', isRisky: false },
      { id: 'use', isRisky: true },
    ],
  });
  await ask(core, 'decide', { id, action: 'leave' });
  await ask(core, 'healCandidates', {});
  expect((await inbox()).items).toEqual([]);
  await ask(core, 'undoDecision', { id: (await inbox()).decided[0]?.id ?? '' });
  expect((await inbox()).items).toMatchObject([{ id }]);
  await expect(ask(core, 'decide', { id, action: 'use' })).resolves.toMatchObject({ isDone: true });
  const { decided } = await inbox();
  expect(JSON.stringify(decided)).not.toContain(secret);
  await ask(core, 'undoDecision', { id: decided[0]?.id ?? '' });
  // The source is still approved, but an undone repair is not applied again.
  await core.host.core.servers.healing.rescan();
  expect((await inbox()).items).toEqual([]);
  const { servers } = JSON.parse(await readFile(core.configFile, 'utf8')) as { servers: object };
  expect(servers).toEqual({ x: broken });
});

test("rewrites Tooltray's own entry at start if its launcher is missing", async () => {
  const file = await cursor({ tooltray: { command: '/gone/tooltray', args: ['stdio'], env: { TOOLTRAY_HOME: '' } } });
  await using core = await start({});
  const text = (await readFile(file, 'utf8')).replaceAll('"TOOLTRAY_HOME": ""', `"TOOLTRAY_HOME": "${core.home}"`);
  await writeFile(file, text);
  const { home } = core;
  await core.host.stop();
  await using again = await startCore({ servers: {} }, { home, env: { HOME: person } });
  for (;;) {
    const { apps } = await setupOf(again);
    if (apps[0]?.connected === 'yes') break;
    await again.host.rpcDeps.apps.rescan({});
  }
  expect(await readFile(file, 'utf8')).toContain(JSON.stringify(process.execPath));
});

test('returns an unknown app an entry that works here, or a URL with its own token', async () => {
  await using core = await start({ e: fixture('echo') });
  const { entry } = await ask(core, 'manualEntry', { app: 'my-app', http: false });
  const { tooltray } = (JSON.parse(entry) as { mcpServers: { tooltray: { command: string; args: string[] } } })
    .mcpServers;
  expect(isAbsolute(tooltray.command)).toBe(true);
  expect(tooltray.args.slice(-3)).toEqual(['stdio', '--app', 'my-app']);
  expect(await ask(core, 'testServer', { entry: tooltray })).toMatchObject({ ok: true });

  const other = JSON.parse((await ask(core, 'manualEntry', { app: 'my-app', http: true })).entry) as {
    mcpServers: { tooltray: { url: string; headers: { Authorization: string } } };
  };
  expect(other.mcpServers.tooltray.url).toMatch(/\/mcp\/app\/my-app$/);
  expect(await ask(core, 'testServer', { entry: other.mcpServers.tooltray })).toMatchObject({ ok: true });
});

test('a connection test as the app counts no savings', async () => {
  await cursor({});
  await using core = await start({ e: fixture('echo') });
  const { revision } = await ask(core, 'previewInstall', { app: 'cursor' });
  await ask(core, 'installApp', { app: 'cursor', revision });
  expect((await core.host.core.activity.ledger.savings({ by: 'app' })).rows).toEqual([]);
});

test.each([
  ['a variable in its arguments', { command: 'x', args: ['--dir', '${env:HOME}/data'] }, 's'],
  ['a variable that is not set', { command: 'x', args: ['${env:TOOLTRAY_UNSET}'] }, 's'],
  ["a path in the user's home", { command: '~/bin/x', args: ['~/data'] }, 's'],
  ['a command with its arguments in one word', { command: 'npx -y pkg' }, 's'],
  ['a secret in its address', { url: 'https://h.example/mcp?api_key=0123456789abcdef' }, 's'],
  ['a secret in its arguments, under another name', { command: 'x', args: ['--api-key', '0123456789abcdef'] }, 'other'],
  ['a key in its path, under another name', { url: 'https://h.example/sk-proj-0123456789abcdefghijklmn/mcp' }, 'other'],
  ['a variable in its address', { url: 'https://${env:TOOLTRAY_HOST:-h.example}/mcp' }, 's'],
  ['an entry that is off', { command: 'x', disabled: true }, 's'],
])('does not offer a server with %s again once it is imported', async (_what, entry, name) => {
  await cursor({ s: entry });
  await using core = await start({});
  const offered = async () => (await ask(core, 'importableServers', {})).servers;
  const [offer] = await offered();
  const id = offer?.id ?? '';
  await ask(core, 'importServers', { servers: [{ id, name }], move: false, keepSecrets: true });
  expect((await offered()).map(({ already }) => already)).toEqual([name]);
  expect((await setupOf(core)).offered).toBe(0);
});
