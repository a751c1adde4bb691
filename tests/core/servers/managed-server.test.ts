/** The lifecycle of one server: start, wake, sleep and the end of calls. */
import { expect, test } from 'vitest';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import {
  containing,
  matching,
  contextOf,
  failure,
  isAlive,
  say,
  serversHarness,
  textOf,
  toolNames,
} from './servers-harness.ts';
import { until } from '../../support/until.ts';

function statesOf(server: ManagedServer): string[] {
  const states: string[] = [];
  server.changed.on(() => states.push(server.state.kind));
  return states;
}

test('starts once, reads its tools and is ready', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  const states = statesOf(server);
  await Promise.all([server.start(), server.start(), say(server, 'echo', { message: 'hi' })]);
  await server.ready();
  expect(states.slice(0, 3)).toEqual(['connecting', 'discovering', 'ready']);
  expect([harness.pids('s').length, toolNames(server)[0]]).toEqual([1, 'echo']);
  expect(server.health).toMatchObject({ level: 'ok', summary: 'Ready' });
});

test('does not start a disabled server, and reports that to its callers', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', {}, { enabled: false }));
  await server.start();
  const error = await failure(say(server, 'echo'));
  expect(error).toMatchObject({
    code: 'server_disabled',
    message: 's is disabled.',
    fix: containing('enable s'),
  });
  expect([server.state.kind, await failure(server.retry()).then(({ message }) => message)]).toEqual([
    'disabled',
    's is disabled.',
  ]);
  expect(harness.pids('s')).toEqual([]);
});

test('starts a lazy server without a cached listing, and one with a listing at its first call', async () => {
  const harness = serversHarness();
  const config = harness.scripted('s', {}, { lazy: true });
  const first = harness.server(config);
  await first.restore();
  await first.start();
  expect([first.state.kind, harness.pids('s').length]).toEqual(['ready', 1]);
  await first.stop();

  const second = harness.server(config);
  await second.restore();
  await second.start();
  expect([second.state.kind, harness.pids('s').length, toolNames(second)[0]]).toEqual(['disconnected', 1, 'echo']);
  expect(second.health).toMatchObject({ summary: 'Idle', detail: 'Starts on the first call.' });
  await second.setLogLevel('debug', contextOf('anna'));
  expect(harness.pids('s')).toHaveLength(1);
  expect(await say(second, 'echo', { message: 'awake' })).toBe('awake');
  expect(harness.pids('s')).toHaveLength(2);
});

test('lists the tools of a warm cache before the process responds', async () => {
  const harness = serversHarness();
  const config = harness.scripted('s', { tools: ['extra'] });
  const first = harness.server(config);
  await first.ready();
  await first.stop();
  const second = harness.server(config);
  await second.restore();
  expect([second.state.kind, toolNames(second).at(-1), second.handshake?.serverInfo]).toEqual([
    'disconnected',
    'extra',
    { name: 'scripted' },
  ]);
  const starting = second.start();
  expect(toolNames(second)).toContain('extra');
  await starting;
  expect(harness.heard('s').filter(({ method }) => method === 'server/discover')).toHaveLength(1);
});

test('reports a start timeout with the server name and the next retry', async () => {
  const harness = serversHarness();
  const server = harness.server(
    harness.scripted('s', { silentTo: ['server/discover', 'initialize'] }, { initTimeoutMs: 400 }),
  );
  await server.start();
  expect(server.state).toMatchObject({
    kind: 'error',
    failures: 1,
    error: { code: 'server_timeout', data: { server: 's' } },
  });
  expect(server.health).toMatchObject({
    level: 'error',
    detail: matching(/^No response.*Next try in 1 s\.$/),
  });
  expect(harness.pids('s').filter(isAlive)).toEqual([]);
});

