/** Damaged records of what the user accepted: everything is held, a copy is kept, and no difference is claimed without a comparison. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture, startCore, type TestConfig, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const config = { servers: { a: fixture('echo') }, reviews: { onChange: 'hold' } };
const damaged = '{"version":1,"serv';
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tooltray-damaged-'));
  await using _core = await startCore(config, { home, ownConfig: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('reports that nothing was compared if the record of accepted definitions is damaged', async () => {
  const folder = join(home, 'data/pins');
  const [name = ''] = await readdir(folder);
  await writeFile(join(folder, name), damaged);
  {
    await using core = await startCore(config, { home, ownConfig: true });
    const [question] = core.host.core.trust.pins.pendingReviews(new Set(['a']));
    expect(question).toMatchObject({ server: 'a', isLost: true, isOtherLaunch: false, isRugPull: false });
    const refusal = await (await core.open()).request('tools/call', { name: 'echo', arguments: { message: 'x' } });
    expect(JSON.stringify(refusal)).not.toMatch(/is new|has changed/);
  }
  expect(await readFile(join(folder, `${name}.corrupt`), 'utf8')).toBe(damaged);
  // The next core has an empty record, and the launch is unchanged.
  await using core = await startCore(config, { home, ownConfig: true });
  expect(core.host.core.trust.pins.pendingReviews(new Set(['a']))).toMatchObject([
    { isOtherLaunch: false, isRugPull: false },
  ]);
});

test('reports that nothing was compared if the accepted config is damaged, until the user approves', async () => {
  const file = join(home, 'data/accepted-config.json');
  await writeFile(file, damaged);
  for (let run = 1; run <= 2; run++) {
    await using core = await startCore(config, { home, ownConfig: true });
    const { pendingEdits, current } = core.host.core.context.config;
    expect(pendingEdits.every(({ lost }) => lost === 'damaged')).toBe(true);
    expect([pendingEdits.length > 0, current.servers.map(({ enabled }) => enabled)]).toEqual([true, [false]]);
  }
  expect(await readFile(`${file}.corrupt`, 'utf8')).toBe(damaged);
  {
    await using core = await startCore(config, { home, ownConfig: true });
    await core.host.core.context.config.approvePending(core.host.core.context.config.pendingEdits);
  }
  await using core = await startCore(
    { ...config, servers: { ...config.servers, b: fixture('echo') } },
    { home, ownConfig: true },
  );
  expect(core.host.core.context.config.pendingEdits).toMatchObject([{ server: 'b' }]);
  expect(core.host.core.context.config.pendingEdits.some(({ lost }) => lost !== undefined)).toBe(false);
});

/** Another program adds a server to the config, and to the record of what the user agreed to. */
async function forge(core: TestCore): Promise<TestConfig> {
  const file = join(core.home, 'data/accepted-config.json');
  const record = JSON.parse(await readFile(file, 'utf8')) as { agreed: { servers: Record<string, unknown> } };
  const evil = fixture('echo');
  await writeFile(
    file,
    JSON.stringify({
      ...record,
      agreed: { ...record.agreed, servers: { ...record.agreed.servers, evil: { entry: evil, enabled: true } } },
    }),
  );
  return { ...config, servers: { ...config.servers, evil } };
}

function running({ host }: TestCore): string[] {
  return host.core.context.config.current.servers.filter(({ enabled }) => enabled).map(({ name }) => name);
}

function lostOf({ host }: TestCore): unknown[] {
  return [...new Set(host.core.context.config.pendingEdits.map(({ lost }) => lost))];
}

test('accepts nothing from a record that another program wrote, until the user approves', async () => {
  const next = await startCore(config, { home, ownConfig: true });
  const forged = await forge(next);
  await next[Symbol.asyncDispose]();
  {
    await using core = await startCore(forged, { home, ownConfig: true });
    expect([running(core), lostOf(core)]).toEqual([[], ['unproven']]);
    const waiting = core.host.core.context.config.pendingEdits;
    await core.host.core.context.config.approvePending(waiting);
    expect(running(core)).toEqual(['a', 'evil']);
  }
  await using core = await startCore(forged, { home, ownConfig: true });
  expect([running(core), lostOf(core)]).toEqual([['a', 'evil'], []]);
});

test('asks again if the record is missing', async () => {
  await rm(join(home, 'data/accepted-config.json'));
  await using core = await startCore(config, { home, ownConfig: true });
  expect([running(core), lostOf(core)]).toEqual([[], ['missing']]);
});

test('accepts nothing while the vault is locked, and what was accepted before once it is unlocked', async () => {
  const locked = await mkdtemp(join(tmpdir(), 'tooltray-locked-'));
  const env = { TOOLTRAY_VAULT_PASSPHRASE: 'open up' };
  try {
    await using _first = await startCore(config, { home: locked, ownConfig: true, env });
    await _first.host.stop();
    const record = join(locked, 'data/accepted-config.json');
    const before = await readFile(record, 'utf8');
    await using core = await startCore(config, { home: locked, ownConfig: true });
    const store = core.host.core.context.config;
    expect([running(core), lostOf(core)]).toEqual([[], ['locked']]);
    await expect(store.approvePending(store.pendingEdits)).rejects.toMatchObject({ code: 'secret_locked' });
    await core.host.core.trust.secrets.unlock('open up');
    await until(() => running(core).length > 0);
    expect([running(core), store.pendingEdits]).toEqual([['a'], []]);
    expect(await readFile(record, 'utf8')).toBe(before);
  } finally {
    await rm(locked, { recursive: true, force: true, maxRetries: 5 });
  }
});
