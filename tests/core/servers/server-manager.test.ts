/** ServerManager starts servers in parallel and independently, and replaces them when the config changes. */
import { expect, onTestFinished, test } from 'vitest';
import type { ServerConfig } from '../../../src-main/core/config/server-config.ts';
import { ServerManager } from '../../../src-main/core/servers/server-manager.ts';
import { StartLimiter } from '../../../src-main/core/servers/connection-opener.ts';
import { failure, isAlive, say, serversHarness } from './servers-harness.ts';
import { until } from '../../support/until.ts';

const stateOf = (manager: ServerManager, name: string): string => manager.get(name).state.kind;
const pidOf = async (manager: ServerManager, name: string): Promise<number> =>
  Number(await say(manager.get(name), 'pid'));

test('starts all servers in parallel, limited by the number of slots', async () => {
  let running = 0;
  let most = 0;
  const slots = new StartLimiter(10);
  const counted = {
    run: <T>(task: () => Promise<T>): Promise<T> =>
      slots.run(async () => {
        most = Math.max(most, ++running);
        try {
          return await task();
        } finally {
          running--;
        }
      }),
  } as StartLimiter;
  const harness = serversHarness({ slots: counted });
  const manager = harness.manager();
  const configs = Array.from({ length: 14 }, (_, index) => harness.fixture(`s${index}`, 'echo'));
  await manager.apply(configs);
  expect([most, new Set(manager.all.map(({ state }) => state.kind))]).toEqual([10, new Set(['ready'])]);
  expect(manager.all.map(({ config }) => config.name)).toEqual(configs.map(({ name }) => name));
});

test('starts and calls a server without delay beside servers that hang, fail, flood or crash', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const bad = (name: string, ...mode: string[]): ServerConfig =>
    harness.fixture(name, 'misbehaving', mode, { initTimeoutMs: 20_000 });
  const applied = manager.apply([
    bad('hanging', 'silent'),
    bad('crashing', 'crash-at-start'),
    bad('garbage', 'garbage'),
    bad('flooding', 'flood-stderr', '16'),
    bad('noisy', 'noisy'),
    harness.fixture('missing', 'no-such-fixture'),
    harness.scripted('good'),
  ]);
  await until(() => manager.find('good') !== undefined);
  expect(await say(manager.get('good'), 'echo', { message: 'prompt' })).toBe('prompt');
  expect(stateOf(manager, 'hanging')).toBe('connecting');
  await until(() => ['crashing', 'garbage', 'missing'].every((name) => manager.get(name).health.level === 'error'));
  expect(await say(manager.get('flooding'), 'echo', { message: 'flood' })).toBe('flood');
  expect(await say(manager.get('noisy'), 'echo', { message: 'noise' })).toBe('noise');
  const crashed = failure(say(manager.get('crashing'), 'echo'));
  expect(await say(manager.get('good'), 'echo', { message: 'still' })).toBe('still');
  expect((await crashed).message).toMatch(/^crashing/);
  await manager.stop();
  await applied;
});

test('does not delay a call while ten other servers hang', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const hanging = Array.from({ length: 10 }, (_, index) => harness.fixture(`h${index}`, 'misbehaving', ['silent']));
  const applied = manager.apply([...hanging, harness.scripted('good')]);
  await until(() => hanging.every(({ name }) => harness.pids(name).length === 1));
  expect(await say(manager.get('good'), 'echo', { message: 'prompt' })).toBe('prompt');
  await manager.stop();
  await applied;
});

test('keeps unchanged servers, replaces changed ones and ends removed ones in a new config', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const changing = (env: string): ServerConfig => harness.scripted('changing', {}, { env: { MARK: env } });
  await manager.apply([harness.scripted('same'), changing('1'), harness.scripted('gone')]);
  const before = await Promise.all(['same', 'changing', 'gone'].map((name) => pidOf(manager, name)));
  await manager.apply([changing('2'), harness.scripted('same'), harness.scripted('new')]);
  const after = await Promise.all(['same', 'changing', 'new'].map((name) => pidOf(manager, name)));
  expect(after[0]).toBe(before[0]);
  expect([...before, ...after].map(isAlive)).toEqual([true, false, false, true, true, true]);
  expect(manager.all.map(({ config }) => config.name)).toEqual(['changing', 'same', 'new']);
  expect(await failure(Promise.resolve().then(() => manager.get('gone')))).toMatchObject({
    code: 'server_not_found',
    fix: 'There are: changing, same, new.',
  });
});

test('starts a replaced server after its predecessor has ended', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const entry = (mark: string): ServerConfig => harness.scripted('s', { lingersMs: 300 }, { env: { MARK: mark } });
  await manager.apply([entry('1')]);
  const first = await pidOf(manager, 's');
  const applied = manager.apply([entry('2')]);
  await until(() => harness.pids('s').length === 2);
  expect(isAlive(first)).toBe(false);
  await applied;
});

test('starts a renamed server after it has ended under its old name', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const old = harness.scripted('old', { lingersMs: 300 });
  await manager.apply([old]);
  const first = await pidOf(manager, 'old');
  const applied = manager.apply([{ ...old, name: 'renamed', hash: 'another' }]);
  await until(() => harness.pids('old').length === 2);
  expect(isAlive(first)).toBe(false);
  await applied;
});

