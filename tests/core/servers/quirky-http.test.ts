/** Servers over HTTP with the quirks of servers in the field. */
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
import { say, serversHarness, toolNames } from './servers-harness.ts';

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
])('a server that answers with %s is listed and called', async (_what, reply) => {
  const fixture = await started({ reply });
  const harness = serversHarness();
  const server = harness.server(harness.http('far', fixture.url));
  await server.ready();
  expect([toolNames(server), await say(server, 'hello')]).toEqual([['hello'], 'hello 1']);
});

const page = { 'content-type': 'text/html' };

/** What servers and proxies of the handshake era answer to a method that they do not know. */
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

describe('a server that refuses the probe', () => {
  test.each(refusals)('by %s is greeted by initialize', async (_what, refuse) => {
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

  test('by 400 while its stream is quiet is not taken for one of the older transport', async () => {
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

  test('and everything else by 401 waits for the person to sign in', async () => {
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

describe('a server of the older transport', () => {
  /** How it answers a POST to the address of its stream. */
  const posts: readonly [string, (response: ServerResponse) => void][] = [
    ...[400, 403, 404, 405, 415, 422, 500, 501].map((status): (typeof posts)[number] => [
      String(status),
      (response) => response.writeHead(status).end('no'),
    ]),
    ['200 with text', (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')],
    ['200 with JSON', (response) => response.writeHead(200, jsonType).end('{"ok":true}')],
    ['200 with nothing', (response) => response.writeHead(200).end()],
  ];

  test.each(posts)('that answers a POST by %s is found without type: sse', async (_what, answer) => {
    const fixture = await startOlderServer({ answer });
    onTestFinished(() => fixture.stop());
    const harness = serversHarness();
    const server = harness.server(harness.http('old', fixture.url));
    await server.start();
    expect([server.state.kind, toolNames(server)]).toEqual(['ready', ['hello']]);
    expect(await say(server, 'hello')).toBe('hello 1');
  });

  test.each(['http', 'sse'] as const)('whose stream says late where to post is waited for as kind %s', async (kind) => {
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
