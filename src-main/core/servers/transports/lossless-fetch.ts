/** The fetch for the SDK's HTTP transports: taps every message and turns HTTP failures into AppErrors. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { AppError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { ByteBudget } from '../../wire/byte-budget.ts';
import { FrameReader } from '../../wire/frame-reader.ts';
import { isFailure, type Message, ownId, rpcCode, type RpcFailure } from '../../wire/message.ts';
import { lostSession } from '../lost-session.ts';
import { type HttpTarget, networkError, pageError, statusError } from '../network/http-errors.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import type { ListenPauses } from './listen-pauses.ts';
import { type PendingPost, postIdHeader, type PendingPosts, type MessageTap } from './message-tap.ts';

export interface LosslessFetchOptions extends ReadOptions {
  readonly place: HttpTarget;
  readonly fetch: FetchLike;
  readonly tap: MessageTap;
  readonly exchanges: PendingPosts;
  /** Resolves when reading of the server's streams may continue. */
  readonly flow?: (() => Promise<void> | undefined) | undefined;
  /**
   * Called when the stream for unsolicited messages was requested, with the status; undefined if the server was
   * unreachable.
   */
  readonly onListen?: (status: number | undefined) => void;
  /** Decides when that stream is reopened. */
  readonly listenPauses?: ListenPauses;
}

export function createLosslessFetch(options: LosslessFetchOptions): FetchLike {
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    const exchange = options.exchanges.match(headers);
    headers.delete(postIdHeader);
    const listens = init.method === 'GET' && exchange === undefined;
    if (listens) await options.listenPauses?.turn(init.signal ?? undefined);
    const response = await unlessAborted(options, init, () => options.fetch(url, { ...init, headers })).catch(
      (error: unknown) => {
        if (listens && init.signal?.aborted !== true) options.onListen?.(undefined);
        throw error;
      },
    );
    if (listens) options.onListen?.(response.status);
    if (listens && response.status === 200) options.listenPauses?.opened();
    // The SDK follows redirects, or rejects them.
    if (response.status >= 400 && init.method === 'POST') {
      return refused(options, response, exchange, headers.has('mcp-session-id'));
    }
    if (!response.ok || response.body === null) return response;
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type === 'text/html' && init.method === 'POST') throw pageError(options.place, response.status);
    if (exchange !== undefined) exchange.answerFollows = type === 'text/event-stream' || response.status === 202;
    if (type === 'text/event-stream') {
      return new Response(response.body.pipeThrough(tapEventStream({ ...options, exchange })), response);
    }
    if (type !== 'application/json' || exchange === undefined) return response;
    const messages = await unlessAborted(options, init, () => readBody(response.body as BodyStream, options, exchange));
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

/** The SDK takes a 202 to mean that there is no body to read. */
function stubResponse(
  options: LosslessFetchOptions,
  messages: Message[],
  exchange: PendingPost,
  from: Headers,
): Response {
  const headers = new Headers(from);
  headers.delete('content-length');
  if (messages.length === 0) return new Response(null, { status: 202, headers });
  const stubs = messages.map((message) => options.tap.store(message, exchange.id));
  return new Response(stubs.length === 1 ? stubs[0] : `[${stubs.join(',')}]`, { status: 200, headers });
}

async function refused(
  options: LosslessFetchOptions,
  response: Response,
  exchange: PendingPost | undefined,
  hadSession: boolean,
): Promise<Response> {
  const text = await readStart(response);
  const failure = readFailure(text);
  const sessionGone = hadSession && response.status === 404 && failure?.error.code !== rpcCode.methodNotFound;
  if (failure !== undefined && exchange !== undefined && !sessionGone && isAnswer(failure, exchange, response.status)) {
    const headers = new Headers({ 'content-type': 'application/json' });
    return stubResponse(options, [{ ...failure, id: exchange.id }], exchange, headers);
  }
  if (sessionGone) throw lostSession(options.place.serverName);
  throw statusError(
    options.place,
    response.status,
    failure?.error.message ?? text,
    response.headers.get('www-authenticate'),
  );
}

/**
 * These statuses concern the address, not the request: a sign-in is needed, or POST is unsupported, which may mean the
 * older transport.
 */
const errorResponses: ReadonlySet<number> = new Set([401, 403, 405]);

/**
 * In 2026-07-28 many errors have status 400 or 404; a body without an id is the response to the request that it came
 * back for.
 */
