/**
 * Gives every HTTP request an id and a trace, which its log lines carry, and logs the request when it has ended.
 * Sources: W3C Trace Context, 3.2 (`traceparent`); the `X-Request-Id` header as load balancers set it.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../core/base/log.ts';
import { type RequestScope, startTrace } from '../../core/base/trace-context.ts';

/** Other ids could forge log lines, or fill them. */
const acceptedId = /^[\w.:=+/-]{1,128}$/;

export function createRequestLog(
  scope: RequestScope,
  log: Pick<Log, 'info'>,
): (request: IncomingMessage, response: ServerResponse, work: () => void) => void {
  return (request, response, work) => {
    const { traceparent, 'x-request-id': given } = request.headers;
    const requestId = typeof given === 'string' && acceptedId.test(given) ? given : randomUUID();
    response.setHeader('x-request-id', requestId);
    const startedAt = performance.now();
    // The query may contain an authorization code.
    const [path = ''] = (request.url ?? '').split('?', 1);
    const ids = { requestId, traceId: startTrace(traceparent).traceId };
    response.once('close', () => {
      const { statusCode: status, writableFinished: isComplete } = response;
      const durationMs = Math.round(performance.now() - startedAt);
      // A client that disconnects closes the response outside of the scope.
      scope.run(ids, () => log.info('HTTP request', { method: request.method, path, status, durationMs, isComplete }));
    });
    scope.run(ids, work);
  };
}
