/** Repairs a server that does not start with the launch of another app: after approval, once, without a restart. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

let apps = '';

beforeEach(async () => {
  apps = await mkdtemp(join(tmpdir(), 'tooltray-apps-'));
});

afterEach(() => rm(apps, { recursive: true, force: true }));

async function cursorHas(servers: Record<string, object>): Promise<void> {
  await mkdir(join(apps, '.cursor'), { recursive: true });
  await writeFile(join(apps, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }));
}

const start = (config: TestConfig, home?: string): Promise<TestCore> =>
  startCore(config, {
    env: { HOME: apps, XDG_CONFIG_HOME: join(apps, '.config') },
    ...(home !== undefined && { home }),
  });

const written = async (core: TestCore): Promise<Record<string, unknown>> =>
  (JSON.parse(await readFile(core.configFile, 'utf8')) as TestConfig).servers;

/** A launch that leaves a file behind wherever it runs. */
function tracedEcho(trace: string): { command: string; args: string[]; env: Record<string, string> } {
  const { command, args } = fixture('echo');
  const script = `require('node:fs').writeFileSync(process.env.TRACE, 'ran'); import(${JSON.stringify(args[0])})`;
  return { command, args: ['-e', script], env: { TRACE: trace } };
}

const broken = { command: 'tooltray-has-no-such-command', description: 'Mine' };

test('runs nothing of the other app before approval; then starts the server and writes the config', async () => {
  const trace = join(apps, 'trace');
  const launch = tracedEcho(trace);
  await cursorHas({ x: launch });
  await using core = await start({ servers: { x: broken } });
  const { healing } = core.host.core.servers;
  await healing.scan();
  expect(healing.candidates.map(({ server, source }) => [server, source.id])).toEqual([['x', 'cursor']]);
  expect([existsSync(trace), (await written(core))['x']]).toEqual([false, broken]);

  await expect(healing.heal('x')).resolves.toMatchObject({ server: 'x', healed: true });
  expect((await written(core))['x']).toEqual({ ...launch, description: 'Mine' });
  await until(() => core.server('x').state.kind === 'ready');
  const client = await core.open();
  const answer = await client.request('tools/call', { name: 'echo', arguments: { message: 'hi' } });
  expect(JSON.stringify(answer)).toContain('hi');
  expect(healing.candidates).toEqual([]);
});

test('keeps the offered launch while the server is retried with its own', async () => {
  await cursorHas({ x: fixture('echo') });
  await using core = await start({ servers: { x: broken } });
  const { healing } = core.host.core.servers;
  await healing.scan();
  await expect(core.server('x').retry()).rejects.toMatchObject({ code: 'command_not_found' });
  await healing.scan();
  expect(healing.candidates.map(({ server }) => server)).toEqual(['x']);
});

test('stores a secret of another app in the vault, keeps references, and writes no value to a file', async () => {
  const own = 'sk_test_OwnT0kenOfTwentyChars99';
  const theirs = 'sk_test_0therT0kenOfTwentyChars';
  await cursorHas({ x: { ...fixture('echo'), env: { OWN_TOKEN: own, OTHER_TOKEN: theirs } } });
  await using core = await start({ servers: { x: { ...broken, env: { OWN_TOKEN: '${secret:OWN}' } } } });
  const {
    servers: { healing },
    trust: { secrets },
  } = core.host.core;
  await secrets.set('OWN', own);
  await until(
    () => 'error' in core.server('x').state && JSON.stringify(core.server('x').state).includes('command_not_found'),
  );
  await healing.rescan();
  expect(healing.candidates.map(({ endpoint }) => endpoint.includes(own) || endpoint.includes(theirs))).toEqual([
    false,
  ]);
  const [item] = (await core.host.core.trust.inbox.items()).filter(({ kind }) => kind === 'heal');
  const shown = JSON.stringify(item);
  expect([shown.includes(own), shown.includes(theirs), shown.includes('OTHER_TOKEN')]).toEqual([false, false, true]);
  await expect(healing.heal('x')).resolves.toMatchObject({ healed: true });
  expect((await written(core))['x']).toMatchObject({
    env: { OWN_TOKEN: '${secret:OWN}', OTHER_TOKEN: '${secret:OTHER_TOKEN}' },
  });
  const { secrets: rows } = await secrets.list();
  expect(rows.map(({ name, changedAt }) => [name, changedAt !== undefined])).toEqual([
    ['OTHER_TOKEN', true],
    ['OWN', true],
  ]);
});

