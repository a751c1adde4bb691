/** The handshake detects the protocol of a server in its only process. */
import { expect, onTestFinished, test } from 'vitest';
import { type HandshakeOptions, performHandshake } from '../../../src-main/core/servers/handshake.ts';
import { Peer } from '../../../src-main/core/wire/peer.ts';
import { startHttpFixture, startSseFixture } from '../../fixtures/servers/http-fixture.ts';
import { containing, failure, serversHarness, type ServersHarness } from './servers-harness.ts';
import { until } from '../../support/until.ts';
import type { Script } from './scripted-server.ts';
import type { ServerConfig } from '../../../src-main/core/config/server-config.ts';
import type { Handshake } from '../../../src-main/core/servers/handshake.ts';

async function greet(
  harness: ServersHarness,
  config: ServerConfig,
  options: Partial<HandshakeOptions> = {},
): Promise<Handshake> {
  const transport = harness.deps.createTransport(config);
  const peer = new Peer(transport, {
    onRequest: () => Promise.resolve({}),
    onNotification: () => undefined,
    onClose: () => undefined,
  });
  onTestFinished(() => peer.close());
  return performHandshake(peer, {
    identity: harness.deps.identity,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onVersion: (version) => transport.setProtocolVersion?.(version),
    ...options,
  });
}

async function scripted(script: Script, options?: Partial<HandshakeOptions>): Promise<[Handshake, string[], number]> {
  const harness = serversHarness();
  const handshake = await greet(harness, harness.scripted('s', script), options);
  const methods = (): string[] => harness.heard('s').map(({ method }) => method ?? '');
  if (handshake.era === 'legacy') await until(() => methods().includes('notifications/initialized'));
  return [handshake, methods(), harness.pids('s').length];
}

test('initializes a stateful server that rejects the probe, in the same process', async () => {
  const [handshake, methods, starts] = await scripted({});
  expect(handshake).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25', serverInfo: { name: 'scripted' } });
  expect([methods, starts]).toEqual([['server/discover', 'initialize', 'notifications/initialized'], 1]);
});

test('initializes a server that does not respond to the probe, in the same process', async () => {
  const [handshake, methods, starts] = await scripted({ silentTo: ['server/discover'] }, { probeSilenceMs: 50 });
  expect([handshake.era, methods, starts]).toEqual([
    'legacy',
    ['server/discover', 'initialize', 'notifications/initialized'],
    1,
  ]);
});

test('does not probe a server known to be stateful', async () => {
  const [handshake, methods] = await scripted({}, { knownEra: 'legacy' });
  expect([handshake.era, methods]).toEqual(['legacy', ['initialize', 'notifications/initialized']]);
});

test('detects a 2026-07-28 server by the probe and does not initialize it', async () => {
  const [handshake, methods, starts] = await scripted({ modern: true });
  expect(handshake).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28' });
  expect([methods, starts]).toEqual([['server/discover'], 1]);
});

test('detects a server that was stateful before and now supports 2026-07-28', async () => {
  const [handshake, methods, starts] = await scripted({ modern: true }, { knownEra: 'legacy' });
  expect([handshake.era, methods, starts]).toEqual(['modern', ['initialize', 'server/discover'], 1]);
});

test('accepts a late response to the probe', async () => {
  const [handshake] = await scripted(
    { modern: true, silentTo: ['initialize'] },
    // The probe times out before any process can respond.
    { probeSilenceMs: 0 },
  );
  expect(handshake.era).toBe('modern');
});

test('keeps the whole initialize response, including unknown members', async () => {
  const answer = { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: {}, instructions: 'Do.', vendor: [1] };
  const [handshake] = await scripted({ answers: { initialize: answer } }, { knownEra: 'legacy' });
  expect([handshake.protocolVersion, handshake.instructions, handshake.raw]).toEqual(['2025-03-26', 'Do.', answer]);
});

test('rejects an unknown protocol version and names it', async () => {
  const refused = failure(scripted({ answers: { initialize: { protocolVersion: '1999-01-01' } } }));
  expect(await refused).toMatchObject({ code: 'server_protocol', message: containing('"1999-01-01"') });
});

test('reports a timeout if the server does not respond', async () => {
  const silent = scripted({ silentTo: ['server/discover', 'initialize'] }, { timeoutMs: 400, probeSilenceMs: 50 });
  expect(await failure(silent)).toMatchObject({ code: 'server_timeout', message: containing('0.4 s') });
});

test('detects both protocols over HTTP, and a server of the older SSE transport', async () => {
  const harness = serversHarness();
  const [both, older] = await Promise.all([startHttpFixture('conformance'), startSseFixture()]);
  onTestFinished(async () => void (await Promise.all([both.close(), older.close()])));
  const found = await Promise.all([
    greet(harness, harness.http('both', both.url)),
    greet(harness, harness.http('both', both.url), { knownEra: 'legacy' }),
    greet(harness, harness.http('older', older.url)),
    greet(harness, harness.http('older', older.url, { kind: 'sse' })),
  ]);
  expect(found.map(({ era }) => era)).toEqual(['modern', 'legacy', 'legacy', 'legacy']);
  expect(older.requests.filter((request) => request.startsWith('GET /sse'))).toHaveLength(2);
});

test('times out on a server that accepts the connection and never responds', async () => {
  const harness = serversHarness();
  const { createServer } = await import('node:http');
  const mute = createServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => mute.closeAllConnections());
  onTestFinished(() => void mute.close());
  const url = `http://127.0.0.1:${(mute.address() as { port: number }).port}/`;
  const errors = await Promise.all(
    (['http', 'sse'] as const).map((kind) =>
      failure(greet(harness, harness.http('mute', url, { kind }), { timeoutMs: 300 })),
    ),
  );
  expect(errors).toMatchObject([{ code: 'server_timeout' }, { code: 'server_timeout' }]);
});
