/** Subscriptions of sessions: resource updates, log levels and the listen request of 2026-07-28. */
import { expect, test } from 'vitest';
import type { Handshake } from '../../../src-main/core/servers/handshake.ts';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import { ServerSubscriptions } from '../../../src-main/core/servers/server-subscriptions.ts';
import { contextOf, failure, say, serversHarness, type ServersHarness, toolNames } from './servers-harness.ts';
import { until } from '../../support/until.ts';

const anna = contextOf('anna');
const bert = contextOf('bert');
const legacy = {
  capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
  answers: {
    'logging/setLevel': {},
    'resources/subscribe': {},
    'resources/unsubscribe': {},
    'resources/list': { resources: [] },
    'resources/templates/list': { resourceTemplates: [] },
  },
};

/** The subscription and log level requests that a server received, in order. */
function told(harness: ServersHarness): string[] {
  const wanted = /^(resources\/(un)?subscribe|logging\/setLevel)$/;
  return harness
    .heard('s')
    .filter(({ method }) => wanted.test(method ?? ''))
    .map(({ method = '', params }) => `${method.split('/')[1]} ${String(params?.['uri'] ?? params?.['level'])}`);
}

/** Awaits a response, so that the server has read everything sent before. */
async function settle(server: ManagedServer): Promise<void> {
  await say(server, 'echo');
}

async function back(server: ManagedServer): Promise<void> {
  await failure(say(server, 'exit'));
  await until(() => server.state.kind === 'ready');
}

test('subscribes for the first session and unsubscribes after the last', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', legacy));
  await server.subscribe('x://1', anna);
  await server.subscribe('x://1', bert);
  await server.subscribe('x://1', bert);
  expect([...server.subscribers('x://1')]).toEqual(['anna', 'bert']);
  await server.unsubscribe('x://1', anna);
  await server.unsubscribe('x://1', anna);
  expect(told(harness)).toEqual(['subscribe x://1']);
  await server.unsubscribe('x://1', bert);
  await settle(server);
  expect([told(harness), server.subscribers('x://1').size]).toEqual([['subscribe x://1', 'unsubscribe x://1'], 0]);
});

test('ends the subscriptions of a session with the session', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', legacy));
  await server.subscribe('x://1', anna);
  await server.subscribe('x://1', bert);
  await server.subscribe('x://2', anna);
  await server.endSession('anna');
  await settle(server);
  expect(told(harness)).toEqual(['subscribe x://1', 'subscribe x://2', 'unsubscribe x://2']);
});

test('keeps no subscription that the server rejected', async () => {
  const harness = serversHarness();
  const refused = {
    ...legacy.answers,
    'resources/subscribe': { error: { code: -32602, message: 'No such resource' } },
  };
  const server = harness.server(harness.scripted('s', { ...legacy, answers: refused }));
  expect((await failure(server.subscribe('x://1', anna))).message).toContain('No such resource');
  expect(server.subscribers('x://1').size).toBe(0);
});

test('restores subscriptions and the log level after a restart', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', legacy));
  await server.ready();
  await server.subscribe('x://1', anna);
  await server.setLogLevel('warning', anna);
  await settle(server);
  await back(server);
  await settle(server);
  const once = ['subscribe x://1', 'setLevel warning'];
  expect(told(harness)).toEqual([...once, ...once]);
});

test('sets the most verbose level of all sessions, and lowers it when that session ends', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', legacy));
  await server.ready();
  await server.setLogLevel('error', anna);
  await server.setLogLevel('debug', bert);
  await server.setLogLevel('critical', anna);
  await server.endSession('bert');
  await settle(server);
  expect(told(harness)).toEqual(['setLevel error', 'setLevel debug', 'setLevel debug', 'setLevel critical']);
});

test('sets a level that was requested before the server was ready', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', legacy));
  await server.setLogLevel('debug', anna);
  await server.ready();
  await settle(server);
  expect(told(harness)).toEqual(['setLevel debug']);
});

test('sends no level to a server without logging', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s'));
  await server.setLogLevel('debug', anna);
  await server.ready();
  await server.setLogLevel('info', anna);
  await settle(server);
  expect(told(harness)).toEqual([]);
});

const modern = {
  modern: true,
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
  answers: { 'resources/list': { resources: [] }, 'resources/templates/list': { resourceTemplates: [] } },
};

function listens(harness: ServersHarness): unknown[] {
  return harness
    .heard('s')
    .filter(({ method }) => method === 'subscriptions/listen')
    .map(({ params }) => params?.['notifications']);
}

test('opens one listen request to a 2026-07-28 server, and renews it when subscriptions change', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', modern));
  await server.ready();
  await server.subscribe('x://1', anna);
  await server.subscribe('x://1', bert);
  await server.unsubscribe('x://1', anna);
  await server.unsubscribe('x://1', bert);
  await settle(server);
  expect(listens(harness)).toEqual([
    { toolsListChanged: true },
    { toolsListChanged: true, resourceSubscriptions: ['x://1'] },
    { toolsListChanged: true },
  ]);
  expect(harness.heard('s').filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(2);
});

test('receives list changes of a 2026-07-28 server', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('s', modern));
  await server.ready();
  await say(server, 'set_tools', { tools: ['new'] });
  await until(() => toolNames(server).includes('new'));
  expect(toolNames(server).at(-1)).toBe('new');
});

test('reopens a listen request that ended, and reads the changes in between', async () => {
  const harness = serversHarness();
  const connection = await harness.connection(harness.scripted('s', modern));
  const announced: string[] = [];
  const subscriptions = new ServerSubscriptions(
    () => connection,
    (method) => announced.push(method),
    10,
  );
  subscriptions.opened(connection.handshake as Handshake);
  await until(() => listens(harness).length === 1);
  await connection.request('tools/call', { name: 'end_listen', arguments: {} });
  await until(() => listens(harness).length === 2);
  await expect.poll(() => announced).toEqual(['notifications/tools/list_changed']);
});

test('reopens a listen request that always ends at once after growing delays', async () => {
  const harness = serversHarness();
  const answers = { ...modern.answers, 'subscriptions/listen': {} };
  const connection = await harness.connection(harness.scripted('s', { ...modern, answers, endsListens: true }));
  const asked: number[] = [];
  const subscriptions = new ServerSubscriptions(
    () => connection,
    () => asked.push(performance.now()),
    20,
  );
  subscriptions.opened(connection.handshake as Handshake);
  await until(() => asked.length === 5);
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  // Timers fire late, never early: each pause is at least twice the previous one.
  expect(pauses.filter((pause, index) => pause < 20 * 2 ** (index + 1) - 5)).toEqual([]);
});

test.each([
  ['the handshake era', []],
  ['2026-07-28', ['--dual']],
])('passes resource updates of an SDK server of %s to subscribers until they unsubscribe', async (_era, args) => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('asker', 'asker', args));
  const updates: unknown[] = [];
  server.notified.on(({ method, params }) => updates.push([method, params]));
  await server.subscribe('asker://counter', anna);
  await say(server, 'bump');
  await until(() => updates.length > 0);
  await server.unsubscribe('asker://counter', anna);
  await say(server, 'who');
  await say(server, 'bump');
  await say(server, 'who');
  expect(updates).toMatchObject([['notifications/resources/updated', { uri: 'asker://counter' }]]);
  expect(JSON.stringify(updates)).not.toContain('subscriptionId');
});
