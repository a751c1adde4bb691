/** Reads HTTP requests and writes short responses in one piece. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type ErrorCode, toAppError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { ByteBudget, ByteHolder } from '../../wire/byte-budget.ts';
import { ChunkBuffer } from '../../wire/frame-reader.ts';
import { type Message, type RequestId, rpcCode, type RpcErrorBody, serializeMessage } from '../../wire/message.ts';
import { toErrorBody } from '../../wire/peer.ts';

/** The path, not decoded. Throws AppError `bad_request` for an invalid address. */
export function requestPath({ url = '/' }: IncomingMessage): string {
  if (/^(?:\/[\w-]+)+$/.test(url)) return url;
  try {
    return new URL(url, 'http://127.0.0.1').pathname;
  } catch (cause) {
    throw badAddress(cause);
  }
}

/** Decodes a part of a path. Throws AppError `bad_request` for an invalid percent escape. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw badAddress(cause);
  }
}

function badAddress(cause: unknown): AppError {
  return new AppError('bad_request', 'The URL of the request is invalid.', { cause });
}

/** Throws AppError `message_too_large` if the declared length exceeds the limit. */
export function assertContentLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** Rejects with AppError `message_too_large`, or cancelled if the client disconnects early. */
export function readTextBody(request: IncomingMessage, maxBytes: number, unfinished?: ByteBudget): Promise<string> {
  return new BodyReader(request, maxBytes, unfinished).text;
}

/** Smaller bodies are not counted against the budget. */
const longBytes = 1024 * 1024;

/** Collects the bytes of one body. */
class BodyReader implements ByteHolder {
  readonly text: Promise<string>;
  readonly #request: IncomingMessage;
  readonly #maxBytes: number;
  readonly #unfinished: ByteBudget | undefined;
  #gathered = new ChunkBuffer();
  #size = 0;
  #resolve!: (text: string) => void;
  #reject!: (why: AppError) => void;
  #isOver = false;

  constructor(request: IncomingMessage, maxBytes: number, unfinished: ByteBudget | undefined) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#unfinished = unfinished;
    this.text = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.on('end', () => this.#end());
    // 'close' follows every error.
    request.on('error', () => undefined);
    request.on('close', () => {
      if (!this.#isOver)
        this.#fail(new AppError('cancelled', 'The client disconnected before the request was complete.'));
    });
  }

  /** Rejects the body because its memory is needed for others. */
  drop(): void {
    const text = `A request of ${Math.round(this.#size / longBytes)} MB did not fit into memory.`;
    this.#fail(new AppError('session_limit', text, { fix: 'Retry later.' }));
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) return this.#fail(tooLarge(this.#maxBytes));
    this.#gathered.push(chunk);
    if (this.#size > longBytes) this.#unfinished?.set(this, this.#size);
  }

  #end(): void {
    if (this.#isOver) return;
    const parts = this.#gathered.parts();
    this.#close();
    this.#resolve((parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString('utf8'));
  }

  #fail(why: AppError): void {
    if (this.#isOver) return;
    this.#close();
    this.#reject(why);
    // The rest of the body is discarded; the listener disconnects a client that keeps sending.
    this.#request.resume();
  }

  #close(): void {
    this.#isOver = true;
    this.#gathered = new ChunkBuffer();
    if (this.#size > longBytes) this.#unfinished?.set(this, 0);
  }
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('message_too_large', `The request is larger than ${Math.round(maxBytes / 1024 / 1024)} MB.`);
}

/** Throws AppError `bad_request`. */
export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new AppError('bad_request', 'The request is not valid JSON.', { cause: error });
  }
}

/** The reason why a request is not served, as an HTTP response. */
export interface HttpRefusal {
  readonly status: number;
  readonly error: RpcErrorBody;
  readonly id?: RequestId | null;
  readonly headers?: readonly string[];
}

export function httpRefusal(status: number, code: number, message: string, id: RequestId | null = null): HttpRefusal {
  return { status, error: { code, message }, id };
}

/** A refusal with `Retry-After`, in seconds. */
export function retryLater(
  status: 429 | 503,
  why: AppError,
  seconds: number,
  id: RequestId | null = null,
): HttpRefusal {
  return { status, error: toErrorBody(why), id, headers: ['retry-after', String(seconds)] };
}

