/**
 * Durations of one server's HTTP requests, as reported by Node.js. Names and labels follow the semantic conventions of
 * OpenTelemetry. Source: OpenTelemetry semantic conventions 1.37, HTTP metrics, `http.server.request.duration`.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Histogram, type Registry } from 'prom-client';

const channel = 'http.server.request.start';
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const routes: ReadonlySet<string> = new Set(['mcp', 'rpc', 'session', 'oauth', 'healthz', 'readyz', '.well-known']);
/** In seconds; the bounds of the semantic conventions. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Records the requests to the server at `port`. A stream is recorded when it ends. Returns a function that stops it.
 */
export function observeRequests(registry: Registry, port: () => number | undefined): () => void {
  const histogram = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP requests.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets,
    registers: [registry],
  });
  const observe = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.socket.localPort !== port()) return;
    const startedAt = performance.now();
    response.once('close', () =>
      histogram.observe(labelsOf(request, response), (performance.now() - startedAt) / 1000),
    );
  };
  subscribe(channel, observe);
  return () => unsubscribe(channel, observe);
}

/** A fixed set of values, none chosen by clients. */
function labelsOf({ method = '', url = '' }: IncomingMessage, { statusCode }: ServerResponse): Record<string, string> {
  const [, first = ''] = /^\/([^/?]*)/.exec(url) ?? [];
  return {
    http_request_method: methods.has(method) ? method : '_OTHER',
    http_route: routes.has(first) ? `/${first}` : '/',
    http_response_status_code: String(statusCode),
  };
}
