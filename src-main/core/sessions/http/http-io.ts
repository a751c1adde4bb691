/** Reads what an HTTP request asks for: its path, and its body as JSON up to a limit. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { RequestId, RpcErrorBody } from '../../wire/message.ts';

/** The path, decoded nowhere. Throws AppError bad_request for an address that is none. */
export function requestPath({ url = '/' }: IncomingMessage): string {
  try {
    return new URL(url, 'http://127.0.0.1').pathname;
  } catch (cause) {
    throw badAddress(cause);
  }
}

/** A part of a path as it is meant. Throws AppError bad_request for a bad percent sign. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw badAddress(cause);
  }
}

function badAddress(cause: unknown): AppError {
  return new AppError('bad_request', 'The address of the request is none.', { cause });
}

/** Throws AppError message_too_large or bad_request. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  return parseBody(await readTextBody(request, maxBytes));
}

/** Throws AppError message_too_large. */
export async function readTextBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes)
      throw new AppError('message_too_large', `The request is larger than ${Math.round(maxBytes / 1024 / 1024)} MB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Throws AppError bad_request. */
export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new AppError('bad_request', 'The request is not JSON.', { cause: error });
  }
}

/** Short HTTP answers in JSON-RPC's shape. */
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
