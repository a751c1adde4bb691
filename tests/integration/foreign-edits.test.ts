/** Edits of the config file by other programs: removals apply at once, and what would launch or allow something is held. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveAppPaths } from '../../src-main/core/base/app-paths.ts';
import { openConfig } from '../../src-main/host/open-config.ts';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import type { ProposalSummary } from '../../src-main/rpc/contract.ts';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';

type Json = Record<string, unknown>;

const echo = fixture('compat', 'E');
const other = fixture('compat', 'O');
const own = { ownConfig: true };

const rpc = (
  core: TestCore,
  method: 'proposals' | 'approve' | 'reject' | 'setServerEnabled',
  input: Json = {},
): Promise<Json> => dispatchRpc(method, input, core.host.rpcDeps, new AbortController().signal);

const waiting = async (core: TestCore): Promise<ProposalSummary[]> =>
  (await rpc(core, 'proposals'))['proposals'] as ProposalSummary[];

const running = (core: TestCore): string[] =>
  core.host.core.servers.manager.all.flatMap(({ config, state }) => (state.kind === 'disabled' ? [] : config.name));

/** Writes the file, and waits until it was read. */
async function edit(core: TestCore, config: TestConfig): Promise<void> {
  await core.write(config);
  await core.host.core.servers.admin.reload();
}

async function inFile(core: TestCore): Promise<TestConfig> {
  return JSON.parse(await readFile(core.configFile, 'utf8')) as TestConfig;
}

test('another program cannot change the profiles, or which app has which', async () => {
  const held = { profiles: { calm: { servers: ['a'] } }, appProfiles: { cursor: 'calm' } };
  await using core = await startCore({ servers: { a: echo, b: other }, ...held }, own);
  await edit(core, { servers: { a: echo, b: other }, profiles: { calm: {} } });
  expect(core.host.core.context.config.current).toMatchObject(held);
  expect(await waiting(core)).toHaveLength(1);
});

test('accepts the first config of a home, and starts a server of a later edit once the user approves', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  expect(running(core)).toEqual(['a']);
  let told = 0;
  core.host.core.servers.admin.proposalsChanged.on(() => told++);
  await edit(core, { servers: { a: echo, evil: other } });
  expect(running(core)).toEqual(['a']);
  expect(told).toBe(1);
  const [asked, ...none] = await waiting(core);
  expect(none).toEqual([]);
  expect(asked).toMatchObject({
    origin: 'file',
    app: '',
    risky: true,
    sentence:
      'The config file was changed outside of Tooltray: the new server "evil". Not in use until you approve it.',
    changes: [{ kind: 'file', server: 'evil', entry: other }],
  });
  const [problem] = core.host.core.context.config.problems;
  expect(problem).toMatchObject({ severity: 'warning', server: 'evil', path: 'servers.evil' });
  expect(problem?.suggestion).toBe(`Approve it: tooltray inbox approve ${asked?.id}.`);
  await rpc(core, 'approve', { id: asked?.id });
  await expect.poll(() => running(core), { timeout: 30_000 }).toEqual(['a', 'evil']);
  expect(await waiting(core)).toEqual([]);
});

test('commands that only look accept nothing: what a home says counts from its first start, and later edits are held', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tooltray-looked-'));
  try {
    const paths = resolveAppPaths({ TOOLTRAY_HOME: home }, process.platform, homedir());
    await writeFile(paths.configFile, JSON.stringify({ servers: { a: echo } }));
    const looked = await openConfig(paths.configFile, false, {}, paths);
    expect([looked.current.servers.length, looked.pendingEdits]).toEqual([1, []]);
    expect(await readdir(home)).toEqual([basename(paths.configFile)]);
    await using core = await startCore({ servers: { a: echo, b: other } }, { ...own, home });
    expect([running(core), await waiting(core)]).toEqual([['a', 'b'], []]);
    await edit(core, { servers: { a: echo, b: other, evil: other } });
    expect(running(core)).toEqual(['a', 'b']);
    // Reading a home that has a record approves nothing either.
    const again = await openConfig(paths.configFile, false, {}, paths);
    expect(again.pendingEdits).toMatchObject([{ kind: 'entry', server: 'evil' }]);
    expect(await waiting(core)).toHaveLength(1);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('keeps the accepted launch running after a changed one, shows the lines, and rejecting restores it', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  const before = core.server('a');
  await edit(core, { servers: { a: { ...echo, args: [...echo.args, '--all'], env: { LD_PRELOAD: '/tmp/x' } } } });
  expect(core.server('a')).toBe(before);
  const [asked] = await waiting(core);
  const lines = asked?.changes[0]?.lines.filter((line) => line.change !== 'same').map(({ text }) => text);
  expect(lines).toEqual([`Argument ${echo.args.length + 1}: "--all"`, 'Variable LD_PRELOAD: "/tmp/x"']);
  await core.host.stop();
  await using next = await startCore(await inFile(core), { ...own, home: core.home });
  expect(next.server('a').config).toMatchObject({ args: echo.args, env: {} });
  await rpc(next, 'reject', { id: (await waiting(next))[0]?.id });
  expect((await inFile(next)).servers).toEqual({ a: echo });
  expect(await waiting(next)).toEqual([]);
});

test('applies a removal at once, and asks before another edit brings the server back', async () => {
  await using core = await startCore({ servers: { a: echo, b: other } }, own);
  await edit(core, { servers: { a: { ...echo, enabled: false } } });
  expect(running(core)).toEqual([]);
  expect(await waiting(core)).toEqual([]);
  await edit(core, { servers: { a: echo, b: other } });
  expect(running(core)).toEqual([]);
  expect((await waiting(core))[0]?.sentence).toContain('the server "a" and the new server "b"');
});

test('applies an edit that launches and allows nothing without asking', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  await edit(core, { mode: 'search', servers: { a: { ...echo, description: 'Mine', disabledTools: ['echo_tool'] } } });
  expect(core.host.core.context.config.current).toMatchObject({ mode: 'search' });
  expect(core.server('a').config.name).toBe('a');
  expect(await waiting(core)).toEqual([]);
  await edit(core, { mode: 'search', servers: { a: { ...echo, description: 'Mine' } } });
  expect((await waiting(core))[0]?.changes[0]?.lines).toContainEqual(
    expect.objectContaining({ what: 'Tool disabled 1', change: 'gone' }),
  );
});

