/**
 * JSON-RPC over a transport, without schemas: ids, responses, cancellation, progress tokens, time limits. Unknown
 * members pass unchanged; the owner of the peer interprets the methods.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, errorText } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import {
  isFailure,
  isRequest,
  type Message,
  openId,
  ownId,
  type RequestId,
  type Result,
  rpcCode,
  RpcError,
  type RpcErrorBody,
  type RpcRequest,
} from './message.ts';
import type { MessageOrigin, SendOptions, Transport } from './transport.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the params of each progress notification; if set, our own token is sent. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Maximum silence in ms: a response or progress must arrive within it. Default: unlimited. */
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly relatedRequestId?: RequestId | undefined;
  /** How a request is cancelled: by a notification (stateful), or only by the signal (2026-07-28 over HTTP). */
  readonly cancelBy?: 'notification' | 'signal';
  /** Called with the id of the request before it is sent. */
  readonly onId?: ((id: number) => void) | undefined;
}

interface InboundContext {
  readonly id: RequestId;
  /** Aborts when the other side cancels or disconnects. */
  readonly signal: AbortSignal;
  readonly origin: MessageOrigin | undefined;
}

export interface PeerHandlers {
  onRequest(method: string, params: JsonObject, context: InboundContext): Promise<Result>;
  onNotification(method: string, params: JsonObject, origin: MessageOrigin | undefined): void;
  onClose(error?: Error): void;
  onWarning?(text: string): void;
}

export interface PeerOptions {
  /** First request id, 0 by default; must not repeat on a connection that another core may take over. */
  readonly firstId?: number;
  /**
   * Maximum number of open requests of the other side, and what happens beyond: reading pauses until half of them are
   * done, or each further one is rejected, so that cancellations still arrive.
   */
  readonly open?: { readonly most: number; readonly beyond: 'hold' | 'refuse' };
}

