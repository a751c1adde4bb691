/** HTTP servers with quirks seen in the field. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpTransport } from '../../../src-main/core/servers/transports/http-transport.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  eventsType,
  type HttpQuirks,
  jsonType,
  type QuirkyHttp,
  startOlderServer,
  startQuirkyHttp,
} from '../../fixtures/servers/quirky-http.ts';
import { until } from '../../support/until.ts';
import { failure, say, serversHarness, toolNames } from './servers-harness.ts';
import { httpHarness, httpOptions } from './transports/http-harness.ts';

async function started(quirks: HttpQuirks): Promise<QuirkyHttp> {
  const fixture = await startQuirkyHttp(quirks);
  onTestFinished(() => fixture.stop());
  return fixture;
}

const asJson = (answer: object): string => JSON.stringify(answer);
const asEvent = (answer: object): string => `event: message\ndata: ${asJson(answer)}\n\n`;
const idAsString = (answer: object): object => ({ ...answer, id: String((answer as { id: unknown }).id) });

test.each<[string, NonNullable<HttpQuirks['reply']>]>([
  [
    'the id as a string, in a body',
    (response, answer) => response.writeHead(200, jsonType).end(asJson(idAsString(answer))),
  ],
  [
    'the id as a string, in an event',
    (response, answer) => response.writeHead(200, eventsType).end(asEvent(idAsString(answer))),
  ],
  [
    'a body in gzip',
    (response, answer) =>
      response.writeHead(200, { ...jsonType, 'content-encoding': 'gzip' }).end(gzipSync(asJson(answer))),
  ],
  [
    'events in gzip',
    (response, answer) =>
      response.writeHead(200, { ...eventsType, 'content-encoding': 'gzip' }).end(gzipSync(asEvent(answer))),
  ],
  [
    'a body in deflate',
    (response, answer) =>
      response.writeHead(200, { ...jsonType, 'content-encoding': 'deflate' }).end(deflateSync(asJson(answer))),
  ],
  [
    'a body in br',
    (response, answer) =>
      response.writeHead(200, { ...jsonType, 'content-encoding': 'br' }).end(brotliCompressSync(asJson(answer))),
  ],
])('lists and calls tools of a server that responds with %s', async (_what, reply) => {
  const fixture = await started({ reply });
  const harness = serversHarness();
  const server = harness.server(harness.http('far', fixture.url));
  await server.ready();
  expect([toolNames(server), await say(server, 'hello')]).toEqual([['hello'], 'hello 1']);
});

const page = { 'content-type': 'text/html' };

/** Responses of older servers and proxies to an unknown method. */
const refusals: readonly [string, (response: ServerResponse, request: IncomingMessage) => void][] = [
  ['401', (response) => response.writeHead(401, jsonType).end('{"error":"no session"}')],
  ['403', (response) => response.writeHead(403, jsonType).end('{"error":"not allowed by policy"}')],
  ['a connection that is cut', (_response, request) => request.socket.destroy()],
  ['200 with a page', (response) => response.writeHead(200, page).end('<html>hi</html>')],
  ['200 with nothing', (response) => response.writeHead(200).end()],
  ['200 with JSON that is no message', (response) => response.writeHead(200, jsonType).end('{"ok":true}')],
  ['202', (response) => response.writeHead(202).end()],
  ['301 to nowhere', (response) => response.writeHead(301, { location: '/login' }).end()],
  ['400', (response) => response.writeHead(400).end('no session')],
  ['500 with a page', (response) => response.writeHead(500, page).end('<h1>Internal Server Error</h1>')],
  ['503', (response) => response.writeHead(503).end()],
];