test('ends removed, disabled and replaced servers before it starts any', async () => {
  const order: string[] = [];
  const harness = serversHarness();
  const { createTransport } = harness.deps;
  const manager = new ServerManager({
    ...harness.deps,
    createTransport: (config) => {
      order.push(`start ${config.name}`);
      return createTransport(config);
    },
  });
  onTestFinished(() => manager.stop());
  const entry = (name: string, limits = {}): ServerConfig => harness.scripted(name, {}, limits);
  const mark = { env: { MARK: '2' } };
  await manager.apply([entry('updated'), entry('off'), entry('on', { enabled: false }), entry('removed')]);
  order.length = 0;
  for (const server of manager.all) {
    server.changed.on(() => {
      if (['disconnected', 'disabled'].includes(server.state.kind)) order.push(`end ${server.config.name}`);
    });
  }
  const after = [entry('added'), entry('on'), entry('updated', mark), entry('off', { enabled: false })];
  await manager.apply(after);
  expect(order.slice(0, 3)).toEqual(['end removed', 'end off', 'end updated']);
  expect(order.slice(3).sort()).toEqual(['start added', 'start on', 'start updated']);
});

test('ends a disabled server, and starts another process once it is enabled again', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  await manager.apply([harness.scripted('s')]);
  const first = await pidOf(manager, 's');
  await manager.apply([harness.scripted('s', {}, { enabled: false })]);
  expect([stateOf(manager, 's'), isAlive(first)]).toEqual(['disabled', false]);
  await manager.apply([harness.scripted('s')]);
  expect([stateOf(manager, 's'), (await pidOf(manager, 's')) === first]).toEqual(['ready', false]);
});

test('ends with the last of several configs applied at the same time', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const entry = (mark: string): ServerConfig => harness.scripted('s', {}, { env: { MARK: mark } });
  await Promise.all([
    manager.apply([entry('1'), harness.scripted('gone')]),
    manager.apply([entry('2')]),
    manager.apply([]),
    manager.apply([entry('3'), harness.scripted('kept')]),
  ]);
  expect(
    manager.all.map(({ config, state }) => [config.name, config.kind === 'stdio' && config.env['MARK'], state.kind]),
  ).toEqual([
    ['s', '3', 'ready'],
    ['kept', undefined, 'ready'],
  ]);
  const started = ['s', 'gone', 'kept'].flatMap((name) => harness.pids(name));
  expect(started.filter(isAlive)).toHaveLength(2);
});

test('reports a changed order of servers', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const [a, b] = [harness.scripted('a', {}, { enabled: false }), harness.scripted('b', {}, { enabled: false })];
  await manager.apply([a, b]);
  let told = 0;
  manager.listingChanged.on(() => told++);
  await manager.apply([a, b]);
  expect(told).toBe(0);
  await manager.apply([b, a]);
  expect(told).toBe(1);
});

test('ends every process at stop and starts none afterwards', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const applied = manager.apply([
    harness.scripted('ready'),
    harness.fixture('hanging', 'misbehaving', ['silent']),
    harness.fixture('crashing', 'misbehaving', ['crash-at-start']),
  ]);
  await until(() => manager.find('ready')?.state.kind === 'ready' && stateOf(manager, 'crashing') === 'error');
  await manager.stop();
  await applied;
  const names = ['ready', 'hanging', 'crashing'];
  const started = names.map((name) => harness.pids(name).length);
  expect(names.flatMap((name) => harness.pids(name)).filter(isAlive)).toEqual([]);
  // Longer than the first retry delay of the crashed one.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect([names.map((name) => harness.pids(name).length), harness.registry.size]).toEqual([started, 0]);
});

test('starts nothing if it is stopped while a config is applied', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  const applying = manager.apply([harness.scripted('a'), harness.scripted('b')]);
  await manager.stop();
  await applying;
  expect([...harness.pids('a'), ...harness.pids('b')]).toEqual([]);
});

test('starts nothing for a config applied after it was stopped', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  await manager.apply([harness.scripted('a')]);
  await manager.stop();
  await manager.apply([harness.scripted('a'), harness.scripted('b')]);
  await manager.setPaused(true);
  await manager.setPaused(false);
  expect([harness.pids('b'), harness.pids('a').filter(isAlive), harness.registry.size]).toEqual([[], [], 0]);
});

test('leaves no process that starts after the process registry is closed', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  harness.registry.close();
  await manager.apply([harness.scripted('late')]);
  expect([stateOf(manager, 'late'), harness.pids('late').filter(isAlive), harness.registry.size]).toEqual([
    'error',
    [],
    0,
  ]);
});

test('ends every process and rejects calls while paused, and starts them again afterwards', async () => {
  const harness = serversHarness();
  const manager = harness.manager();
  await manager.apply([harness.fixture('echo', 'echo')]);
  const server = manager.get('echo');
  await manager.setPaused(true);
  const { summary } = server.health;
  const refused = await failure(say(server, 'pid'));
  const processes = harness.registry.size;
  await manager.setPaused(false);
  await until(() => server.state.kind === 'ready');
  expect({ summary, refused, processes }).toMatchObject({
    summary: 'Paused',
    refused: { code: 'paused' },
    processes: 0,
  });
});
