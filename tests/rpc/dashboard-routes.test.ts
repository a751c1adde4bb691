/** The dashboard's routes over real HTTP: authorization, state messages, and rejections. */
import { expect, onTestFinished, test } from 'vitest';
import { fixture, startCore, type TestCore } from '../support/start-core.ts';
import { ask, entry, listen, send } from './dashboard-client.ts';
import { until } from '../support/until.ts';

async function running(servers: Record<string, object> = { echo: fixture('echo') }): Promise<TestCore> {
  const core = await startCore({ servers }, { askToken: true });
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

test('sends the whole state first, then only changes', async () => {
  const core = await running();
  const told = listen(core);
  await until(() => told.length > 0);
  const first = Object.keys(told[0]?.change ?? {}).toSorted();
  await ask(core, 'setMode', { mode: 'search' });
  await until(() => told.some(({ change }) => change.modes?.mode === 'search'));
  const later = told.find(({ change }) => change.modes?.mode === 'search');
  expect(first).toEqual([
    ...['access', 'activity', 'attention', 'core', 'dataFlow', 'inbox', 'modes', 'profiles', 'savings', 'servers'],
    ...['sessions', 'settings', 'setup', 'spills', 'team', 'timeline'],
  ]);
  expect(later?.change).not.toHaveProperty('core');
});

test('sends only changes to a reconnect with the last ID', async () => {
  const core = await running();
  const told = listen(core);
  await until(() => told.length > 0);
  const again = listen(core, told.at(-1)?.id);
  await until(() => again.length > 0);
  expect(Object.keys(again[0]?.change ?? {})).not.toContain('core');
});

test('sends the same changes to two dashboards', async () => {
  const core = await running();
  const [one, two] = [listen(core), listen(core)];
  await until(() => one.length > 0 && two.length > 0);
  await ask(core, 'setPaused', { paused: true });
  const isNotified = (told: typeof one): boolean => told.some(({ change }) => change.core?.paused === true);
  await until(() => isNotified(one) && isNotified(two));
  expect([isNotified(one), isNotified(two)]).toEqual([true, true]);
});

test('merges a burst of calls into few and small messages', async () => {
  const core = await running();
  const client = await core.open();
  const told = listen(core);
  await until(() => told.length > 0);
  const before = told.length;
  const begun = performance.now();
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 100 }, () => client.callTool('echo', { message: 'x' })));
  }
  await until(() => (told.at(-1)?.change.activity?.lastId ?? 0) >= 2000);
  const messages = told.length - before;
  // With the time until the last one: on a slow computer more is sent.
  const seconds = (performance.now() - begun) / 1000;
  expect(messages).toBeLessThanOrEqual(Math.ceil((seconds + 3) * 5));
  expect(told.slice(before).reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(messages * 40_000);
});

const attacks: readonly [string, (core: TestCore) => Promise<{ status: number; body: string }>, number][] = [
  ['no key', (core) => send(core, 'POST', '/rpc/state', { 'content-type': 'application/json' }, '{}'), 401],
  ['a wrong key', (core) => send(core, 'POST', '/rpc/state', { ...entry(core), authorization: 'Bearer x' }, '{}'), 401],
  [
    'the token of client apps in place of the key',
    (core) =>
      send(
        core,
        'POST',
        '/rpc/state',
        { ...entry(core), authorization: `Bearer ${core.host.core.clients.token}` },
        '{}',
      ),
    401,
  ],
  ['a foreign Host', (core) => send(core, 'POST', '/rpc/state', { ...entry(core), host: 'evil.example' }, '{}'), 403],
  [
    'a name that was made to point here',
    (core) => send(core, 'GET', '/rpc/events', { ...entry(core), host: '127.0.0.1.evil.example' }),
    403,
  ],
  [
    'a foreign Origin',
    (core) => send(core, 'POST', '/rpc/state', { ...entry(core), origin: 'https://evil.example' }, '{}'),
    403,
  ],
  [
    'a page of another program on this machine',
    (core) => send(core, 'POST', '/rpc/state', { ...entry(core), origin: 'http://127.0.0.1:1' }, '{}'),
    403,
  ],
  [
    'another site, as the browser says',
    (core) => send(core, 'POST', '/rpc/state', { ...entry(core), 'sec-fetch-site': 'same-site' }, '{}'),
    403,
  ],
  [
    'a form',
    (core) =>
      send(core, 'POST', '/rpc/stop', { ...entry(core), 'content-type': 'application/x-www-form-urlencoded' }, 'a=b'),
    400,
  ],
  ['a question that is asked with GET', (core) => send(core, 'GET', '/rpc/stop', entry(core)), 405],
  ['a question there is not', (core) => send(core, 'POST', '/rpc/nothing', entry(core), '{}'), 404],
  [
    'a name of the object everything comes from',
    (core) => send(core, 'POST', '/rpc/__proto__', entry(core), '{}'),
    404,
  ],
  ['constructor', (core) => send(core, 'POST', '/rpc/constructor', entry(core), '{}'), 404],
  ['input that is no JSON', (core) => send(core, 'POST', '/rpc/state', entry(core), '{'), 400],
  ['input of the wrong kind', (core) => send(core, 'POST', '/rpc/setPaused', entry(core), '{"paused":"yes"}'), 400],
  [
    'keys of the prototype',
    (core) => send(core, 'POST', '/rpc/setSettings', entry(core), '{"results":{"__proto__":{"toon":true},"x":1}}'),
    400,
  ],
  ['too much', (core) => send(core, 'POST', '/rpc/state', entry(core), `"${'x'.repeat(1_100_000)}"`), 413],
  ['a spill there is not', (core) => send(core, 'GET', '/rpc/spill/..%2f..%2ftoken', entry(core)), 404],
  ['a file outside of the page', (core) => send(core, 'GET', '/..%2f..%2fconfig.json'), 404],
];

test('rejects unauthorized requests with the right status', async () => {
  const core = await running();
  const seen: Record<string, number> = {};
  for (const [name, attack] of attacks) seen[name] = (await attack(core)).status;
  expect(seen).toEqual(Object.fromEntries(attacks.map(([name, , status]) => [name, status])));
  expect(core.host.core.servers.manager.paused).toBe(false);
});

test('the page key opens no MCP endpoint', async () => {
  const core = await running();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect((await send(core, 'POST', '/mcp', entry(core), body)).status).toBe(401);
});

test('builds nothing while no dashboard watches', async () => {
  const core = await running();
  expect(core.host.dashboard?.publisher.watchers).toBe(0);
});
