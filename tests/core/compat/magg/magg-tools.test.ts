/** Compatibility case 35 and the other tools of Magg, over a real socket, real servers and a real config file. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Params } from '../../../support/raw-client.ts';
import { type SocketClient, textOf } from '../../../support/socket-client.ts';
import { fixture, startCore, type TestConfig, type TestCore } from '../../../support/start-core.ts';
import { until } from '../../../support/until.ts';

interface Envelope {
  readonly errors: readonly string[] | null;
  readonly output: Params;
}

const m = { ...fixture('capabilities'), source: 'https://m.test', env: { API_KEY: 'sk-verysecret123' } };
const allow = { policy: { agentChanges: 'allow' } };

async function start(config: Partial<TestConfig> = {}): Promise<TestCore & { client: SocketClient }> {
  const core = await startCore({ servers: { m, e: fixture('compat', 'E') }, ...config });
  return Object.assign(core, { client: await core.open({}, { mode: 'proxy' }) });
}

async function ask(client: SocketClient, name: string, args: Params = {}): Promise<Envelope> {
  return JSON.parse(textOf(await client.callTool(name, args))) as Envelope;
}

const serversIn = async (core: TestCore): Promise<Params> =>
  (JSON.parse(await readFile(core.configFile, 'utf8')) as { servers: Params }).servers;

test('magg_list_servers and magg_status say what there is, without secrets', async () => {
  await using core = await start();
  const listed = await ask(core.client, 'magg_list_servers');
  expect(listed.output).toEqual([
    expect.objectContaining({ name: 'm', source: 'https://m.test', prefix: 'm', enabled: true, mounted: true }),
    expect.objectContaining({ name: 'e', source: null, prefix: 'e', enabled: true, mounted: true }),
  ]);
  expect(JSON.stringify(listed)).not.toContain('verysecret');
  expect((await ask(core.client, 'magg_status')).output).toEqual({
    servers: { total: 2, enabled: 2, mounted: 2, disabled: 0 },
    tools: { total: 6 },
    prefixes: { m: 'm', e: 'e' },
  });
});

test('an answer is the envelope as text and as structured content; a failure is an error', async () => {
  await using core = await start();
  const good = await core.client.callTool('magg_status');
  expect(good['structuredContent']).toEqual(JSON.parse(textOf(good)));
  expect(good['isError']).toBeUndefined();
  const bad = await core.client.callTool('magg_remove_server', { name: 'zz' });
  expect([bad['isError'], bad['structuredContent']]).toEqual([
    true,
    { errors: [expect.stringContaining(`'zz' not found`)], output: null },
  ]);
});

test('35: a server that is disabled has no tools, is told to the client app, and comes back', async () => {
  await using core = await start(allow);
  expect(await core.client.toolNames()).toContain('m_add');
  const off = await ask(core.client, 'magg_disable_server', { name: 'm' });
  expect(off.output).toEqual({ action: 'server_disabled', server: { name: 'm' }, mounted: false });
  await core.client.notification('notifications/tools/list_changed');
  expect(await core.client.toolNames()).not.toContain('m_add');
  expect(await core.client.callTool('m_add', { a: 1, b: 2 })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('m is switched off') as string }],
  });
  expect((await ask(core.client, 'magg_disable_server', { name: 'm' })).errors?.[0]).toContain('already disabled');
  const on = await ask(core.client, 'magg_enable_server', { name: 'm' });
  expect(on.output).toMatchObject({ action: 'server_enabled', mounted: true });
  expect(await core.client.say('m_add', { a: 1, b: 2 })).toBe('3');
});

test('adding and removing wait for the person, and the answer says so', async () => {
  await using core = await start();
  const { command, args } = fixture('echo');
  const input = { name: 'new', source: 'here', command: [command, ...args].join(' '), env: '{"A":"b"}' };
  const { errors, output } = await ask(core.client, 'magg_add_server', input);
  expect(errors).toBeNull();
  expect(output).toMatchObject({ status: 'proposed', action: 'server_added', server: { name: 'new', mounted: false } });
  expect(output['message']).toMatch(/Nothing has changed yet.*tooltray approve [0-9a-f]{6}/);
  expect(Object.keys(await serversIn(core))).toEqual(['m', 'e']);
  await core.host.core.admin.approve(String(output['proposal']));
  expect((await serversIn(core))['new']).toEqual({
    ...{ source: 'here', command, args, env: { A: 'b' } },
    // What a model adds runs in a box.
    isolation: { mode: 'auto', network: true },
  });
  const removed = await ask(core.client, 'magg_remove_server', { name: 'new' });
  expect(removed.output).toMatchObject({ status: 'proposed', action: 'server_removed', server: { name: 'new' } });
  expect(Object.keys(await serversIn(core))).toEqual(['m', 'e', 'new']);
});

test('where the person allows it, a server is there as soon as the answer is', async () => {
  await using core = await start(allow);
  const { command, args } = fixture('library', 'lib');
  const input = { name: 'lib', source: 'here', command: [command, ...args].join(' '), notes: 'Books.' };
  const { output } = await ask(core.client, 'magg_add_server', input);
  expect(output).toEqual({
    action: 'server_added',
    server: {
      ...{ name: 'lib', source: 'here', prefix: null, command: input.command, uri: null, cwd: null },
      ...{ notes: 'Books.', enabled: true, mounted: true },
    },
  });
  expect(await core.client.toolNames()).toContain('lib_lend');
  const { output: removed } = await ask(core.client, 'magg_remove_server', { name: 'lib' });
  expect(removed).toEqual({ action: 'server_removed', server: { name: 'lib' } });
  expect(await core.client.toolNames()).not.toContain('lib_lend');
});

test('a prefix names the tools of a server that is added, and env_vars are its variables', async () => {
  await using core = await start(allow);
  const { command, args } = fixture('library', 'lib');
  const input = { name: 'lib', source: 'here', command: [command, ...args].join(' '), prefix: 'books' };
  const { output } = await ask(core.client, 'magg_add_server', { ...input, env_vars: '{"SHELF":"7"}' });
  expect(output['server']).toMatchObject({ prefix: 'books', mounted: true });
  expect(await core.client.toolNames()).toContain('books_lend');
  expect((await serversIn(core))['lib']).toMatchObject({ prefix: 'books', env: { SHELF: '7' } });
});

test.each([
  [{ name: 'm', source: 's', command: 'x' }, 'already exists'],
  [{ name: 'q', source: 's' }, 'Failed to mount server'],
  [{ name: 'q', source: 's', command: 'no-such-command-here' }, 'Failed to mount server'],
  [{ name: 'q', source: 's', uri: 'ftp://x' }, 'Failed to mount server'],
  [{ name: 'q', source: 's', command: `${process.execPath} -e 0` }, 'Failed to mount server'],
  [{ name: 'q', source: 's', command: 'x', env: '{' }, `'env' is not an object`],
  [{ source: 's', command: 'x' }, `'name' is required`],
  [{ name: 'q', command: 'x' }, `'source' is required`],
])('35: magg_add_server of %j adds nothing', async (input, fragment) => {
  await using core = await start(allow);
  const { errors, output } = await ask(core.client, 'magg_add_server', input);
  expect([errors?.[0], output]).toEqual([expect.stringContaining(fragment), null]);
  expect(Object.keys(await serversIn(core))).toEqual(['m', 'e']);
  expect(await core.host.core.admin.proposals()).toEqual([]);
});

test('35: magg_check tells the dead from the living, and switches them off when told to', async () => {
  await using core = await start({ ...allow, servers: { m, bad: { command: 'no-such-command-here' } } });
  // In seconds: who answers late on a machine under load is not dead.
  const check = (input: Params = {}): Promise<Envelope> => ask(core.client, 'magg_check', { timeout: 60, ...input });
  const { output } = await check();
  expect(output).toMatchObject({ servers_checked: 2, healthy: 1, unresponsive: 1, actions_taken: null });
  expect(output['results']).toEqual({
    m: { status: 'healthy', tools_count: 3 },
    bad: { status: 'error', reason: expect.stringContaining('no-such-command-here') as string },
  });
  const remount = await check({ action: 'remount' });
  expect(remount.output['actions_taken']).toEqual([expect.stringContaining('bad: remount_failed')]);
  const before = await serversIn(core);
  const unmount = await check({ action: 'unmount' });
  expect(unmount.output['actions_taken']).toEqual([expect.stringContaining('bad: not_unmounted')]);
  expect(await serversIn(core)).toEqual(before);
  const disable = await check({ action: 'disable' });
  expect(disable.output['actions_taken']).toEqual(['bad: disabled']);
  expect((await check()).output).toMatchObject({ servers_checked: 1, unresponsive: 0 });
});

test.skipIf(process.platform === 'win32')('35: a server that hangs is a timeout', async () => {
  await using core = await start({ servers: { m, hung: fixture('asker') } });
  const { pid } = JSON.parse(await core.client.say('hung_who')) as { pid: number };
  process.kill(pid, 'SIGSTOP');
  const { output } = await ask(core.client, 'magg_check', { timeout: 0.2 });
  process.kill(pid, 'SIGCONT');
  expect((output['results'] as Params)['hung']).toEqual({ status: 'timeout', reason: 'No answer within 0.2 s.' });
});

test('magg_reload_config takes up an edit at once, and names what is wrong in a bad one', async () => {
  await using core = await start();
  await core.write({ servers: { m } });
  const good = await ask(core.client, 'magg_reload_config');
  expect(good.output).toMatchObject({ config_path: core.configFile, read_only: false });
  expect((await ask(core.client, 'magg_status')).output['servers']).toMatchObject({ total: 1 });
  await core.write('{ "servers": ');
  expect((await ask(core.client, 'magg_reload_config')).errors?.[0]).toMatch(/^Line 1/);
});

async function accept(core: TestCore, server: string): Promise<void> {
  const { reviews } = core.host.core;
  await reviews.decide(server, 'accept', (await reviews.find(server)).id, 'dashboard');
}

async function writeKit(core: TestCore, name: string, kit: object): Promise<void> {
  await mkdir(join(core.home, 'kit.d'), { recursive: true });
  await writeFile(join(core.home, 'kit.d', `${name}.json`), JSON.stringify(kit));
}

test('35: a kit is loaded once, and unloading it removes only what no other kit and no person brought', async () => {
  await using core = await start(allow);
  const echo = { ...fixture('echo'), env: { TOKEN: 'sk-verysecret456' } };
  await writeKit(core, 'one', { description: 'First.', version: '1', servers: { m, shared: echo, alone: echo } });
  await writeKit(core, 'two', { name: 'second', servers: { shared: echo } });
  const { output: listed } = await ask(core.client, 'magg_list_kits');
  expect(listed['summary']).toEqual({ total: 2, loaded: 0, available: 2 });
  expect((listed['kits'] as Params)['one']).toMatchObject({
    ...{ loaded: false, description: 'First.', author: null, version: '1', servers: ['m', 'shared', 'alone'] },
  });
  expect((await ask(core.client, 'magg_load_kit', { name: 'one' })).output).toMatchObject({
    action: 'kit_loaded',
    kit: 'one',
  });
  expect((await ask(core.client, 'magg_load_kit', { name: 'one' })).errors?.[0]).toContain('already loaded');
  await ask(core.client, 'magg_load_kit', { name: 'second' });
  expect((await serversIn(core))['shared']).toMatchObject({ kits: ['one', 'second'] });
  // What a file brought waits for the person, whatever else models may do; until then no model takes it out either.
  expect((await ask(core.client, 'magg_unload_kit', { name: 'one' })).errors?.[0]).toContain('waits for the review');
  for (const name of ['shared', 'alone']) await accept(core, name);
  expect((await ask(core.client, 'magg_unload_kit', { name: 'one' })).output).toMatchObject({ action: 'kit_unloaded' });
  expect(Object.keys(await serversIn(core))).toEqual(['m', 'e', 'shared']);
  expect((await serversIn(core))['shared']).toMatchObject({ kits: ['second'] });
  expect((await ask(core.client, 'magg_unload_kit', { name: 'one' })).errors?.[0]).toContain('is not loaded');
});

test('loading a kit is one proposal, for all of its servers', async () => {
  await using core = await start();
  await writeKit(core, 'one', { servers: { x: fixture('echo'), y: fixture('echo') } });
  const { output } = await ask(core.client, 'magg_load_kit', { name: 'one' });
  expect(output).toMatchObject({ status: 'proposed', action: 'kit_loaded' });
  expect(output['message']).toContain('Nothing has changed yet');
  expect(Object.keys(await serversIn(core))).toEqual(['m', 'e']);
  expect(await core.host.core.admin.proposals()).toMatchObject([{ sentence: 'Load the kit "one": x, y.' }]);
  await core.host.core.admin.approve(output['proposal'] as string);
  expect((await ask(core.client, 'magg_kit_info', { name: 'one' })).output).toMatchObject({ loaded: true });
});

test.each([
  ['magg_load_kit', 'not found in any kit.d directory'],
  ['magg_kit_info', 'not found'],
  ['magg_unload_kit', 'is not loaded'],
])('%s of a kit that is not there', async (tool, fragment) => {
  await using core = await start();
  expect((await ask(core.client, tool, { name: '../config' })).errors?.[0]).toContain(fragment);
});

test('magg:// resources are readable in every mode, without secrets, and listed in mode universal alone', async () => {
  await using core = await start();
  await writeKit(core, 'one', { servers: { x: { ...fixture('echo'), env: { API_KEY: 'sk-verysecret789' } } } });
  const read = async (uri: string): Promise<string> => {
    const { contents } = (await core.client.request('resources/read', { uri })) as { contents: { text: string }[] };
    return contents[0]?.text ?? '';
  };
  const uris = ['magg://servers/all', 'magg://server/m', 'magg://kits/all', 'magg://kit/one'];
  const texts = await Promise.all(uris.map(read));
  expect(texts.join('\n')).not.toContain('verysecret');
  const [all, one, kits, kit] = texts.map((text) => JSON.parse(text) as Params);
  expect(Object.keys(all ?? {})).toEqual(['m', 'e']);
  expect(one).toMatchObject({ name: 'm', enabled: true, env: { API_KEY: '***' } });
  expect(kits).toMatchObject({ summary: { total: 1 } });
  expect(kit).toMatchObject({ name: 'one', servers: { x: { env: { API_KEY: '***' } } } });
  await expect(read('magg://server/zz')).rejects.toMatchObject({ code: -32602 });

  const listed = async (client: SocketClient): Promise<string> =>
    JSON.stringify([await client.request('resources/list'), await client.request('resources/templates/list')]);
  expect(await listed(core.client)).not.toContain('magg://');
  const universal = await listed(await core.open({}, { mode: 'universal' }));
  for (const uri of ['magg://servers/all', 'magg://server/{name}', 'magg://kits/all', 'magg://kit/{name}']) {
    expect(universal).toContain(uri);
  }
});

test('an edit of our own is not taken up a second time', async () => {
  await using core = await start(allow);
  await ask(core.client, 'magg_disable_server', { name: 'e' });
  const before = core.server('m');
  await ask(core.client, 'magg_reload_config');
  await until(() => core.server('m').state.kind === 'ready');
  expect(core.server('m')).toBe(before);
});