test.each([
  ['policy', { policy: { agentChanges: 'allow' } }],
  ['heal', { heal: 'auto' }],
  ['trustEdits', { trustEdits: true }],
  ['results.folders', { results: { folders: ['/etc'] } }],
])('holds an edit of %s, and reverts it when rejected', async (key, setting) => {
  await using core = await startCore({ servers: { a: echo } }, own);
  const { current } = core.host.core.context.config;
  await edit(core, { ...setting, servers: { a: echo } });
  expect(core.host.core.context.config.current).toEqual(current);
  const [asked] = await waiting(core);
  expect(asked?.changes).toMatchObject([
    { kind: 'file', server: '', sentence: expect.stringContaining(key) as string },
  ]);
  await rpc(core, 'reject', { id: asked?.id });
  expect(core.host.core.context.config.current).toEqual(current);
  expect(await waiting(core)).toEqual([]);
});

test('applies a stricter policy at once, whoever wrote it', async () => {
  await using core = await startCore({ policy: { agentChanges: 'allow' }, servers: {} }, own);
  await edit(core, { policy: { agentChanges: 'ask' }, servers: {} });
  expect(core.host.core.context.config.current.policy.agentChanges).toBe('ask');
  expect(await waiting(core)).toEqual([]);
});

test('accepts every edit once trustEdits is approved', async () => {
  await using core = await startCore({ trustEdits: true, servers: { a: echo } }, own);
  await edit(core, { trustEdits: true, servers: { a: echo, b: other } });
  expect(running(core)).toEqual(['a', 'b']);
});

test('accepts a file named by --config, and edits to it', async () => {
  await using core = await startCore({ servers: { a: echo } });
  await edit(core, { policy: { agentChanges: 'allow' }, servers: { a: echo, b: other } });
  expect(running(core)).toEqual(['a', 'b']);
});

describe('an edit made through Tooltray', () => {
  test('accepts only what it changes, and nothing else that is in the file by then', async () => {
    await using core = await startCore({ servers: { a: echo } }, own);
    await edit(core, { servers: { a: echo, evil: other } });
    await core.host.core.servers.edits.save('mine', other, false);
    expect(running(core)).toEqual(['a', 'mine']);
    await rpc(core, 'setServerEnabled', { server: 'a', enabled: false });
    expect(running(core)).toEqual(['mine']);
    expect((await waiting(core))[0]?.changes.map(({ server }) => server)).toEqual(['evil']);
  });

  test('is rejected if a model changes an entry that is pending', async () => {
    await using core = await startCore({ servers: { a: echo } }, own);
    await edit(core, { servers: { a: { ...echo, env: { X: '1' } } } });
    const author = { app: 'codex', sessionId: 's', tool: 'manage_servers' };
    await expect(core.host.core.servers.admin.request({ kind: 'remove', server: 'a' }, author)).rejects.toMatchObject({
      code: 'config_conflict',
    });
  });
});

test('rejects an approval of content that changed since it was shown', async () => {
  await using core = await startCore({ servers: {} }, own);
  await edit(core, { servers: { a: echo } });
  const [asked] = await waiting(core);
  await edit(core, { servers: { a: other } });
  await expect(rpc(core, 'approve', { id: asked?.id })).rejects.toMatchObject({ code: 'not_found' });
  expect(running(core)).toEqual([]);
});

test('an unreadable file revokes nothing that was accepted', async () => {
  // A setting that an emptied file would tighten is held when it comes back.
  const reviews = { onChange: 'hold' };
  await using core = await startCore({ servers: { a: echo }, reviews }, own);
  for (const broken of ['{ "servers": ', '{ "servers": 5 }', '', '{ "servers": { "a": { "command": 5 } } }']) {
    await writeFile(core.configFile, broken);
    await core.host.core.servers.admin.reload();
    expect([broken, running(core)]).toEqual([broken, ['a']]);
    expect(await waiting(core)).toEqual([]);
  }
  await edit(core, { servers: { a: echo }, reviews });
  expect([running(core), await waiting(core)]).toEqual([['a'], []]);
});

test('treats names that every object has like other server names', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  await edit(core, { servers: { a: echo, constructor: other, toString: other } });
  expect(running(core)).toEqual(['a']);
  await rpc(core, 'approve', { id: (await waiting(core))[0]?.id });
  await expect.poll(() => running(core), { timeout: 30_000 }).toEqual(['a', 'constructor', 'toString']);
});

test('accepts nothing from a damaged record', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  await core.host.stop();
  await writeFile(join(core.home, 'data', 'accepted-config.json'), '{');
  await using next = await startCore({ servers: { a: echo } }, { ...own, home: core.home });
  expect(running(next)).toEqual([]);
  await rpc(next, 'approve', { id: (await waiting(next))[0]?.id });
  await expect.poll(() => running(next), { timeout: 30_000 }).toEqual(['a']);
  await rm(core.home, { recursive: true, force: true, maxRetries: 5 });
});