test.each([
  ['a command that is not there', { command: '/no/such/command' }, 'command_not_found'],
  ['a folder that is not there', { cwd: '/no/such/folder' }, 'config_invalid'],
])('reports %s with the server name', async (_what, change, code) => {
  const harness = serversHarness();
  const server = harness.server({ ...harness.scripted('s'), ...change });
  await server.start();
  expect(server.state).toMatchObject({
    kind: 'error',
    error: { code, message: containing('s did not start') },
  });
});

test('reports a server that exits right after its handshake to every waiting caller', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('s', 'misbehaving', ['exit-after-initialize']));
  expect(await failure(server.ready())).toMatchObject({
    code: 'server_exited',
    message: containing('code 4'),
  });
  expect(await failure(server.retry())).toMatchObject({ code: 'server_exited' });
});

test('increases the retry delays, and an explicit retry resets them', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('s', 'misbehaving', ['crash-at-start']));
  const failures: number[] = [];
  const pauses: number[] = [];
  let now = 1_000_000;
  const clocked = serversHarness({ now: () => now, random: () => 0.5 });
  const crashing = clocked.server(clocked.fixture('s', 'misbehaving', ['crash-at-start']));
  for (let round = 0; round < 3; round++) {
    await failure(say(crashing, 'echo'));
    const { state } = crashing;
    if (state.kind !== 'error') throw new Error(state.kind);
    failures.push(state.failures);
    pauses.push(state.retryAt - now);
    now += 600;
  }
  expect([failures, pauses]).toEqual([
    [1, 2, 3],
    [1000, 2000, 4000],
  ]);
  await failure(crashing.retry());
  expect(crashing.state).toMatchObject({ kind: 'error', failures: 1, retryAt: now + 1000 });

  await server.start();
  await until(() => harness.pids('s').length === 2);
  expect(harness.pids('s')).toHaveLength(2);
});

test('restarts a failed server for a call, but returns the error right after a failure', async () => {
  let now = 0;
  // The jitter is so long that no retry happens by itself.
  const harness = serversHarness({ now: () => now, random: () => 1000 });
  const server = harness.server(harness.fixture('s', 'misbehaving', ['flaky', `${harness.folder}/flaky`, '2']));
  // It is started by the probe, and again with `initialize`.
  await server.start();
  expect(await failure(say(server, 'echo'))).toMatchObject({
    code: 'server_exited',
    message: containing('s exited'),
  });
  expect(harness.pids('s')).toHaveLength(2);
  now += 501;
  expect(await say(server, 'echo', { message: 'back' })).toBe('back');
  expect(harness.pids('s')).toHaveLength(3);
});

test('restarts a killed server as another process', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('s', 'misbehaving', ['well-behaved']));
  await server.ready();
  const first = Number(await say(server, 'pid'));
  const states = statesOf(server);
  process.kill(first, 'SIGKILL');
  await until(() => states.includes('error') && server.state.kind === 'ready');
  expect([Number(await say(server, 'pid')) === first, isAlive(first), harness.registry.size]).toEqual([
    false,
    false,
    1,
  ]);
});

test('rejects a call in flight with the server name when the server exits', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.ready();
  const [hanging, exiting] = await Promise.all([failure(say(server, 'hang')), failure(say(server, 'exit'))]);
  expect([hanging, exiting]).toMatchObject([
    { code: 'server_exited', message: containing('s exited with code 9'), data: { server: 's' } },
    { code: 'server_exited' },
  ]);
});

test('passes on an error of the server unchanged', async () => {
  const harness = serversHarness();
  const refusal = { code: -32602, message: 'Nope', data: { why: [1] } };
  const server = harness.server(harness.scripted('s', { answers: { 'prompts/get': { error: refusal } } }));
  const error = await failure(server.request('prompts/get', { name: 'x' }, contextOf('anna')));
  expect({ ...error, message: error.message }).toMatchObject(refusal);
  expect(
    textOf(await server.request('tools/call', { name: 'echo', arguments: { message: 'x' } }, contextOf('a'))),
  ).toBe('x');
});
