/**
 * Servers that nobody has accepted: not started, listed, or found, with errors that say why; and the user's decisions
 * on them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigStore } from '../../src-main/core/config/config-store.ts';
import { dispatchRpc } from '../../src-main/rpc/dispatch-rpc.ts';
import type { RpcMethod, ServerReview } from '../../src-main/rpc/contract.ts';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';

type Json = Record<string, unknown>;

const echo = fixture('compat', 'E');
const other = fixture('compat', 'O');
const own = { ownConfig: true };
const patient = { timeout: 30_000 };

const rpc = (core: TestCore, method: RpcMethod, input: Json = {}): Promise<Json> =>
  dispatchRpc(method, input, core.host.rpcDeps, new AbortController().signal);

async function reviews(core: TestCore, server?: string): Promise<readonly ServerReview[]> {
  const { reviews: found } = await rpc(core, 'reviews', server === undefined ? {} : { server });
  return found as ServerReview[];
}

async function decide(core: TestCore, server: string, choice: string): Promise<string> {
  const [one] = await reviews(core, server);
  return String((await rpc(core, 'reviewServer', { server, choice, id: one?.id }))['sentence']);
}

/** Another program writes the file. */
async function edit(core: TestCore, config: TestConfig): Promise<void> {
  await core.write(config);
  await core.host.core.servers.admin.reload();
}

async function inFile(core: TestCore): Promise<Json> {
  return (JSON.parse(await readFile(core.configFile, 'utf8')) as { servers: Json }).servers;
}

const heldOf = (core: TestCore): Record<string, string> =>
  Object.fromEntries(
    core.host.core.servers.manager.all.flatMap(({ config }) =>
      config.held === undefined ? [] : [[config.name, config.held]],
    ),
  );

test('lists a server that another program wrote as in review, shows it verbatim, and starts it once accepted', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  const entry = { ...other, env: { NODE_OPTIONS: '--no-warnings', TOKEN: 's3cret\u200b' } };
  await edit(core, { servers: { a: echo, b: entry } });
  expect(heldOf(core)).toEqual({ b: 'review' });
  expect(core.server('b').state.kind).toBe('disabled');
  const [one, ...none] = await reviews(core);
  expect(none).toEqual([]);
  expect(one).toMatchObject({ server: 'b', status: 'in-review' });
  expect(one?.lines.map(({ text }) => text)).toContain('Variable TOKEN: "s3cret⟨U+200B⟩"');
  expect(one?.meanings.map(({ text }) => text)).toEqual([
    'NODE_OPTIONS can make it run different code.',
    expect.stringContaining('on this computer, with your permissions') as string,
    'Receives TOKEN.',
  ]);
  expect(await decide(core, 'b', 'accept')).toBe('Accepted the server "b".');
  await expect.poll(() => core.server('b').state.kind, patient).toBe('ready');
  expect(await reviews(core)).toEqual([]);
  expect((await rpc(core, 'proposals'))['proposals']).toEqual([]);
});

test('accepting one server accepts no other, and no setting', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  await edit(core, { policy: { agentChanges: 'allow' }, servers: { a: echo, b: other, c: other } });
  await decide(core, 'b', 'accept');
  expect(heldOf(core)).toEqual({ c: 'review' });
  expect(core.host.core.context.config.current.policy.agentChanges).toBe('ask');
});

test('rejects a decision about an entry that changed since it was shown', async () => {
  await using core = await startCore({ servers: {} }, own);
  await edit(core, { servers: { b: echo } });
  const [one] = await reviews(core);
  await edit(core, { servers: { b: { ...echo, env: { X: '1' } } } });
  for (const choice of ['accept', 'refuse', 'block']) {
    const asked = rpc(core, 'reviewServer', { server: 'b', choice, id: one?.id });
    await expect(asked).rejects.toMatchObject({ code: 'config_conflict' });
  }
  expect(heldOf(core)).toEqual({ b: 'review' });
});

test('refusing removes a new entry, and restores the accepted one of a changed server', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  await edit(core, { servers: { a: { ...echo, env: { X: '1' } }, b: other } });
  const [a] = await reviews(core, 'a');
  expect(a).toMatchObject({ status: 'changed' });
  expect(a?.lines.filter(({ change }) => change !== 'same').map(({ text }) => text)).toEqual(['Variable X: "1"']);
  await decide(core, 'a', 'refuse');
  await decide(core, 'b', 'refuse');
  expect(await inFile(core)).toEqual({ a: echo });
  expect(await reviews(core)).toEqual([]);
});

