/** Servers over HTTP: both protocols, the older SSE transport, and rejected sign-ins. */
import { type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { startHttpFixture, startSseFixture } from '../../fixtures/servers/http-fixture.ts';
import type { HttpFixture } from '../../fixtures/servers/shared/serve-over-http.ts';
import { containing, contextOf, failure, say, serversHarness, toolNames } from './servers-harness.ts';
import { until } from '../../support/until.ts';
import { serve } from './transports/http-harness.ts';

async function kept(fixture: Promise<HttpFixture>): Promise<HttpFixture> {
  const started = await fixture;
  onTestFinished(() => started.close());
  return started;
}

/** A relay in front of a server; `keep` responds to requests that it does not forward. */
function relayed(
  url: string,
  keep: (request: IncomingMessage, response: ServerResponse, body: string) => boolean,
): Promise<{ href: string }> {
  return serve((request, response) => {
    void text(request).then((body) => {
      if (keep(request, response, body)) return;
      const { method, headers } = request;
      const onward = forward(url, { method, headers: { ...headers, host: new URL(url).host } }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      response.on('close', () => onward.destroy());
      onward.on('error', () => response.destroy());
      onward.end(body);
    });
  });
}

test('waits for the user after a rejected sign-in, without a retry by itself or by a call', async () => {
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
  // Longer than the first retry delay of any other failure.
  await new Promise((resolve) => setTimeout(resolve, 900));
  expect(errors).toMatchObject(Array(3).fill({ code: 'server_unauthorized' }));
  expect(fixture.requests.length).toBe(asked);
  await failure(server.retry());
  expect(fixture.requests.length).toBeGreaterThan(asked);
});

test('detects a dead connection with a probe, and the next call uses a new one', async () => {
  const fixture = await kept(startHttpFixture('conformance'));
  const { port } = new URL(fixture.url);
  const pairs = new Set<readonly [Socket, Socket]>();
  const relay = createServer((socket) => {
    const onward = connect(Number(port), '127.0.0.1');
    pairs.add([socket, onward]);
    for (const one of [socket, onward]) one.on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    relay.close();
    for (const one of [...pairs].flat()) one.destroy();
  });
  const harness = serversHarness();
  const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}${new URL(fixture.url).pathname}`;
  const server = harness.server(harness.http('far', url));
  await server.ready();
  await server.probe(5000);
  expect(server.state.kind).toBe('ready');
  // Open connections stay open and pass nothing on.
  for (const one of [...pairs].flat()) one.unpipe().pause();
  await server.probe(200);
  expect(await say(server, 'test_simple_text')).toEqual(containing('text'));
});

test('treats 403 as a rejected sign-in', async () => {
  const { href } = await serve((_request, response) => response.writeHead(403).end());
  const harness = serversHarness();
  const server = harness.server(harness.http('far', href));
  await server.start();
  expect(server.state.kind).toBe('pending-sign-in');
});

test('is ready with the right key in the headers', async () => {
  const fixture = await kept(startHttpFixture('conformance', { token: 'secret' }));
  const harness = serversHarness();
  const server = harness.server(harness.http('far', fixture.url, { headers: { authorization: 'Bearer secret' } }));
  await server.ready();
  expect([server.handshake?.era, await say(server, 'test_simple_text')]).toEqual(['modern', containing('text')]);
});

test('receives list changes and resource updates of a 2026-07-28 server over HTTP', async () => {
  const fixture = await kept(startHttpFixture('conformance'));
  const harness = serversHarness();
  const server = harness.server(harness.http('far', fixture.url));
  const updates: string[] = [];
  server.notified.on(({ method }) => updates.push(method));
  await server.ready();
  await server.subscribe('test://watched-resource', contextOf('anna'));
  expect(toolNames(server)).not.toContain('test_extra_tool');
  // The stream is open once the first change arrives.
  const changing = setInterval(() => void say(server, 'test_update_watched_resource').catch(() => undefined), 50);
  await until(() => updates.includes('notifications/resources/updated'));
  clearInterval(changing);
  await say(server, 'test_trigger_tool_change');
  await until(() => toolNames(server).includes('test_extra_tool'));
  expect(toolNames(server)).toContain('test_extra_tool');
});

test.each(['http', 'sse'] as const)('connects to a server of the older SSE transport as kind %s', async (kind) => {
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

test('reconnects to an unreachable server at the next call', async () => {
  let now = 0;
  const harness = serversHarness({ now: () => now, random: () => 1000 });
  const port = await freePort();
  const first = await startHttpFixture('asker', { port });
  await first.close();
  const server = harness.server(harness.http('far', first.url));
  await server.start();
  expect(server.state).toMatchObject({ kind: 'error', error: { code: 'server_unreachable' } });
  await kept(startHttpFixture('asker', { port }));
  now += 1000;
  expect(JSON.parse(await say(server, 'who'))).toMatchObject({ calls: 1 });
});

test('detects an exited server at the next failed call and reconnects by itself', async () => {
  const harness = serversHarness();
  const port = await freePort();
  const first = await startHttpFixture('conformance', { port });
  const server = harness.server(harness.http('far', first.url));
  await server.ready();
  await first.close();
  const error = await failure(say(server, 'test_simple_text'));
  expect([error, server.state]).toMatchObject([
    { code: 'server_unreachable' },
    { kind: 'error', error: { code: 'server_unreachable', message: containing('cannot be reached') } },
  ]);
  await kept(startHttpFixture('conformance', { port }));
  await until(() => server.state.kind === 'ready');
  expect(await say(server, 'test_simple_text')).toContain('text');
});

test('keeps a running server ready if only one call is cut off or rejected by a gateway', async () => {
  const fixture = await kept(startHttpFixture('conformance'));
  let fate: 'cut' | 502 | undefined;
  const { href } = await relayed(fixture.url, (request, response, body) => {
    const isCall = body.includes('"tools/call"');
    if (!isCall || fate === undefined) return false;
    if (fate === 'cut') request.socket.destroy();
    else response.writeHead(502).end('bad gateway');
    return true;
  });
  const harness = serversHarness();
  const server = harness.server(harness.http('far', href));
  await server.ready();
  const { since } = server.state as { since: number };
  for (fate of ['cut', 502] as const) await failure(say(server, 'test_simple_text'));
  fate = undefined;
  expect(await say(server, 'test_simple_text')).toContain('text');
  expect(server.state).toEqual({ kind: 'ready', since });
});

test('reports a dead server behind a gateway that still responds', async () => {
  const fixture = await kept(startHttpFixture('conformance'));
  let isDead = false;
  const { href } = await relayed(fixture.url, (_request, response) => {
    if (isDead) response.writeHead(502).end('bad gateway');
    return isDead;
  });
  const harness = serversHarness();
  const server = harness.server(harness.http('far', href));
  await server.ready();
  isDead = true;
  await failure(say(server, 'test_simple_text'));
  await until(() => server.state.kind === 'error');
  expect(server.state).toMatchObject({ error: { code: 'server_unreachable', message: containing('HTTP 502') } });
});

test('times out on an address that accepts but never responds, and can be stopped before', async () => {
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
