/**
 * One connection to one server: a transport, JSON-RPC on it, and the calls in flight. Shared by all sessions, or
 * private to one if the server sends requests to its client.
 */
import { AppError } from '../base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../base/json.ts';
import { RateLimiter } from '../base/semaphore.ts';
import { type ClientIdentity, metaKeys, metaOf, withRequestMeta, withoutRequestMeta } from '../wire/protocol-kind.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { Peer, type PeerHandlers, type RequestOptions } from '../wire/peer.ts';
import { scalarOf, toObject } from '../wire/raw-json.ts';
import type { MessageOrigin, Transport } from '../wire/transport.ts';
import { type CallContext, InFlightCalls } from './in-flight-calls.ts';
import { settleWithin } from '../base/settle-within.ts';
import { confirmsLostSession, lostSession, mayBeLostSession } from './lost-session.ts';
import { listChangedMethods } from './listing.ts';
import { type Handshake, type HandshakeOptions, performHandshake } from './handshake.ts';
import {
  checkLink,
  inputRequests,
  maxOpenServerRequests,
  labelInputRequests,
  labelServerRequest,
  ServerRequestLimiter,
  withWebLinks,
} from './server-initiated-requests.ts';

interface ConnectionEvents {
  onClose(error?: Error): void;
  onWarning(text: string): void;
  onNotification(method: string, params: JsonObject): void;
  /** A log message of the server, for any recipient. */
  onLogged?(params: JsonObject): void;
  /** The server sent a request to its client: `routed` says whether the recipient was clear. */
  onAsk(method: string, routed: boolean): void;
}

interface ConnectionOptions {
  /** The server's name, for requests to the user. */
  readonly server: string;
  readonly transport: Transport;
  readonly identity: ClientIdentity;
  readonly events: ConnectionEvents;
  /** Whether the transport is HTTP, where a request of 2026-07-28 is cancelled by closing its stream. */
  readonly http: boolean;
  /** Time limit of a request, in ms; progress restarts it. */
  readonly callTimeoutMs: number;
  /** The session of a private connection, which receives all of the server's requests. */
  readonly owner?: () => CallContext | undefined;
}

export interface RequestExtra {
  /** Replaces the context's signal. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Extensions declared with our own request in 2026-07-28, in addition to the usual ones. */
  readonly extensions?: JsonObject | undefined;
}

/** How long a server may take to confirm that it still knows the session, in ms. */
const sessionCheckMs = 5000;
/** Rate limit for logged anomalies. */
const warningRate = { atOnce: 50, perSecond: 0.2 };
/** Rate limit for notifications to a client app; others are dropped. */
const passingRate = { atOnce: 1000, perSecond: 200 };