describe('a blocked server', () => {
  test('stays off across restarts and edits of the file, asks no more, and can be accepted later', async () => {
    await using core = await startCore({ servers: { a: echo } }, own);
    await edit(core, { servers: { a: echo, b: other } });
    await decide(core, 'b', 'block');
    expect(heldOf(core)).toEqual({ b: 'blocked' });
    expect((await rpc(core, 'proposals'))['proposals']).toEqual([]);
    await edit(core, { servers: { a: echo } });
    await edit(core, { servers: { a: echo, b: { ...other, description: 'Nice' } } });
    expect(heldOf(core)).toEqual({ b: 'blocked' });
    await core.host.stop();
    await using next = await startCore({ servers: { a: echo, b: other } }, { ...own, home: core.home });
    expect(heldOf(next)).toEqual({ b: 'blocked' });
    await expect(rpc(next, 'setServerEnabled', { server: 'b', enabled: true })).rejects.toMatchObject({
      code: 'not_allowed',
    });
    await decide(next, 'b', 'accept');
    await expect.poll(() => next.server('b').state.kind, patient).toBe('ready');
  });

  test('is stopped if it was accepted before', async () => {
    await using core = await startCore({ servers: { a: echo, b: other } }, own);
    await decide(core, 'b', 'block');
    expect(core.server('b').state.kind).toBe('disabled');
    expect(heldOf(core)).toEqual({ b: 'blocked' });
  });

  test('is reviewed again if it launches something else', async () => {
    await using core = await startCore({ servers: { b: echo } }, own);
    await decide(core, 'b', 'block');
    await edit(core, { servers: { b: other } });
    expect(heldOf(core)).toEqual({ b: 'review' });
  });

  test('is marked in a file that Tooltray does not own', async () => {
    await using core = await startCore({ servers: {} });
    const file = join(core.home, 'team.json');
    await writeFile(file, JSON.stringify({ servers: { a: echo, b: other } }));
    const store = await ConfigStore.open(file, {});
    await store.decideServer('b', 'block', other);
    expect(store.current.servers.map(({ name, held }) => [name, held])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
    expect(store.current.servers.map(({ enabled }) => enabled)).toEqual([true, false]);
    expect((JSON.parse(await readFile(file, 'utf8')) as { servers: Json }).servers['b']).toEqual({
      ...other,
      enabled: false,
      quarantined: true,
    });
  });
});

test("treats MCPProxy's quarantine as a review that only the user's decision ends", async () => {
  await using core = await startCore({ servers: { held: { ...echo, quarantined: true } } });
  expect(await reviews(core)).toMatchObject([{ server: 'held', status: 'in-review' }]);
  await expect(rpc(core, 'setServerEnabled', { server: 'held', enabled: true })).rejects.toMatchObject({
    message: "held needs the user's review.",
  });
  await decide(core, 'held', 'accept');
  await expect.poll(() => core.server('held').state.kind, patient).toBe('ready');
  expect(await inFile(core)).toEqual({ held: { ...echo, quarantined: false } });
});

test('writes a pinned version into the config on request, without another review', async () => {
  const npx = { command: 'npx', args: ['-y', 'some-server@latest', '--flag'], enabled: false };
  await using core = await startCore({ servers: { floats: npx, fixed: echo } }, own);
  await expect(rpc(core, 'lockVersion', { server: 'fixed' })).rejects.toThrow(/does not use a package/);
  await expect(rpc(core, 'lockVersion', { server: 'floats' })).rejects.toThrow(/No installed version of some-server/);
  await expect(rpc(core, 'lockVersion', { server: 'floats', version: 'next' })).rejects.toThrow(
    /is not an exact version\./,
  );
  expect(await rpc(core, 'lockVersion', { server: 'floats', version: '1.2.3' })).toEqual({
    server: 'floats',
    package: 'some-server',
    version: '1.2.3',
  });
  expect((await inFile(core))['floats']).toEqual({ ...npx, args: ['-y', 'some-server@1.2.3', '--flag'] });
  expect(await reviews(core)).toEqual([]);
});

test('lists a review in the inbox, where its decision can be undone', async () => {
  await using core = await startCore({ servers: { held: { ...echo, quarantined: true } } });
  const { inbox } = core.host.core.trust;
  const [item] = await inbox.items();
  expect(item).toMatchObject({
    kind: 'review',
    server: 'held',
    actions: [{ id: 'refuse' }, {}, { id: 'look' }, { isRisky: true }],
  });
  await inbox.decide(item?.id ?? '', { action: 'refuse', by: 'test' });
  expect(await inFile(core)).toEqual({});
  const [refused] = await inbox.decided();
  await inbox.undo(refused?.id ?? '');
  expect(await inFile(core)).toEqual({ held: { ...echo, quarantined: true } });
  await inbox.decide((await inbox.items())[0]?.id ?? '', { action: 'accept', by: 'test' });
  await expect.poll(() => core.server('held').state.kind, patient).toBe('ready');
  await inbox.undo((await inbox.decided())[0]?.id ?? '');
  expect(heldOf(core)).toEqual({ held: 'review' });
});

test('accepts what the user writes through Tooltray', async () => {
  await using core = await startCore({ servers: {} }, own);
  await core.host.core.servers.edits.save('mine', echo, false);
  await core.host.core.servers.edits.addAll([{ name: 'more', entry: other }]);
  expect(heldOf(core)).toEqual({});
  expect(await reviews(core, 'mine')).toMatchObject([{ status: 'accepted' }]);
});

test('records decisions in the activity', async () => {
  await using core = await startCore({ servers: { a: echo } }, own);
  await edit(core, { servers: { a: echo, b: other } });
  await decide(core, 'b', 'block');
  const { calls } = (await rpc(core, 'activity', { text: 'Blocked' })) as { calls: Json[] };
  expect(JSON.stringify(calls)).toContain('Blocked the server');
});