describe('Server that rejects the probe', () => {
  test.each(refusals)('is initialized after a rejection by %s', async (_what, refuse) => {
    const fixture = await started({
      before: ({ method }, response, request) => {
        if (method !== 'server/discover') return false;
        refuse(response, request);
        return true;
      },
    });
    const harness = serversHarness();
    const server = harness.server(harness.http('far', fixture.url));
    await server.start();
    expect([server.state.kind, server.handshake?.era, toolNames(server)]).toEqual(['ready', 'legacy', ['hello']]);
  });

  test('is not taken for an SSE server after a 400 while its stream is quiet', async () => {
    const fixture = await started({
      get: (response) => response.writeHead(200, eventsType).write(': quiet\n\n'),
      before: ({ method }, response) => {
        if (method === 'server/discover') response.writeHead(400).end('no session');
        return method === 'server/discover';
      },
    });
    const harness = serversHarness();
    const server = harness.server(harness.http('far', fixture.url));
    await server.start();
    expect([server.state.kind, toolNames(server)]).toEqual(['ready', ['hello']]);
  });

  test('waits for a sign-in if it rejects everything with 401', async () => {
    const fixture = await started({
      before: (_message, response) => {
        response.writeHead(401).end();
        return true;
      },
    });
    const harness = serversHarness();
    const server = harness.server(harness.http('far', fixture.url));
    await server.start();
    expect(server.state.kind).toBe('pending-sign-in');
  });
});

