/** Short HTTP answers in JSON-RPC's shape. */
import type { ServerResponse } from 'node:http';
import type { RequestId, RpcErrorBody } from '../wire/message.ts';

export function replyError(
  response: ServerResponse,
  status: number,
  error: RpcErrorBody,
  id: RequestId | null = null,
): void {
  replyJson(response, status, { jsonrpc: '2.0', error, id });
}

export function replyJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(JSON.stringify(body));
}

/** The id of a JSON-RPC request, for errors that answer it. */
export function idOf(body: unknown): RequestId | null {
  const id = typeof body === 'object' && body !== null && 'method' in body && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
