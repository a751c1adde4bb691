/** Sessions of the handshake era as they are handed over to another core: what comes at that very moment is answered, or told to come again. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpSettings } from '../../../../src-main/core/config/app-config.ts';
import { Streams } from '../../../../src-main/core/sessions/http/event-stream.ts';
import { LeftSessions } from '../../../../src-main/core/sessions/http/left-sessions.ts';
import { LegacyHttp, type OpenSession } from '../../../../src-main/core/sessions/http/legacy-http.ts';
import { isRequest, type Message } from '../../../../src-main/core/wire/message.ts';

const place = { path: '/mcp', holder: 'person' };
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
/** Answers everything. */
const open: OpenSession = (line) =>
  line.start({
    onMessage: (message) => {
      if (isRequest(message)) void line.send({ jsonrpc: '2.0', id: message.id, result: { said: message.method } });
    },
    onClose: () => undefined,
    onOddity: () => undefined,
  });

/** More of them than there are steps between a session's being found and its being asked. */
const moments = Array.from({ length: 12 }, (_, steps) => steps);

test.each(moments)(
  'what comes for a session as it is handed over is answered or told to come again: %i',
  async (steps) => {
    const limits = (): HttpSettings => ({ sessions: 100, sessionIdleMinutes: 60 }) as HttpSettings;
    const legacy = new LegacyHttp(new Streams(), limits, new LeftSessions(undefined));
    let afterPost: () => void = () => undefined;
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const messages = [JSON.parse(await text(request)) as Message];
      void legacy.post({ messages, isBatch: false }, request, response, place, open);
      afterPost();
    };
    const server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      await legacy.close();
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const post = (method: string, more: Record<string, string> = {}): Promise<Response> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: method, method, params: {} });
      return fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });
    };
    const opened = await post('initialize');
    await opened.text();
    afterPost = () => void handOverIn(legacy, steps);
    const asked = await post('tools/list', { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' });
    const said = await asked.text();
    expect([asked.status === 503 || said.includes('"said":"tools/list"'), said]).toEqual([true, said]);
  },
);

async function handOverIn(legacy: LegacyHttp, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await Promise.resolve();
  await legacy.handOver('idle');
}