test('asks separately about a launch with more reach, even if its source is trusted or heal is auto', async () => {
  const launch = { ...fixture('echo'), env: { ROOT: '/srv' } };
  await cursorHas({ x: launch });
  await using core = await start({ heal: 'auto', servers: { x: broken } });
  const { healing } = core.host.core.servers;
  await healing.rescan();
  expect(healing.candidates.map(({ server, reach }) => [server, reach.length])).toEqual([['x', 1]]);
  const [item] = (await core.host.core.trust.inbox.items()).filter(({ kind }) => kind === 'heal');
  expect(item?.meanings[0]).toEqual({ text: healing.candidates[0]?.reach[0], isGrave: true });
  await expect(healing.heal('x')).resolves.toMatchObject({ healed: true });
  expect((await written(core))['x']).toEqual({ ...launch, description: 'Mine' });
});

test('approving a source covers the next server from it, also after a restart', async () => {
  await cursorHas({ x: fixture('echo'), y: fixture('echo', 'y') });
  const home = await mkdtemp(join(tmpdir(), 'tooltray-heal-home-'));
  {
    await using core = await start({ servers: { x: broken } }, home);
    await core.host.core.servers.healing.scan();
    await core.host.core.servers.healing.heal('x');
  }
  await using core = await start({ servers: { x: fixture('echo'), y: broken } }, home);
  await until(() => core.host.core.servers.manager.find('y')?.state.kind === 'ready');
  expect((await written(core))['y']).toEqual({ ...fixture('echo', 'y'), description: 'Mine' });
  await core.host.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

test('asks nobody with heal "auto", and searches nothing with "off"', async () => {
  await cursorHas({ x: fixture('echo') });
  await using auto = await start({ heal: 'auto', servers: { x: broken } });
  await until(() => auto.host.core.servers.manager.find('x')?.state.kind === 'ready');
  await using off = await start({ heal: 'off', servers: { x: broken } });
  await off.host.core.servers.healing.scan();
  expect([off.host.core.servers.healing.candidates, (await written(off))['x']]).toEqual([[], broken]);
});

test('reverts an approved launch that does not work, and offers the next source', async () => {
  await cursorHas({ x: fixture('misbehaving', 'crash-at-start') });
  await mkdir(join(apps, '.codex'));
  const [command, [file]] = [fixture('echo').command, fixture('echo').args];
  await writeFile(
    join(apps, '.codex', 'config.toml'),
    `[mcp_servers.x]\ncommand = ${JSON.stringify(command)}\nargs = [${JSON.stringify(file)}]\n`,
  );
  await using core = await start({ servers: { x: broken } });
  const { healing } = core.host.core.servers;
  await healing.scan();
  const outcome = await healing.heal('x');
  expect([outcome.healed, (await written(core))['x']]).toEqual([false, broken]);
  expect(outcome.sentence).toMatch(/^No alternative launch works for x\. Cursor: .* Codex CLI starts x as /s);
  expect(healing.candidates.map(({ source }) => source.id)).toEqual(['codex']);
});

test('offers a launch for a server that lists no tools or exits at its start, but none if no app has another', async () => {
  await cursorHas({ x: fixture('echo'), dies: fixture('echo') });
  const dies = fixture('misbehaving', 'crash-at-start');
  await using core = await start({ servers: { x: fixture('misbehaving', 'many', '0'), e: fixture('echo'), dies } });
  const offered = (): string[] => core.host.core.servers.healing.candidates.map(({ server }) => server);
  await core.host.core.servers.healing.scan();
  expect(offered()).toContain('x');
  await core.host.core.servers.healing.rescan();
  expect(offered()).toEqual(['x', 'dies']);
});

test('returns the known launch while the server is being retried', async () => {
  await cursorHas({ x: fixture('echo') });
  // Fails at the first attempt with either protocol, and never responds afterwards.
  const script = `const { appendFileSync, statSync } = require('node:fs'); const { TRIED } = process.env;
    appendFileSync(TRIED, '.'); if (statSync(TRIED).size > 2) setInterval(() => undefined, 1000); else process.exitCode = 3;`;
  const stuck = { command: process.execPath, args: ['-e', script], env: { TRIED: join(apps, 'tried') } };
  await using core = await start({ servers: { x: stuck } });
  await until(() => core.server('x').state.kind === 'connecting');
  await core.host.core.servers.healing.rescan();
  expect(core.host.core.servers.healing.candidates.map(({ server }) => server)).toEqual(['x']);
});

test('tells a model about another known launch wherever it asks about a server that does not start', async () => {
  await cursorHas({ x: fixture('echo') });
  await using core = await start({ mode: 'search', servers: { x: broken, e: fixture('echo') } });
  await core.host.core.servers.healing.scan();
  const known = 'Cursor has another launch for it. The user can apply it: tooltray doctor --fix.';
  const client = await core.open();
  const asked = async (name: string, args: object): Promise<string> =>
    JSON.stringify(await client.exchange('tools/call', { name, arguments: args }));
  for (const answer of [
    await asked('x_echo', {}),
    await asked('manage_servers', { action: 'validate', name: 'x' }),
    await asked('manage_servers', { action: 'test', name: 'x' }),
  ]) {
    expect(answer).toContain(known);
  }
  expect(await asked('manage_servers', { action: 'validate', name: 'e' })).not.toContain('another launch');
  await core.host.core.servers.healing.heal('x');
  await until(() => core.server('x').state.kind === 'ready');
  expect(await asked('manage_servers', { action: 'validate' })).not.toContain('another launch');
});

test('returns the known launch for a tool of a server that was listed before and no longer starts', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-heal-home-'));
  const gone = join(home, 'node-link');
  const { command, args } = fixture('echo');
  await symlink(command, gone);
  {
    await using core = await start({ servers: { x: { command: gone, args } } }, home);
    await until(() => core.server('x').state.kind === 'ready');
  }
  await rm(gone);
  await cursorHas({ x: fixture('echo') });
  await using core = await start({ servers: { x: { command: gone, args } } }, home);
  await core.host.core.servers.healing.scan();
  expect(core.host.core.servers.healing.candidates.map(({ server }) => server)).toEqual(['x']);
  const client = await core.open();
  const { line } = await client.exchange('tools/call', { name: 'echo', arguments: { message: 'hi' } });
  expect(line).toContain('The user can apply it: tooltray doctor --fix');
  await core.host.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

test("manage_servers add with only a name proposes another app's launch, and runs nothing before approval", async () => {
  const trace = join(apps, 'trace');
  const launch = tracedEcho(trace);
  const secret = 'sk_test_0therT0kenOfTwentyChars';
  await cursorHas({ y: { ...launch, env: { ...launch.env, Y_TOKEN: secret } } });
  await using core = await start({ mode: 'search', servers: { e: fixture('echo') } });
  const client = await core.open();
  const add = (args: object): Promise<unknown> => client.callTool('manage_servers', { action: 'add', ...args });
  expect(JSON.stringify(await add({ name: 'y', description: 'Mine' }))).toContain(
    "Adding 'y' with the launch from Cursor has been proposed.",
  );
  const [proposal] = await core.host.core.servers.admin.proposals();
  expect(proposal?.sentence).toMatch(/^Add the server "y" with the launch found in Cursor: /);
  expect([existsSync(trace), (await written(core))['y']]).toEqual([false, undefined]);
  await core.host.core.servers.admin.approve(proposal?.id ?? '');
  expect((await written(core))['y']).toEqual({
    ...launch,
    env: { ...launch.env, Y_TOKEN: '${secret:Y_TOKEN}' },
    description: 'Mine',
  });
  await until(() => core.server('y').state.kind === 'ready');
  expect(JSON.stringify(await add({ name: 'nobody-has-it' }))).toContain(
    'No app or bundle on this machine has a server',
  );
});