function isAnswer(failure: RpcFailure, exchange: PendingPost, status: number): boolean {
  if (errorResponses.has(status)) return false;
  return failure.id === null || failure.id === undefined || ownId(failure.id) === exchange.id;
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

/** Returns the start of an error's body, which is enough to describe the error. */
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

// Forwards an event stream with each message replaced by its stub; ids, comments and retry times stay unchanged.

interface EventStreamTapOptions extends ReadOptions {
  readonly tap: MessageTap;
  /** The request whose response the stream carries, if any. */
  readonly exchange: PendingPost | undefined;
  /** Resolves when reading may continue. */
  readonly flow?: (() => Promise<void> | undefined) | undefined;
  readonly listenPauses?: ListenPauses;
}

function tapEventStream(options: EventStreamTapOptions): TransformStream<Uint8Array, Uint8Array> {
  const { tap, exchange } = options;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let out = '';
  let overflow = false;
  /** Number of bytes since the last event. */
  let pending = 0;
  const parser = createParser({
    maxBufferSize: options.maxMessageBytes,
    onId: (id) => {
      if (exchange !== undefined && id !== '') exchange.lastEventId = id;
    },
    onEvent: (event) => {
      pending = 0;
      out += rewriteEvent(event, options);
    },
    onComment: (comment) => {
      out += `:${comment}\n`;
    },
    onRetry: (milliseconds) => {
      if (exchange === undefined) options.listenPauses?.broughtSomething();
      out += `retry: ${milliseconds}\n\n`;
    },
    onError: (error) => {
      overflow ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  return new TransformStream({
    async transform(chunk, controller) {
      await options.flow?.();
      pending += chunk.byteLength;
      overflow = pending > messageLimit(options);
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (overflow) {
        const failure = tooLarge(options);
        if (failure !== undefined) out += writeEvent({ data: tap.store(failure, exchange?.id) });
      }
      if (out !== '') controller.enqueue(encoder.encode(out));
      out = '';
      // The parser cannot continue after that; the rest of this stream is lost.
      if (overflow) controller.terminate();
    },
  });
}

function rewriteEvent(event: EventSourceMessage, options: EventStreamTapOptions): string {
  const carriesMessage = event.data !== '' && (event.event === undefined || event.event === 'message');
  if (!carriesMessage) return writeEvent(event);
  if (options.exchange === undefined) options.listenPauses?.broughtSomething();
  const stubs = readMessages(event.data, options, options.exchange).map((message) =>
    options.tap.store(message, options.exchange?.id),
  );
  // Only the last message of a batch carries the id, so that a resumed stream repeats none.
  if (stubs.length === 0) return writeEvent({ ...event, data: '' });
  return stubs.map((data, index) => writeEvent(index === stubs.length - 1 ? { ...event, data } : { data })).join('');
}

function writeEvent(event: EventSourceMessage): string {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  const type = event.event === undefined ? '' : `event: ${event.event}\n`;
  const data = event.data.split('\n').map((line) => `data: ${line}\n`);
  return `${id}${type}${data.join('')}\n`;
}

function tooLarge(options: EventStreamTapOptions): Message | undefined {
  const message = `A message is over the limit of ${messageLimit(options)} bytes; its stream was closed. Request less at a time, or raise maxMessageMB for this server.`;
  options.onWarning(message);
  const { exchange } = options;
  if (exchange === undefined) return undefined;
  return { jsonrpc: '2.0', id: exchange.id, error: { code: rpcCode.aborted, message } };
}

// Parses JSON-RPC messages from a whole HTTP body or one event, without losing a digit or a key.

const newline = 0x0a;
const space = 0x20;

interface ReadOptions {
  readonly maxMessageBytes: number;
  readonly onWarning: (text: string) => void;
  /** Memory budget for long messages, shared by all connections. */
  readonly budget?: ByteBudget | undefined;
  /** Whether `initialize` has completed; until then messages must be short. */
  readonly greeted?: () => boolean;
}

/** Maximum size of a message before `initialize` has completed, in bytes. */
export const maxHandshakeBytes = 1024 * 1024;
/**
 * Maximum size of a parsed message, in bytes. Requests and notifications of a server are parsed, which blocks the core;
 * results of any length are not.
 */
export const maxParsedBytes = 32 * 1024 * 1024;

/** Returns the current maximum size of a message, in bytes. */
function messageLimit({ maxMessageBytes, greeted }: ReadOptions): number {
  return greeted?.() === false ? Math.min(maxHandshakeBytes, maxMessageBytes) : maxMessageBytes;
}

/** Returns one message, or several for a batch; invalid ones are reported and omitted. */
function readMessages(text: string, options: ReadOptions, exchange: PendingPost | undefined): Message[] {
  const { push, end, messages } = bodyReader(options, exchange);
  push(Buffer.from(text));
  end();
  return messages;
}

/** Like `readMessages`, for a body that is still arriving; rejects if it breaks off. */
async function readBody(
  body: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  exchange: PendingPost,
): Promise<Message[]> {
  const { push, end, drop, messages } = bodyReader(options, exchange);
  try {
    for await (const chunk of body) push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    end();
  } finally {
    drop();
  }
  return messages;
}

function bodyReader(options: ReadOptions, exchange: PendingPost | undefined) {
  const messages: Message[] = [];
  const reader = new FrameReader(
    {
      onMessage: (message) => messages.push(message),
      onWarning: (text) => {
        options.onWarning(text);
        const message = exchange === undefined ? undefined : bareError(text);
        if (exchange === undefined || message === undefined) return;
        messages.push({ jsonrpc: '2.0', id: exchange.id, error: { code: rpcCode.aborted, message } });
      },
      onEndless: () => {
        throw new AppError('message_too_large', 'A response does not end.');
      },
    },
    messageLimit(options),
    { budget: options.budget, maxParsedBytes: maxParsedBytes },
  );
  return {
    messages,
    end: () => reader.end(),
    drop: () => reader.drop(),
    // A body may be formatted over many lines. A JSON string contains no raw line break, so every line break is white
    // space.
    push: (chunk: Buffer) => reader.push(withoutNewlines(chunk)),
  };
}

/** Returns the error text of JSON that is not a JSON-RPC message: `{"error": "Session not found"}`. */
function bareError(text: string): string | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || 'method' in value || 'result' in value) return undefined;
  const { error } = value;
  const said = isObject(error) ? error['message'] : error;
  return typeof said === 'string' ? said.slice(0, maxBareErrorLength) : undefined;
}

/** Maximum length of such an error text, in characters. */
const maxBareErrorLength = 1000;

function withoutNewlines(chunk: Buffer): Buffer {
  let at = chunk.indexOf(newline);
  if (at < 0) return chunk;
  const copy = Buffer.from(chunk);
  for (; at >= 0; at = copy.indexOf(newline, at + 1)) copy[at] = space;
  return copy;
}
