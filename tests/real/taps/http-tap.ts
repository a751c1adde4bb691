/** A recording proxy between a client app and an HTTP server. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpTap extends AsyncDisposable {
  readonly url: string;
  /** All bodies so far, requests and responses. */
  text(): string;
}

/** Forwards every request to the same path at `target`. */
export async function startHttpTap(target: string): Promise<HttpTap> {
  const { port, pathname } = new URL(target);
  const bodies: Buffer[][] = [];
  const server = createServer((request, response) => pass(request, response, port, bodies)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    text: () => bodies.map((body) => Buffer.concat(body).toString('utf8')).join('\n'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pass(request: IncomingMessage, response: ServerResponse, port: string, bodies: Buffer[][]): void {
  const keep = (stream: IncomingMessage): IncomingMessage => {
    const body: Buffer[] = [];
    bodies.push(body);
    return stream.on('data', (chunk: Buffer) => body.push(chunk));
  };
  const { url, method, headers } = request;
  const onward = { host: '127.0.0.1', port, path: url, method, headers: { ...headers, host: `127.0.0.1:${port}` } };
  const sent = send(onward, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    keep(answer).pipe(response);
  });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  keep(request).pipe(sent);
}
