/** The stateful connection to a dual-protocol server, over stdio and over HTTP. */
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { CallContext } from '../../../src-main/core/servers/in-flight-calls.ts';
import type { ManagedServer } from '../../../src-main/core/servers/managed-server.ts';
import { startHttpFixture } from '../../fixtures/servers/http-fixture.ts';
import { containing, contextOf, isAlive, say, serversHarness, type ServersHarness } from './servers-harness.ts';
import { until } from '../../support/until.ts';

/** A stateful session with a client app that answers elicitation with its own name. */
function handshaking(sessionId: string, more: Partial<CallContext> = {}): CallContext {
  return contextOf(sessionId, {
    protocolVersion: '2025-11-25',
    clientCapabilities: { elicitation: {}, sampling: {} },
    askClient: async () => ({ action: 'accept', content: { username: sessionId, email: 'x' } }),
    ...more,
  });
}

const modern = (sessionId: string): CallContext =>
  contextOf(sessionId, { protocolVersion: '2026-07-28', acceptsInputRequired: true });

const ask = (server: ManagedServer, context: CallContext): Promise<string> =>
  say(server, 'test_elicitation', { message: 'Who are you?' }, context);

async function dual(harness: ServersHarness, kind: 'stdio' | 'http'): Promise<ManagedServer> {
  if (kind === 'stdio') return harness.server(harness.fixture('both', 'conformance'));
  const fixture = await startHttpFixture('conformance');
  onTestFinished(() => fixture.close());
  return harness.server(harness.http('both', fixture.url));
}

test.each(['stdio', 'http'] as const)('over %s, lets a dual-protocol server ask a stateful client', async (kind) => {
  const harness = serversHarness();
  const server = await dual(harness, kind);
  await server.ready();
  expect(server.handshake?.era).toBe('modern');
  expect(harness.pids('both')).toHaveLength(kind === 'stdio' ? 1 : 0);
  for (const name of ['anna', 'bert', 'anna']) {
    expect(await ask(server, handshaking(name))).toContain(`action=accept, content={"username":"${name}"`);
  }
  expect(await say(server, 'test_simple_text', {}, modern('mona'))).toContain('simple text');
});

test('starts the second stdio process at the first stateful call and stops it after the last session', async () => {
  const harness = serversHarness();
  const server = await dual(harness, 'stdio');
  await server.ready();
  const simple = (context: CallContext): Promise<string> => say(server, 'test_simple_text', {}, context);
  // Also our own, which belong to no client.
  await Promise.all([simple(modern('mona')), simple(contextOf('cli'))]);
  expect(harness.pids('both')).toHaveLength(1);
  await Promise.all(['anna', 'bert', 'carl'].map((name) => simple(handshaking(name))));
  const [first, second, ...more] = harness.pids('both');
  expect(more).toEqual([]);
  await server.endSession('anna');
  await server.endSession('bert');
  expect(await simple(handshaking('carl'))).toContain('simple text');
  await server.endSession('carl');
  await until(() => !isAlive(second));
  expect([isAlive(first), server.state.kind, harness.registry.size]).toEqual([true, 'ready', 1]);
});

test('stops the stateful connection when it is idle, with the server, and while it opens', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.fixture('both', 'conformance', [], { idleTimeoutMs: 400 }));
  await server.ready();
  await say(server, 'test_simple_text', {}, handshaking('anna'));
  await until(() => server.state.kind === 'disconnected');
  await until(() => harness.pids('both').every((pid) => !isAlive(pid)));
  const stopped = await dual(harness, 'stdio');
  await stopped.ready();
  const call = say(stopped, 'test_simple_text', {}, handshaking('anna')).catch((error: unknown) => error);
  await stopped.stop();
  await call;
  expect(harness.pids('both').filter(isAlive)).toEqual([]);
});

test('does not wake a sleeping shared connection for a stateful client, and is ready', async () => {
  const harness = serversHarness();
  const config = harness.fixture('both', 'conformance', [], { lazy: true });
  const first = harness.server(config);
  await first.ready();
  await first.stop();
  const server = harness.server(config);
  await server.restore();
  await server.start();
  expect([server.state.kind, harness.pids('both').length]).toEqual(['disconnected', 1]);
  await say(server, 'test_simple_text', {}, handshaking('anna'));
  expect([server.state.kind, harness.pids('both').length]).toEqual(['ready', 2]);
  await server.endSession('anna');
  expect(server.state.kind).toBe('disconnected');
});

test('bridges a stateful client to a stateless server and tries the handshake only once', async () => {
  const harness = serversHarness();
  const config = harness.scripted('new', { modern: true });
  const server = harness.server(config);
  await server.ready();
  const say2 = (one: ManagedServer): Promise<string> => say(one, 'echo', { message: 'hi' }, handshaking('anna'));
  expect([await say2(server), await say2(server), harness.pids('new').length]).toEqual(['hi', 'hi', 2]);
  await server.stop();
  const again = harness.server(config);
  await again.restore();
  expect([await say2(again), harness.pids('new').length]).toEqual(['hi', 3]);
});

test('bridges a server that cannot run twice and reports that once', async () => {
  const harness = serversHarness();
  const server = harness.server(harness.scripted('one', { both: true, alone: `${harness.folder}/lock` }));
  await server.ready();
  const hello = (): Promise<string> => say(server, 'echo', { message: 'hi' }, handshaking('anna'));
  expect([await hello(), await hello(), harness.pids('one').length]).toEqual(['hi', 'hi', 2]);
  expect(harness.oddities.filter((text) => text.includes('second connection'))).toEqual([containing('Could not open')]);
});

test('lists a tool that appears on the stateful connection', async () => {
  const harness = serversHarness();
  const server = await dual(harness, 'stdio');
  await server.ready();
  const names = (): unknown[] => server.listing.tools.map(({ name }) => name);
  await say(server, 'test_trigger_tool_change', {}, handshaking('anna'));
  await until(() => names().includes('test_extra_tool'));
  expect(await say(server, 'test_extra_tool', {}, handshaking('anna'))).toContain('extra');
  // Gone with its process.
  await server.endSession('anna');
  await until(() => !names().includes('test_extra_tool'));
});

test('subscribes a stateful client to a resource on the stateful connection', async () => {
  const harness = serversHarness();
  const server = await dual(harness, 'stdio');
  const heard: JsonObject[] = [];
  server.notified.on(({ method, params }) => void (method.endsWith('resources/updated') && heard.push(params)));
  await server.ready();
  const uri = 'test://watched-resource';
  await server.subscribe(uri, handshaking('anna'));
  await say(server, 'test_update_watched_resource', {}, handshaking('anna'));
  await until(() => heard.length > 0);
  expect([heard, [...server.subscribers(uri)]]).toEqual([[{ uri }], ['anna']]);
  await server.unsubscribe(uri, handshaking('anna'));
  expect([...server.subscribers(uri)]).toEqual([]);
});

test('limits connections per session and closes the least recently used one', async () => {
  const harness = serversHarness();
  const fixture = await startHttpFixture('conformance');
  onTestFinished(() => fixture.close());
  const server = harness.server(harness.http('both', fixture.url));
  await server.ready();
  const names = Array.from({ length: 18 }, (_, index) => `app-${index}`);
  for (const name of names) expect(await ask(server, handshaking(name))).toContain(name);
  await until(() => fixture.requests.filter((request) => request.startsWith('DELETE')).length === 2);
  expect(await ask(server, handshaking('app-0'))).toContain('app-0');
});
