/** Which of the person's variables servers get: few, by name; those of before all of them until the person has decided. */
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InboxItem } from '../../src-main/core/trust/inbox/inbox-item.ts';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';
import { usedHome } from '../support/used-home.ts';

const env = { PLANTED_API_KEY: 'sk-planted-0001', PLANTED_SETTING: 'on', HTTPS_PROXY: 'http://proxy.test:1' };

/** What the process of a server has, by name. */
async function environmentOf(core: TestCore, server: string): Promise<Readonly<Record<string, string>>> {
  const client = await core.open();
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
  const name = tools
    .map((tool) => tool.name)
    .find((one) => one === 'env' || (one.startsWith(server) && one.endsWith('env')));
  const { content } = (await client.request('tools/call', { name, arguments: {} })) as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? '') as Record<string, string>;
}

test('a new server gets what programs commonly need, its own variables, and what is named for it', async () => {
  const servers = {
    plain: { ...fixture('prober'), env: { OWN: 'mine' } },
    named: { ...fixture('prober'), inheritEnv: ['PLANTED_SETTING', 'NOT_THERE'] },
    all: { ...fixture('prober'), inheritEnv: 'all' },
  };
  await using core = await startCore({ servers }, { env });
  const [plain, named, all] = await Promise.all(['plain', 'named', 'all'].map((one) => environmentOf(core, one)));
  expect(plain).toMatchObject({ OWN: 'mine', HTTPS_PROXY: env.HTTPS_PROXY, PATH: expect.any(String) as string });
  expect(plain).not.toHaveProperty('PLANTED_API_KEY');
  expect(plain).not.toHaveProperty('PLANTED_SETTING');
  expect(named).toMatchObject({ PLANTED_SETTING: 'on' });
  expect(named).not.toHaveProperty('PLANTED_API_KEY');
  expect(named).not.toHaveProperty('NOT_THERE');
  expect(all).toMatchObject({ PLANTED_API_KEY: env.PLANTED_API_KEY });
  expect(await core.host.core.inbox.items()).toEqual([]);
});

test('a server that ends for want of a variable says which one, and how to give it', async () => {
  await using core = await startCore({ servers: { s: fixture('prober', '--needs=PLANTED_API_KEY') } }, { env });
  const { state } = core.server('s');
  expect('error' in state && state.error).toMatchObject({
    code: 'server_exited',
    fix: expect.stringContaining('tooltray env s --give PLANTED_API_KEY') as string,
  });
  expect(JSON.stringify(state)).not.toContain(env.PLANTED_API_KEY);
});

test('servers of before keep all until the person has seen what they would lose; each is decided, and taken back', async () => {
  const home = await usedHome();
  const config: TestConfig = { servers: { old: fixture('prober'), older: fixture('prober') } };
  await using core = await startCore(config, { home, env });
  expect(await environmentOf(core, 'old')).toMatchObject(env);
  const { inbox } = core.host.core;
  // Those of before are asked about a box as well.
  const items = async (): Promise<readonly InboxItem[]> =>
    (await inbox.items()).filter(({ kind }) => kind === 'environment');
  const [item] = (await items()) as [InboxItem];
  expect(item).toMatchObject({ kind: 'environment', server: undefined, isGrave: false });
  expect(item.sentence).toContain('PLANTED_API_KEY');
  expect(JSON.stringify(item)).not.toContain(env.PLANTED_API_KEY);
  expect(item.parts[0]?.lines.map(({ text }) => text)).toContain('PLANTED_SETTING');
  expect(item.actions.find(({ isRisky }) => !isRisky)?.id).toBe('narrow');

  const before = readFileSync(core.configFile, 'utf8');
  const narrowed = await inbox.decide(item.id, { action: 'narrow', by: 'dashboard', parts: item.parts[0]?.keys ?? [] });
  expect(await items()).toEqual([]);
  for (const server of ['old', 'older']) {
    await expect.poll(() => core.server(server).state.kind).toBe('ready');
    expect(await environmentOf(core, server)).not.toHaveProperty('PLANTED_API_KEY');
  }
  await inbox.undo(narrowed.undo ?? '');
  expect(JSON.parse(readFileSync(core.configFile, 'utf8'))).toEqual(JSON.parse(before));
  await expect.poll(() => core.server('old').state.kind).toBe('ready');
  expect(await environmentOf(core, 'old')).toMatchObject(env);

  const [again] = (await items()) as [InboxItem];
  await inbox.decide(again.id, { action: 'keep', by: 'dashboard' });
  expect(await items()).toEqual([]);
  expect(JSON.parse(readFileSync(core.configFile, 'utf8'))).toMatchObject({
    servers: { old: { inheritEnv: 'all' }, older: { inheritEnv: 'all' } },
  });
});

test('after a restart it still counts who was there; a newcomer, and another program under an old name, get little', async () => {
  const home = await usedHome();
  const old = fixture('prober', 'key-in-an-argument');
  await (await startCore({ servers: { old, other: old } }, { home, env }))[Symbol.asyncDispose]();
  const other = { ...old, args: [...old.args, '--needs=PATH'] };
  await using core = await startCore({ servers: { old, other, young: old } }, { home, env });
  expect(await environmentOf(core, 'old')).toMatchObject(env);
  const written = readFileSync(join(home, 'data', 'environments.json'), 'utf8');
  expect(written).toContain('"old"');
  expect(written).not.toContain('key-in-an-argument');
  expect(await environmentOf(core, 'other')).not.toHaveProperty('PLANTED_API_KEY');
  expect(await environmentOf(core, 'young')).not.toHaveProperty('PLANTED_API_KEY');
});

test('a damaged list of who was there gives nobody more', async () => {
  const home = await usedHome();
  await mkdir(join(home, 'data'), { recursive: true });
  writeFileSync(join(home, 'data', 'environments.json'), '{');
  await using core = await startCore({ servers: { old: fixture('prober') } }, { home, env });
  expect(await environmentOf(core, 'old')).not.toHaveProperty('PLANTED_API_KEY');
});
