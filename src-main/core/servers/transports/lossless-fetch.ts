/** The fetch that the SDK's HTTP transports are given: it taps every message and turns HTTP failures into AppErrors. */
import { AppError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { isFailure, type Message, rpcCode, type RpcFailure } from '../../wire/message.ts';
import { type Exchange, exchangeHeader, type Exchanges } from './exchanges.ts';
import { type HttpPlace, networkError, statusError } from './http-errors.ts';
import type { FetchLike } from './http-fetch.ts';
import type { MessageTap } from './message-tap.ts';
import { readBody, type ReadOptions } from './read-messages.ts';
import { tapEventStream } from './tap-event-stream.ts';

export interface LosslessFetchOptions extends ReadOptions {
  readonly place: HttpPlace;
  readonly fetch: FetchLike;
  readonly tap: MessageTap;
  readonly exchanges: Exchanges;
  /** Resolves when the server's streams may be read on. */
  readonly flow?: (() => Promise<void> | undefined) | undefined;
  /** A POST of an open session was answered by 404. */
  readonly onSessionLost: () => void;
  /** The stream for what belongs to no request was asked for; undefined: the server could not be reached. */
  readonly onListen?: (status: number | undefined) => void;
}

export function createLosslessFetch(options: LosslessFetchOptions): FetchLike {
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    const exchange = options.exchanges.match(headers);
    headers.delete(exchangeHeader);
    const listens = init.method === 'GET' && exchange === undefined;
    const response = await unlessAborted(options, init, () => options.fetch(url, { ...init, headers })).catch(
      (error: unknown) => {
        if (listens && init.signal?.aborted !== true) options.onListen?.(undefined);
        throw error;
      },
    );
    if (listens) options.onListen?.(response.status);
    // Redirects are followed, or not, by the SDK.
    if (response.status >= 400 && init.method === 'POST') {
      return refused(options, response, exchange, headers.has('mcp-session-id'));
    }
    if (!response.ok || response.body === null) return response;
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (exchange !== undefined) exchange.answerFollows = type === 'text/event-stream' || response.status === 202;
    if (type === 'text/event-stream') {
      return new Response(response.body.pipeThrough(tapEventStream({ ...options, exchange })), response);
    }
    if (type !== 'application/json' || exchange === undefined) return response;
    const messages = await unlessAborted(options, init, () => readBody(response.body as BodyStream, options));
    return stubResponse(options, messages, exchange, response.headers);
  };
}

type BodyStream = ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>;

async function unlessAborted<T>(options: LosslessFetchOptions, init: RequestInit, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (init.signal?.aborted === true || error instanceof AppError) throw error;
    throw networkError(options.place, error);
  }
}

/** A 202 tells the SDK that there is nothing to read. */
function stubResponse(options: LosslessFetchOptions, messages: Message[], exchange: Exchange, from: Headers): Response {
  const headers = new Headers(from);
  headers.delete('content-length');
  if (messages.length === 0) return new Response(null, { status: 202, headers });
  const stubs = messages.map((message) => options.tap.keep(message, exchange.id));
  return new Response(stubs.length === 1 ? stubs[0] : `[${stubs.join(',')}]`, { status: 200, headers });
}

async function refused(
  options: LosslessFetchOptions,
  response: Response,
  exchange: Exchange | undefined,
  hadSession: boolean,
): Promise<Response> {
  const text = await readStart(response);
  const failure = readFailure(text);
  const sessionGone = hadSession && response.status === 404 && failure?.error.code !== rpcCode.methodNotFound;
  if (failure !== undefined && exchange !== undefined && !sessionGone && isAnswer(failure, exchange, response.status)) {
    const headers = new Headers({ 'content-type': 'application/json' });
    return stubResponse(options, [{ ...failure, id: exchange.id }], exchange, headers);
  }
  if (sessionGone) options.onSessionLost();
  throw statusError(
    options.place,
    response.status,
    failure?.error.message ?? text,
    response.headers.get('www-authenticate'),
  );
}

/** These concern the address, not the request: sign in; no POST here, which may mean the older transport. */
const notAnswers: ReadonlySet<number> = new Set([401, 403, 405]);

/** 2026-07-28 answers many errors with a status of 400 or 404; a body without an id answers the request it came back for. */
function isAnswer(failure: RpcFailure, exchange: Exchange, status: number): boolean {
  if (notAnswers.has(status)) return false;
  return failure.id === null || failure.id === undefined || failure.id === exchange.id;
}

function readFailure(text: string): RpcFailure | undefined {
  try {
    const value = parseJson(text);
    if (!isObject(value) || value['jsonrpc'] !== '2.0' || !isFailure(value as unknown as Message)) return undefined;
    return isObject(value['error']) ? (value as unknown as RpcFailure) : undefined;
  } catch {
    return undefined;
  }
}

const maxErrorBytes = 1024 * 1024;

/** The beginning of an error's body, which is enough to say what it is about. */
async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > maxErrorBytes) break;
    }
  } catch {
    // The status says enough.
  }
  return Buffer.concat(chunks).toString('utf8');
}