const statuses: ReadonlyMap<ErrorCode, number> = new Map([
  ['bad_request', 400],
  ['not_allowed', 403],
  ['server_not_found', 404],
  ['mode_unknown', 404],
  // An unknown profile.
  ['not_found', 404],
  ['message_too_large', 413],
  ['cancelled', 499],
]);

/** Value of `Retry-After` if the server is at its limit, in seconds. */
const retrySeconds = 5;

/** Converts an error on the way to an endpoint. */
export function refusalOf(error: unknown, id: RequestId | null = null): HttpRefusal {
  const known = toAppError(error);
  if (known.code === 'session_limit') return retryLater(429, known, retrySeconds, id);
  if (known.code === 'store_unreachable') return retryLater(503, known, retrySeconds, id);
  return { status: statuses.get(known.code) ?? 500, error: toErrorBody(known), id };
}

/** Writes the refusal, or ends a response that has started. */
export function sendRefusal(response: ServerResponse, { status, error, id = null, headers = [] }: HttpRefusal): void {
  writeJson(response, status, { jsonrpc: '2.0', id, error }, headers);
}

/** Writes one message as the whole response, head and body in one piece. `headers`: names and values in turn. */
export function writeJson(
  response: ServerResponse,
  status: number,
  message: Message | readonly Message[],
  headers: readonly string[] = [],
): void {
  if (response.headersSent || response.destroyed) {
    response.end();
    return;
  }
  const pieces = Array.isArray(message) ? listOf(message as readonly Message[]) : bodyOf(message as Message);
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  response.writeHead(status, [...jsonHeaders, String(length), ...headers]);
  const last = pieces.pop();
  if (pieces.length > 0) response.cork();
  for (const piece of pieces) response.write(piece);
  response.end(last);
  if (pieces.length > 0) response.uncork();
}

const jsonHeaders = ['content-type', 'application/json', 'cache-control', 'no-store', 'content-length'];

/** Without line breaks. */
function bodyOf(message: Message): (string | Buffer)[] {
  const pieces = serializeMessage(message);
  pieces.push((pieces.pop() as string).slice(0, -1));
  return pieces;
}

function listOf(messages: readonly Message[]): (string | Buffer)[] {
  const parts = messages.flatMap((message, at) => [at === 0 ? '[' : ',', ...bodyOf(message)]);
  return [...parts, ']'];
}

/** Writes a response without a body. */
export function writeEmpty(response: ServerResponse, status: number, headers: readonly string[] = []): void {
  response.writeHead(status, ['content-length', '0', ...headers]);
  response.end();
}

/** The id of a JSON-RPC request, for errors that answer it. */
export function idOf(body: unknown): RequestId | null {
  const id = typeof body === 'object' && body !== null && 'method' in body && 'id' in body ? body.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** How long a client that received an early response may read it, in ms. */
const closeGraceMs = 500;

/** Tells a client that sent `Expect: 100-continue` to send the body. */
export function sendContinue({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect !== undefined && httpVersion === '1.1') response.writeContinue();
}

/** Closes a connection whose body continues after the response, because it would stay open forever. */
export function closeUnlessConsumed(request: IncomingMessage): void {
  if (request.complete) return;
  // A request that arrived completely and was not read leaves the connection reusable.
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, closeGraceMs).unref();
}

// Refusals before authentication.

export const notJson = httpRefusal(
  415,
  rpcCode.aborted,
  'The body must be JSON: Content-Type must be application/json.',
);
export const notAcceptable = httpRefusal(
  406,
  rpcCode.aborted,
  'Accept must include application/json and text/event-stream.',
);
export const methodNotAllowed: HttpRefusal = {
  ...httpRefusal(405, rpcCode.aborted, 'This endpoint supports POST, GET and DELETE.'),
  headers: ['allow', 'GET, POST, DELETE'],
};

export function unauthorized(why: AppError | undefined): HttpRefusal {
  const message =
    why?.text ??
    'Authentication required: Authorization: Bearer <token>. "tooltray serve" prints the location of the token.';
  return { ...httpRefusal(401, rpcCode.aborted, message), headers: ['www-authenticate', 'Bearer realm="tooltray"'] };
}

/** Returns the refusal of an unreadable request: the fault is the address or the body, not the params of a message. */
export function requestRefusal(error: unknown): HttpRefusal {
  const why = refusalOf(error);
  return why.status === 400 ? { ...why, error: { ...why.error, code: rpcCode.parse } } : why;
}