/** Maximum number of input rounds; a 2026-07-28 server may request input after each reply. */
const maxInputRounds = 16;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #peer: Peer;
  readonly #calls: InFlightCalls;
  readonly #questions = new ServerRequestLimiter();
  readonly #warningLimit = new RateLimiter(warningRate);
  readonly #passing = new RateLimiter(passingRate);
  #leftOut = 0;
  /** A running check whether the server still knows our session. */
  #asksForSession: Promise<boolean> | undefined;
  #finished: (() => void) | undefined;
  #handshake: Handshake | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#calls = new InFlightCalls(options.owner);
    const handlers: PeerHandlers = {
      onRequest: (method, params, context) => this.#onRequest(method, params, context.origin, context.signal),
      onNotification: (method, params, origin) => this.#onNotification(method, params, origin),
      onClose: (error) => options.events.onClose(error),
      onWarning: (text) => this.#odd(text),
    };
    this.#peer = new Peer(options.transport, handlers, { open: { most: maxOpenServerRequests, beyond: 'hold' } });
  }

  async open(options: Omit<HandshakeOptions, 'identity' | 'onVersion'>): Promise<Handshake> {
    const { identity, transport } = this.#options;
    this.#handshake = await performHandshake(this.#peer, {
      ...options,
      identity,
      isInstalling: () => this.isInstalling,
      onVersion: (version) => transport.setProtocolVersion?.(version),
    });
    return this.#handshake;
  }

  get handshake(): Handshake | undefined {
    return this.#handshake;
  }

  get isInstalling(): boolean {
    return this.#options.transport.isInstalling === true;
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  /** Sends a request for a session, or for Tooltray itself. Rejects with RpcError or AppError. */
  request(method: string, params: JsonObject, context?: CallContext, extra: RequestExtra = {}): Promise<Result> {
    return this.#handshake?.era === 'modern'
      ? this.#modernRequest(method, params, context, extra)
      : this.#send(method, withoutRequestMeta(params), context, extra);
  }

  /**
   * Returns why the connection is broken; undefined if the server responds or is busy. With `needsAnswer`, an idle
   * server that does not respond counts as broken, too.
   */
  async checkAlive(timeoutMs: number, needsAnswer = false): Promise<AppError | undefined> {
    const isIdle = this.#calls.size === 0;
    const method = this.#handshake?.era === 'modern' ? 'server/discover' : 'ping';
    const error = await this.request(method, {}, undefined, { timeoutMs }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AppError)) return undefined;
    return error.code === 'server_unreachable' || (needsAnswer && isIdle) ? error : undefined;
  }

  notify(method: string, params?: JsonObject): void {
    this.#peer.notify(method, params);
  }

  close(): Promise<void> {
    return this.#peer.close(stopped());
  }

  /** Closes the connection when no request of ours is pending, or after `limitMs`. */
  async closeWhenDone(limitMs: number): Promise<void> {
    const finished = new Promise<void>((resolve) => (this.#finished = resolve));
    if (this.#peer.inFlight > 0) await settleWithin(finished, limitMs);
    await this.close();
  }

  /** Resolves `input_required` for a session that cannot, by asking its client app and calling again. */
  async #modernRequest(
    method: string,
    params: JsonObject,
    context?: CallContext,
    extra: RequestExtra = {},
  ): Promise<Result> {
    const enveloped = withRequestMeta(params, this.#identityFor(context, extra.extensions));
    let result = await this.#send(method, enveloped, context, extra);
    if (context === undefined) return result;
    const { server } = this.#options;
    if (context.acceptsInputRequired)
      return labelInputRequests(context.namesServers === true ? server : undefined, result);
    for (let round = 0; round < maxInputRounds && isInputRequired(result); round++) {
      const response = toObject(result);
      this.#options.events.onAsk('input_required', true);
      const inputResponses = await this.#answerAll(response, context);
      const state = response['requestState'] === undefined ? {} : { requestState: response['requestState'] };
      result = await this.#send(method, { ...enveloped, inputResponses, ...state }, context, extra);
    }
    return result;
  }

  async #send(
    method: string,
    params: JsonObject,
    context: CallContext | undefined,
    extra: RequestExtra,
  ): Promise<Result> {
    let id = 0;
    let answered = true;
    const options: RequestOptions = {
      signal: extra.signal ?? context?.signal,
      onProgress: context?.onProgress && this.#mayPass(translateProgress(params, context.onProgress)),
      timeoutMs: finite(extra.timeoutMs ?? this.#options.callTimeoutMs),
      cancelBy: this.#options.http && this.#handshake?.era === 'modern' ? 'signal' : 'notification',
      headers: extra.headers,
      onId: (sentAs) => {
        id = sentAs;
        if (context !== undefined) this.#calls.add(id, context);
      },
    };
    try {
      return await this.#peer.request(method, params, options);
    } catch (error) {
      answered = error instanceof RpcError;
      if (await this.#hasLostSession(method, error)) throw lostSession(this.#options.server);
      throw error instanceof RpcError ? withWebLinks(error) : error;
    } finally {
      this.#calls.remove(id, answered);
      if (this.#peer.inFlight === 0) this.#finished?.();
    }
  }

  /** Whether the request failed because the server does not know our session, checked with `ping`. */
  async #hasLostSession(method: string, error: unknown): Promise<boolean> {
    const hasSession = this.#options.http && this.#handshake?.era === 'legacy';
    if (!hasSession || method === 'ping' || !mayBeLostSession(error)) return false;
    this.#asksForSession ??= this.#peer.request('ping', {}, { timeoutMs: sessionCheckMs }).then(
      () => false,
      (reason: unknown) => confirmsLostSession(reason),
    );
    const isLost = await this.#asksForSession;
    this.#asksForSession = undefined;
    return isLost;
  }

  #identityFor(context: CallContext | undefined, extensions: JsonObject = {}): ClientIdentity {
    if (context === undefined) {
      const { identity } = this.#options;
      if (Object.keys(extensions).length === 0) return identity;
      const declared = { ...objectOrEmpty(identity.capabilities['extensions']), ...extensions };
      return { ...identity, capabilities: { ...identity.capabilities, extensions: declared } };
    }
    return { clientInfo: context.clientInfo, capabilities: context.clientCapabilities, logLevel: context.logLevel };
  }

  async #onRequest(
    method: string,
    params: JsonObject,
    origin: MessageOrigin | undefined,
    signal: AbortSignal,
  ): Promise<Result> {
    if (method === 'ping') return {};
    const context = await this.#calls.resolveOwner(origin?.relatedRequestId, signal);
    this.#options.events.onAsk(method, context !== undefined);
    if (context !== undefined) return this.#ask(method, params, context, signal);
    // Without a session, an empty list of roots is correct, and lets servers use the folders of their command line.
    if (method === 'roots/list') return { roots: [] };
    throw new RpcError(
      rpcCode.methodNotFound,
      `${method} could not be assigned to one client app, because several use this server. Call again; each app now has its own connection.`,
    );
  }

  /** Rejects with RpcError: the client app's error, or that this server sends too many requests. */
  async #ask(method: string, params: JsonObject, context: CallContext, signal: AbortSignal): Promise<Result> {
    this.#questions.admit(method);
    checkLink(method, params);
    const labeled = context.namesServers === true ? labelServerRequest(this.#options.server, method, params) : params;
    return context.askClient(method, labeled, signal);
  }

  async #answerAll(response: JsonObject, context: CallContext): Promise<JsonObject> {
    const replies = inputRequests(response).map(async ([key, method, params]): Promise<[string, unknown]> => [
      key,
      await this.#ask(method, params, context, context.signal),
    ]);
    return Object.fromEntries(await Promise.all(replies));
  }

  #mayPass(onProgress: (params: JsonObject) => void): (params: JsonObject) => void {
    return (params) => {
      if (this.#passes()) onProgress(params);
    };
  }

  /** Whether the rate limit permits another notification. */
  #passes(): boolean {
    if (this.#passing.tryAcquire()) return true;
    if (this.#leftOut++ === 0) this.#odd('It sends too many notifications; some are dropped.');
    return false;
  }

  #odd(text: string): void {
    if (this.#warningLimit.tryAcquire()) this.#options.events.onWarning(text);
  }

  #onNotification(method: string, params: JsonObject, origin: MessageOrigin | undefined): void {
    // The acknowledgment belongs to our own request; sessions subscribe through it.
    if (method === 'notifications/subscriptions/acknowledged') return;
    if (!listChangedMethods.has(method) && !this.#passes()) return;
    if (method === 'notifications/message') this.#options.events.onLogged?.(params);
    const context = method === 'notifications/message' ? this.#calls.ownerOf(origin?.relatedRequestId) : undefined;
    const forwarded = { ...params, ...withoutSubscription(params) };
    if (context !== undefined) context.onLog(forwarded);
    else this.#options.events.onNotification(method, forwarded);
  }
}

/** The error for calls that were running when we closed the connection. */
function stopped(): AppError {
  return new AppError('server_exited', 'The server was stopped or restarted during the call.', {
    fix: 'The call may have taken effect. Check before you retry.',
    data: { stopped: true },
  });
}

function isInputRequired(result: Result): boolean {
  return scalarOf(result, 'resultType') === 'input_required';
}

/** Replaces our progress token with the client app's. */
function translateProgress(params: JsonObject, onProgress: (params: JsonObject) => void): (params: JsonObject) => void {
  const theirs = metaOf(params)['progressToken'];
  return (progress) =>
    onProgress(
      theirs === undefined ? progress : { ...progress, progressToken: theirs, ...withoutSubscription(progress) },
    );
}

function withoutSubscription(params: JsonObject): JsonObject {
  const meta = metaOf(params);
  if (!(metaKeys.subscriptionId in meta)) return {};
  const { [metaKeys.subscriptionId]: _dropped, ...otherMeta } = meta;
  return { _meta: otherMeta };
}

/** Undefined for Infinity and for values beyond the maximum delay of timers (2^31 ms). */
function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.min(ms, 2 ** 31 - 1) : undefined;
}
