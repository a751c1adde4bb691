/** HTTP servers for tests, and a transport with what comes out of it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { HttpTransportOptions } from '../../../../src-main/core/servers/transports/http-transport-base.ts';
import type { Message, RpcFailure, RpcResult } from '../../../../src-main/core/wire/message.ts';
import type { MessageOrigin, SendOptions, Transport } from '../../../../src-main/core/wire/transport.ts';

export interface Seen {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body's JSON-RPC ID as spelled. */
  readonly id: string;
}

export type Answer = (seen: Seen, response: ServerResponse) => void;

/** A server with a handwritten response; `seen` collects every request. Stops with the test. */
export async function handServer(answer: Answer): Promise<{ url: string; seen: Seen[]; stop: () => void }> {
  const seen: Seen[] = [];
  const url = await serve((request, response) => {
    void text(request).then((body) => {
      const id = /"id":([^,}]+)/.exec(body)?.[1] ?? 'null';
      const one = { method: request.method ?? '', headers: request.headers, body, id };
      seen.push(one);
      answer(one, response);
    });
  });
  return { url: url.href, seen, stop: url.stop };
}

/** Any listener on a free port of 127.0.0.1, at the path /mcp. */
export async function serve(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ href: string; origin: string; stop: () => void }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, href: `${origin}/mcp`, stop };
}

export interface HttpHarness {
  readonly transport: Transport;
  readonly received: { readonly message: Message; readonly origin: MessageOrigin | undefined }[];
  readonly oddities: string[];
  readonly closed: Promise<Error | undefined>;
  start(): Promise<void>;
  ask(method: string, params?: Record<string, unknown>, options?: SendOptions): Promise<RpcResult | RpcFailure>;
}

export function httpOptions(url: string): HttpTransportOptions {
  const reconnectDelayMs = { first: 5, longest: 10 };
  return {
    serverName: 'far',
    url,
    headers: { 'x-key': 'k' },
    maxMessageBytes: 64 * 1024 * 1024,
    env: {},
    reconnectDelayMs,
  };
}

export function httpHarness(transport: Transport): HttpHarness {
  const received: HttpHarness['received'] = [];
  const oddities: string[] = [];
  const waiting = new Map<unknown, (answer: RpcResult | RpcFailure) => void>();
  let markClosed: (error: Error | undefined) => void;
  const closed = new Promise<Error | undefined>((resolve) => (markClosed = resolve));
  let nextId = 1;
  onTestFinished(() => transport.close());
  return {
    transport,
    received,
    oddities,
    closed,
    start: () =>
      transport.start({
        onMessage: (message, origin) => {
          received.push({ message, origin });
          if ('id' in message && !('method' in message)) waiting.get(message.id)?.(message);
        },
        onClose: (error) => markClosed(error),
        onWarning: (oddity) => oddities.push(oddity),
      }),
    ask: async (method, params = {}, options) => {
      const id = nextId++;
      const answer = new Promise<RpcResult | RpcFailure>((resolve) => waiting.set(id, resolve));
      await transport.send({ jsonrpc: '2.0', id, method, params }, options);
      return answer;
    },
  };
}
