/** Servers over HTTP with the quirks of servers in the field. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import {
  eventsType,
  type HttpQuirks,
  jsonType,
  type QuirkyHttp,
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
