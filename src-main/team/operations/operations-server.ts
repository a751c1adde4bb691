/**
 * Routes for operators of a replica: `/healthz` (process alive), `/readyz` (ready for requests), `/metrics`
 * (Prometheus). They use a separate opt-in port, because a team's figures are not for everybody who reaches the
 * endpoints; the first two are available there as well.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../../core/base/errors.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

interface OperationsServerDeps {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  readonly readiness: Pick<Readiness, 'problem'>;
}

export class OperationsServer {
  readonly #parts: OperationsServerDeps;
  readonly #server: Server;

  constructor(parts: OperationsServerDeps) {
    this.#parts = parts;
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  /** Resolves to its port. Rejects with AppError `port_in_use`. */
  async start(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) =>
        reject(
          new AppError('port_in_use', `Cannot listen on the operations port ${port}: ${cause.message}.`, { cause }),
        ),
      );
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { metrics, readiness } = this.#parts;
    try {
      if (await handleProbe(readiness, request, response)) return;
      if (pathOf(request) !== '/metrics') return write(response, 404, 'Endpoints: /healthz, /readyz, /metrics\n');
      write(response, 200, await metrics.text(), metrics.contentType);
    } catch {
      write(response, 500, 'Internal error\n');
    }
  }
}

/** Handles `/healthz` and `/readyz` on any port; false for other requests. They need no authentication. */
export async function handleProbe(
  readiness: Pick<Readiness, 'problem'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (!isProbe(request)) return false;
  const problem = pathOf(request) === '/readyz' ? await readiness.problem() : undefined;
  if (problem === undefined) write(response, 200, 'ok\n');
  else write(response, 503, `${problem}\n`);
  return true;
}

/** Load balancers send no host, or their own. */
export function isProbe(request: IncomingMessage): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && ['/healthz', '/readyz'].includes(pathOf(request));
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function write(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(text);
}
