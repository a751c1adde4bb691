/** Promises of servers over HTTP: both eras, the older transport, and a sign-in that is refused. */
import { expect, onTestFinished, test } from 'vitest';
import { startHttpFixture, startSseFixture } from '../../fixtures/servers/http-fixture.ts';
import type { HttpFixture } from '../../fixtures/servers/shared/serve-over-http.ts';
import { containing, contextOf, failure, say, serversHarness, toolNames, until } from './servers-harness.ts';
import { serve } from './transports/http-harness.ts';

async function kept(fixture: Promise<HttpFixture>): Promise<HttpFixture> {
  const started = await fixture;
  onTestFinished(() => started.close());
  return started;
}

test('a refused sign-in waits for the person, without a try by itself or by a call', async () => {
  const fixture = await kept(startHttpFixture('conformance', { token: 'secret' }));
  const harness = serversHarness();
  const server = harness.server(harness.http('far', fixture.url));
  await server.start();
  const asked = fixture.requests.length;
  expect(server.state).toMatchObject({ kind: 'pending-sign-in', error: { code: 'server_unauthorized' } });
  expect(server.health).toMatchObject({ level: 'attention', action: { kind: 'sign-in' } });
  const errors = [
    await failure(say(server, 'test_simple_text')),
    await failure(server.ready()),
    await failure(server.subscribe('x://1', contextOf('anna'))),
  ];
  // Longer than the first pause of any other failure.
  await new Promise((resolve) => setTimeout(resolve, 900));
  expect(errors).toMatchObject(Array(3).fill({ code: 'server_unauthorized' }));
  expect(fixture.requests.length).toBe(asked);
  await failure(server.retry());
  expect(fixture.requests.length).toBeGreaterThan(asked);
});

test('403 is a refused sign-in as well', async () => {
  const { href } = await serve((_request, response) => response.writeHead(403).end());
  const harness = serversHarness();
  const server = harness.server(harness.http('far', href));
  await server.start();
  expect(server.state.kind).toBe('pending-sign-in');
});

test('with the right key in its headers the same server is ready', async () => {
  const fixture = await kept(startHttpFixture('conformance', { token: 'secret' }));
  const harness = serversHarness();
  const server = harness.server(harness.http('far', fixture.url, { headers: { authorization: 'Bearer secret' } }));
  await server.ready();
  expect([server.handshake?.era, await say(server, 'test_simple_text')]).toEqual(['modern', containing('text')]);
});

test('list changes and resource updates of a 2026-07-28 server over HTTP are heard', async () => {
  const fixture = await kept(startHttpFixture('conformance'));
  const harness = serversHarness();
  const server = harness.server(harness.http('far', fixture.url));
  const updates: string[] = [];
  server.notified.on(({ method }) => updates.push(method));
  await server.ready();
  await server.subscribe('test://watched-resource', contextOf('anna'));
  expect(toolNames(server)).not.toContain('test_extra_tool');
  // The stream is open when the first change comes through.
  const changing = setInterval(() => void say(server, 'test_update_watched_resource').catch(() => undefined), 50);
  await until(() => updates.includes('notifications/resources/updated'));
  clearInterval(changing);
  await say(server, 'test_trigger_tool_change');
  await until(() => toolNames(server).includes('test_extra_tool'));
  expect(toolNames(server)).toContain('test_extra_tool');
});

test.each(['http', 'sse'] as const)('a server of the older transport works as kind %s', async (kind) => {
  const fixture = await kept(startSseFixture());
  const harness = serversHarness();
  const server = harness.server(harness.http('old', fixture.url, { kind }));
  await server.ready();
  expect([server.handshake?.era, toolNames(server), await say(server, 'echo', { message: 'hi' })]).toEqual([
    'legacy',
    ['echo'],
    'hi',
  ]);
});

test('a server that was away is found again by the next call', async () => {
  let now = 0;
  const harness = serversHarness({ now: () => now, random: () => 1000 });
  const first = await startHttpFixture('asker');
  const port = Number(new URL(first.url).port);
  await first.close();
  const server = harness.server(harness.http('far', first.url));
  await server.start();
  expect(server.state).toMatchObject({ kind: 'error', error: { code: 'server_unreachable' } });
  await kept(startHttpFixture('asker', { port }));
  now += 1000;
  expect(JSON.parse(await say(server, 'who'))).toMatchObject({ calls: 1 });
});

test('an address that accepts and stays mute is given up after the time to start, and can be stopped before', async () => {
  const { href } = await serve(() => undefined);
  const harness = serversHarness();
  const given = (['http', 'sse'] as const).map((kind) =>
    harness.server(harness.http(kind, href, { kind, initTimeoutMs: 300 })),
  );
  await Promise.all(given.map((server) => server.start()));
  expect(given.map(({ state }) => state)).toMatchObject(
    Array(2).fill({ kind: 'error', error: { code: 'server_timeout' } }),
  );
  const waiting = (['http', 'sse'] as const).map((kind) => harness.server(harness.http(`w-${kind}`, href, { kind })));
  const starts = waiting.map((server) => server.start());
  await Promise.all(waiting.map((server) => server.stop()));
  await Promise.all(starts);
  expect(waiting.map(({ state }) => state.kind)).not.toContain('ready');
});
