/**
 * What whoever runs a replica asks it: `/healthz` (the process lives), `/readyz` (send requests here), `/metrics` (Prometheus). A port
 * of its own that is open only where it is told: numbers of a whole team are not for whoever reaches the endpoints, and probes know no host name.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../../core/base/errors.ts';
import type { Metrics } from './metrics.ts';
import { prometheusType } from './prometheus-text.ts';
import type { Readiness } from './readiness.ts';

interface OperationsParts {
  readonly metrics: Pick<Metrics, 'text'>;
  readonly readiness: Pick<Readiness, 'problem'>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

export class OperationsDoor {
  readonly #parts: OperationsParts;
  readonly #server: Server;

  constructor(parts: OperationsParts) {
    this.#parts = parts;
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  /** Resolves to its port. Rejects with AppError port_in_use. */
  async start(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) =>
        reject(
          new AppError('port_in_use', `The operations port ${port} cannot be opened: ${cause.message}.`, { cause }),
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

  async #take({ url, method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = method === 'GET' || method === 'HEAD';
    const {
      status,
      text,
      type = 'text/plain; charset=utf-8',
    } = isRead
      ? await this.#answer(url?.split('?', 1)[0]).catch(() => ({
          status: 500,
          text: 'It could not be told.\n',
          type: undefined,
        }))
      : { status: 405, text: 'Only to be read.\n' };
    response.writeHead(status, {
      ...{ 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' },
      ...(status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(method === 'HEAD' ? undefined : text);
  }

  async #answer(path: string | undefined): Promise<Answer> {
    switch (path) {
      case '/healthz':
        return { status: 200, text: 'ok\n' };
      case '/readyz': {
        const problem = await this.#parts.readiness.problem();
        return problem === undefined ? { status: 200, text: 'ok\n' } : { status: 503, text: `${problem}\n` };
      }
      case '/metrics':
        return { status: 200, text: await this.#parts.metrics.text(), type: prometheusType };
      default:
        return { status: 404, text: 'There are /healthz, /readyz and /metrics.\n' };
    }
  }
}