describe('Server of the older SSE transport', () => {
  /** Its response to a POST to the URL of its stream. */
  const posts: readonly [string, (response: ServerResponse) => void][] = [
    ...[400, 403, 404, 405, 415, 422, 500, 501].map((status): (typeof posts)[number] => [
      String(status),
      (response) => response.writeHead(status).end('no'),
    ]),
    ['200 with text', (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')],
    ['200 with JSON', (response) => response.writeHead(200, jsonType).end('{"ok":true}')],
    ['200 with nothing', (response) => response.writeHead(200).end()],
  ];

  test.each(posts)('is detected without type: sse if it responds to a POST with %s', async (_what, answer) => {
    const fixture = await startOlderServer({ answer });
    onTestFinished(() => fixture.stop());
    const harness = serversHarness();
    const server = harness.server(harness.http('old', fixture.url));
    await server.start();
    expect([server.state.kind, toolNames(server)]).toEqual(['ready', ['hello']]);
    expect(await say(server, 'hello')).toBe('hello 1');
  });

  test.each(['http', 'sse'] as const)('is given time to send a late endpoint event as kind %s', async (kind) => {
    const fixture = await startOlderServer({
      answer: (response) => response.writeHead(405).end(),
      endpointAfterMs: 4500,
    });
    onTestFinished(() => fixture.stop());
    const harness = serversHarness();
    const server = harness.server(harness.http('old', fixture.url, { kind }));
    await server.start();
    expect([server.state.kind, toolNames(server)]).toEqual(['ready', ['hello']]);
  });
});

describe('Session that the server has dropped', () => {
  const session = (code: number, message: string, id: unknown = null): string =>
    JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
  const ways: readonly [string, NonNullable<HttpQuirks['lostSession']>][] = [
    ['404', (response) => response.writeHead(404, jsonType).end(session(-32001, 'Session not found'))],
    ['404 as text', (response) => response.writeHead(404).end('Invalid session ID')],
    ['404 with -32601', (response) => response.writeHead(404, jsonType).end(session(-32601, 'Session not found'))],
    [
      '400',
      (response) => response.writeHead(400, jsonType).end(session(-32000, 'Bad Request: No valid session ID provided')),
    ],
    [
      '400 that was not initialized',
      (response) => response.writeHead(400, jsonType).end(session(-32000, 'Bad Request: Server not initialized')),
    ],
    ['400 as text', (response) => response.writeHead(400).end('Invalid or missing session ID')],
    ['400 without a word', (response) => response.writeHead(400).end()],
    ['410', (response) => response.writeHead(410).end('gone')],
    [
      '200 with an error',
      (response, { id }) => response.writeHead(200, jsonType).end(session(-32001, 'Session not found', id)),
    ],
    ['200 with a bare error', (response) => response.writeHead(200, jsonType).end('{"error":"Session expired"}')],
    [
      'an error in events',
      (response, { id }) =>
        response.writeHead(200, eventsType).end(`data: ${session(-32001, 'Session not found', id)}\n\n`),
    ],
    [
      'a bare error in events',
      (response) => response.writeHead(200, eventsType).end('data: {"error":"Session not found"}\n\n'),
    ],
  ];

  test.each(ways)('is opened again after %s, and the call is sent again', async (_way, lostSession) => {
    const fixture = await started({ lostSession });
    const harness = serversHarness();
    const server = harness.server(harness.http('far', fixture.url));
    await server.ready();
    expect(await say(server, 'hello')).toBe('hello 1');
    fixture.forget();
    const states: string[] = [];
    server.changed.on(() => states.push(server.state.kind));
    // Each is sent again.
    const said = await Promise.all([say(server, 'hello'), say(server, 'hello')]);
    expect([said.toSorted(), fixture.calls]).toEqual([['hello 2', 'hello 3'], 3]);
    await until(() => server.state.kind === 'ready');
    expect([count(fixture.heard, 'initialize'), states.includes('error')]).toEqual([2, false]);
  });

  test('is detected while lists are read', async () => {
    const fixture = await started({ lostSession: ways[3]![1] });
    const harness = serversHarness();
    const server = harness.server(harness.http('far', fixture.url));
    await server.ready();
    fixture.forget();
    server.refreshListing();
    await until(() => count(fixture.heard, 'initialize') === 2 && server.state.kind === 'ready');
    expect(server.health.level).toBe('ok');
  });

  test('is not reopened endlessly if every call drops it', async () => {
    const fixture = await started({
      lostSession: () => undefined,
      before: ({ method }, response) => {
        if (method === 'tools/call' || method === 'ping') response.writeHead(404).end('no session');
        return method === 'tools/call' || method === 'ping';
      },
    });
    const harness = serversHarness();
    const server = harness.server(harness.http('far', fixture.url));
    await server.ready();
    expect(await failure(say(server, 'hello'))).toMatchObject({ code: 'server_exited', data: { neverSent: true } });
    expect(count(fixture.heard, 'tools/call')).toBe(2);
  });

  test('is not confused with the session of a tool, whose error is passed on', async () => {
    const fixture = await started({
      before: ({ method, id }, response) => {
        if (method === 'tools/call')
          response.writeHead(200, jsonType).end(session(-32602, 'Browser session not found', id));
        return method === 'tools/call';
      },
    });
    const harness = serversHarness();
    const server = harness.server(harness.http('far', fixture.url));
    await server.ready();
    expect(await failure(say(server, 'hello'))).toMatchObject({ code: -32602 });
    expect([count(fixture.heard, 'initialize'), count(fixture.heard, 'tools/call')]).toEqual([1, 1]);
  });
});

test('reopens a stream that ends at once after growing delays, and not while the server is unused', async () => {
  const fixture = await started({ get: (response) => response.writeHead(200, eventsType).end(': hello\n\n') });
  const harness = httpHarness(
    new HttpTransport({ ...httpOptions(fixture.url), reconnectDelayMs: { first: 10, longest: 1000 } }),
  );
  await harness.start();
  await harness.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const gets = (): number => count(fixture.heard, 'GET');
  await until(() => gets() === 1);
  // With continuous use: 10, 20, 40, 80, 160, 320 ms, and the SDK's own wait.
  const end = performance.now() + 700;
  while (performance.now() < end || gets() < 3) await harness.ask('ping');
  const whileUsed = gets();
  expect(whileUsed).toBeGreaterThan(2);
  expect(whileUsed).toBeLessThan(9);
  await sleep(1500);
  expect(gets()).toBeLessThanOrEqual(whileUsed + 1);
});

function count(all: readonly string[], one: string): number {
  return all.filter((method) => method === one).length;
}