export class Peer {
  readonly #transport: Transport;
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<RequestId, PendingRequest>();
  readonly #inbound = new Map<RequestId, AbortController>();
  readonly #line: RequestLine = {
    forget: (id) => void this.#pending.delete(id),
    notify: (method, params, options) => this.notify(method, params, options),
  };
  readonly #maxOpen: NonNullable<PeerOptions['open']>;
  /** Number of requests being served; higher than the number of ids if the other side uses one twice. */
  #serving = 0;
  #held = false;
  #lastId: number;
  #closed: Error | undefined;

  constructor(transport: Transport, handlers: PeerHandlers, { firstId = 0, open }: PeerOptions = {}) {
    this.#transport = transport;
    this.#handlers = handlers;
    this.#lastId = firstId;
    this.#maxOpen = open ?? { most: Infinity, beyond: 'hold' };
  }

  start(): Promise<void> {
    return this.#transport.start({
      onMessage: (message, origin) => this.#receive(message, origin),
      onClose: (error) => this.#end(error),
      onWarning: (text) => this.#handlers.onWarning?.(text),
    });
  }

  /** Number of our unanswered requests. */
  get inFlight(): number {
    return this.#pending.size;
  }

  /**
   * Sends a request and waits for its result. Rejects with RpcError (the other side's error, verbatim), or AppError:
   * cancelled, `call_timeout`, or the reason why the connection closed.
   */
  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<Result> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (options.signal?.aborted === true) return Promise.reject(cancelledError(options.signal));
    const id = ++this.#lastId;
    options.onId?.(id);
    const pending = new PendingRequest(id, method, options, this.#line, this.#pending.size === 0);
    this.#pending.set(id, pending);
    const sent = options.onProgress === undefined ? params : withProgressToken(params, id);
    this.#transport
      .send({ jsonrpc: '2.0', id, method, params: sent }, pending)
      .catch((error: unknown) => pending.reject(error instanceof Error ? error : new Error(String(error))));
    return pending.answer;
  }

  /** Sends a notification; a closed connection is not an error here, because onClose reports it. */
  notify(method: string, params?: JsonObject, options?: SendOptions): void {
    void this.notifyAndFlush(method, params, options);
  }

  /** The same, resolved when it was sent, for notifications that must precede others. Never rejects. */
  async notifyAndFlush(method: string, params?: JsonObject, options?: SendOptions): Promise<void> {
    if (this.#closed !== undefined) return;
    const message =
      params === undefined ? { jsonrpc: '2.0' as const, method } : { jsonrpc: '2.0' as const, method, params };
    await this.#transport
      .send(message, options)
      .catch((error: unknown) => this.#handlers.onWarning?.(errorText(error)));
  }

  /** `why`: the error of requests in flight. */
  async close(why: Error = new AppError('cancelled', 'The connection was closed.')): Promise<void> {
    this.#end(undefined, why);
    await this.#transport.close();
  }

  /** Closes the connection; unanswered requests of the other side are answered with `why`. */
  async closeWithError(why: AppError): Promise<void> {
    const waiting = [...this.#inbound];
    for (const [, controller] of waiting) controller.abort(why.code);
    const error = toErrorBody(why);
    await Promise.all(waiting.map(([id]) => this.#answer({ jsonrpc: '2.0', id, error })));
    await this.close(why);
  }

  #receive(message: Message, origin: MessageOrigin | undefined): void {
    if ('method' in message) {
      if (isRequest(message)) void this.#serve(message, origin);
      else this.#hear(message.method, objectOrEmpty(message.params), origin);
    } else {
      const pending = this.#pending.get(ownId(message.id) as RequestId);
      if (pending === undefined)
        this.#handlers.onWarning?.(
          `Received a response for request ${JSON.stringify(message.id)}, which is not pending.`,
        );
      else if (isFailure(message))
        pending.reject(message.lost instanceof AppError ? message.lost : toRpcError(message.error));
      else if (message.result === null) pending.resolve({});
      else if (isObject(message.result)) pending.resolve(message.result);
      else pending.reject(noAnswer(pending.method, message.result));
    }
  }

  #hear(method: string, params: JsonObject, origin: MessageOrigin | undefined): void {
    if (method === 'notifications/progress') {
      this.#pending.get(ownId(params['progressToken']) as RequestId)?.progress(params);
    } else if (method === 'notifications/cancelled') {
      this.#inbound.get(openId(this.#inbound, params['requestId']))?.abort(params['reason']);
    } else this.#handlers.onNotification(method, params, origin);
  }

  async #serve(request: RpcRequest, origin: MessageOrigin | undefined): Promise<void> {
    const controller = new AbortController();
    this.#serving++;
    this.#keepBound();
    try {
      if (request.lost instanceof AppError) throw request.lost;
      if (this.#serving > this.#maxOpen.most && this.#maxOpen.beyond === 'refuse') throw this.#tooMany();
      this.#inbound.set(request.id, controller);
      if (origin?.isLarge === true) {
        await nextTurn();
        if (controller.signal.aborted) return;
      }
      const result = await this.#handlers.onRequest(request.method, objectOrEmpty(request.params), {
        id: request.id,
        signal: controller.signal,
        origin,
      });
      if (!controller.signal.aborted) await this.#answer({ jsonrpc: '2.0', id: request.id, result });
    } catch (error) {
      if (!controller.signal.aborted) await this.#answer({ jsonrpc: '2.0', id: request.id, error: toErrorBody(error) });
    } finally {
      if (this.#inbound.get(request.id) === controller) this.#inbound.delete(request.id);
      this.#serving--;
      this.#keepBound();
    }
  }

  /** Pauses the other side while it has too many open requests or unread responses. */
  #keepBound(): void {
    const { most, beyond } = this.#maxOpen;
    const held = beyond === 'hold' && this.#serving >= (this.#held ? most / 2 : most);
    if (held === this.#held) return;
    this.#held = held;
    this.#transport.setReadPaused?.(held);
  }

  #tooMany(): AppError {
    return new AppError('session_limit', `${this.#maxOpen.most} requests on this connection are pending.`, {
      fix: 'Wait for some of them to finish.',
    });
  }

  async #answer(message: Message): Promise<void> {
    try {
      await this.#transport.send(
        message,
        'id' in message && message.id !== null ? { relatedRequestId: message.id } : undefined,
      );
    } catch (error) {
      this.#handlers.onWarning?.(errorText(error));
    }
  }

  #end(error?: Error, why: Error | undefined = error): void {
    if (this.#closed !== undefined) return;
    this.#closed = why ?? new AppError('cancelled', 'The connection was closed.');
    for (const pending of [...this.#pending.values()]) pending.reject(this.#closed);
    for (const controller of this.#inbound.values()) controller.abort('disconnected');
    this.#handlers.onClose(error);
  }
}

/** Converts anything thrown to a JSON-RPC error: an RpcError unchanged, an AppError with its code as data. */
export function toErrorBody(error: unknown): RpcErrorBody {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  if (error instanceof AppError) {
    const code =
      error.code === 'bad_request'
        ? rpcCode.invalidParams
        : error.code === 'cancelled'
          ? rpcCode.aborted
          : rpcCode.internal;
    return { code, message: error.text, data: { code: error.code, ...error.data } };
  }
  return { code: rpcCode.internal, message: errorText(error) };
}

function toRpcError(body: RpcErrorBody): RpcError {
  const message = typeof body.message === 'string' ? body.message : JSON.stringify(body);
  return new RpcError(typeof body.code === 'number' ? body.code : rpcCode.internal, message, body.data);
}

function withProgressToken(params: JsonObject | undefined, token: number): JsonObject {
  const meta = isObject(params?.['_meta']) ? params['_meta'] : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

/** Without an error, the request would wait forever. */
function noAnswer(method: string, result: unknown): AppError {
  const what = result === undefined ? 'neither a result nor an error' : 'a result that is not an object';
  return new AppError('server_protocol', `The response to ${method} has ${what}.`);
}

// An outgoing request in flight: settled by its response, its time limit, its cancellation, or the end of the
// connection.

/** The functions of a connection that a request needs. */
interface RequestLine {
  /** Removes a request that no longer waits. */
  forget(id: number): void;
  notify(method: string, params: JsonObject, options: SendOptions): void;
}

class PendingRequest implements SendOptions {
  readonly method: string;
  readonly answer: Promise<Result>;
  readonly alone: boolean;
  readonly #id: number;
  readonly #options: RequestOptions;
  readonly #line: RequestLine;
  readonly #timer: NodeJS.Timeout | undefined;
  #resolve!: (result: Result) => void;
  #reject!: (error: Error) => void;
  #controller: AbortController | undefined;
  #givenUp: AppError | undefined;

  constructor(id: number, method: string, options: RequestOptions, line: RequestLine, alone: boolean) {
    this.method = method;
    this.alone = alone;
    this.#id = id;
    this.#options = options;
    this.#line = line;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    options.signal?.addEventListener('abort', this.#giveUp, { once: true });
    const { timeoutMs } = options;
    if (timeoutMs === undefined) return;
    this.#timer = setTimeout(() => this.#abandon(timedOut(method, timeoutMs)), timeoutMs).unref();
  }

  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#options.headers;
  }

  get relatedRequestId(): RequestId | undefined {
    return this.#options.relatedRequestId;
  }

  /** Created on demand, because most transports do not use it, and one per call kept the garbage collector busy. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#givenUp !== undefined) this.#controller.abort(this.#givenUp);
    return this.#controller.signal;
  }

  progress(params: JsonObject): void {
    this.#timer?.refresh();
    this.#options.onProgress?.(params);
  }

  resolve(result: Result): void {
    this.#settled();
    this.#resolve(result);
  }

  reject(error: Error): void {
    this.#settled();
    this.#reject(error);
  }

  /** Handles the abort of the request's own signal. */
  readonly #giveUp = (): void => this.#abandon(cancelledError(this.#options.signal as AbortSignal));

  #abandon(error: AppError): void {
    const { cancelBy, relatedRequestId } = this.#options;
    if (cancelBy !== 'signal') {
      // Over HTTP on the request's own stream, because there may be no other.
      const params = { requestId: this.#id, reason: error.message };
      this.#line.notify('notifications/cancelled', params, { relatedRequestId });
    }
    this.reject(error);
    this.#givenUp = error;
    this.#controller?.abort(error);
  }

  #settled(): void {
    this.#line.forget(this.#id);
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#giveUp);
  }
}

/** The error of a request that was not sent, or is no longer waited for. */
export function cancelledError(signal: AbortSignal): AppError {
  const reason = typeof signal.reason === 'string' ? signal.reason : 'the call was cancelled';
  return new AppError('cancelled', `Cancelled: ${reason}.`);
}

function timedOut(method: string, timeoutMs: number): AppError {
  return new AppError('call_timeout', `No response to ${method} within ${timeoutMs / 1000} s.`);
}
