/**
 * Listens for client apps over HTTP: on 127.0.0.1 by default, with a token and checks of Host and Origin, then routed
 * by protocol and endpoint.
 */
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, errorText } from '../../base/errors.ts';
import { MemoryReclaimer } from '../../base/memory-reclaimer.ts';
import { type HttpSettings, defaultDrainSeconds } from '../../config/app-config.ts';
import { isSameToken } from '../../base/core-proof.ts';
import type { ConnectionBudgets } from '../../wire/byte-budget.ts';
import { largeLength } from '../../wire/frame-reader.ts';
import { isRequest, type RequestId, rpcCode } from '../../wire/message.ts';
import { type Endpoint, KnownEndpoints, unknownEndpointError } from '../views/endpoint.ts';
import type { InboundRequest } from './inbound-request.ts';
import { endStreamAt, EventStreams } from './event-stream.ts';
import {
  requestRefusal,
  sendContinue,
  closeUnlessConsumed,
  idOf,
  notAcceptable,
  methodNotAllowed,
  notJson,
  parseBody,
  readTextBody,
  type HttpRefusal,
  httpRefusal,
  refusalOf,
  sendRefusal,
  requestPath,
  assertContentLength,
  retryLater,
  unauthorized,
  writeEmpty,
} from './http-io.ts';
import { withHttpTrace } from './http-trace-context.ts';
import { type Inbound, isJson, parseInbound, acceptsJsonAndEvents } from './parse-inbound.ts';
import { StatefulHttp, type OpenSession } from './stateful-http.ts';
import type { SessionBinding } from './stateful-http-transport.ts';
import { rejectForeignOrigin } from './dns-rebinding-guard.ts';
import { StatelessEndpoints, type OpenStatelessEndpoint } from './stateless-endpoints.ts';
import type { StatelessEndpoint } from './stateless-endpoint.ts';

/** Replaces the access checks of a desktop, which are local addresses and the tokens of a home. */
export interface HttpAccess {
  /** Address to listen on. */
  readonly address: string;
  /** Refuses requests by Host and Origin. */
  readonly refuseStranger: (request: IncomingMessage) => HttpRefusal | undefined;
  /** Authenticates a request; returns why if refused. Rejects with AppError. */
  readonly letIn: (request: IncomingMessage) => Promise<Authenticated | HttpRefusal>;
  /** Runs the work for a request, for example with its ids in the log. */
  readonly inScope: (request: IncomingMessage, response: ServerResponse, work: () => void) => void;
  /** Returns why an authenticated client is refused this request. */
  readonly refuseRequest: (inbound: InboundRequest) => HttpRefusal | undefined;
}

export interface HttpListenerOptions {
  /** Absent: 127.0.0.1, local host names, and the tokens below. */
  readonly access?: HttpAccess | undefined;
  /** Undefined: no token is required (tests only). */
  readonly token: string | undefined;
  /** Whether the token is that of this client app, which opens `/mcp/app/<app>`. */
  readonly acceptsAppToken: (app: string, token: string) => boolean;
  /** Returns the id of a token that opens `/mcp/p/<profile>`, or the reason why it does not. */
  readonly judgeProfileToken: (profile: string, token: string) => string | AppError;
  /** Receives the client app that the address names, if any; throws AppError `not_allowed` to refuse it. */
  readonly admitApp: (app: string | undefined) => void;
  /** Pending until servers are known; undefined: they are. */
  readonly starting: () => Promise<void> | undefined;
  readonly openLegacy: (endpoint: Endpoint) => OpenSession;
  readonly openModern: OpenStatelessEndpoint;
  /** Whether an endpoint serves the extensions that an app of 2026-07-28 declares. */
  readonly takesKind: (endpoint: Endpoint) => boolean;
  /** Answers anything outside of /mcp; resolves to false if the path is not its own either. */
  readonly other: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Returns the current limits. */
  readonly limits: () => HttpSettings;
  /** How long shutdown waits for running requests if the limits do not say, in seconds. */
  readonly fallbackDrainSeconds?: number | undefined;
  /** Number of results and server-initiated requests, besides sessions, that apps still have to fetch. */
  readonly awaited: () => number;
  /** Memory budgets for unread and partly read data of all connections together. */
  readonly budgets: ConnectionBudgets;
  /** Keep-alive timeout of an idle connection, in ms; absent for Node's default. */
  readonly retainMs?: number | undefined;
  readonly onWarning: (text: string) => void;
}

/**
 * Connections allowed in addition to those with a stream or a request: idle ones, and some that are not authenticated.
 */
const spareConnections = 1_000;
const requestTimeoutMs = 120_000;
/**
 * Value of `Retry-After` if the listener is at its limit or Tooltray is stopping, in seconds; it may have restarted by
 * then.
 */
const retrySeconds = 5;
const shutdownRetrySeconds = 10;
/** Approximate garbage of a finished request, in bytes, and the idle time before it is collected, in ms. */
const exchangeBytes = 100_000;
const memoryQuietMs = 10_000;
/** Poll interval while pending responses drain at shutdown, in ms. */
const drainPollIntervalMs = 25;

export class HttpListener {
  readonly #options: HttpListenerOptions;
  readonly #streams: EventStreams;
  readonly #legacy: StatefulHttp;
  readonly #modern: StatelessEndpoints;
  readonly #servers = new Set<HttpServer>();
  /** Open responses by the token of a profile or user, which may be revoked. */
  readonly #toTokens = new Map<string, Map<number, ServerResponse>>();
  #lastFollowed = 0;
  readonly #endpoints = new KnownEndpoints();
  /** Numbers of running requests and open streams. */
  readonly #open = { requests: 0, streams: 0 };
  readonly #memory = new MemoryReclaimer(memoryQuietMs);
  #isEnding = false;
  #isDraining = false;

  constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.#streams = new EventStreams(options.budgets.unread);
    this.#legacy = new StatefulHttp(this.#streams, options.limits);
    this.#modern = new StatelessEndpoints(options.openModern, options.takesKind);
  }

  get statelessEndpoints(): readonly StatelessEndpoint[] {
    return this.#modern.all;
  }

  /** Numbers of open requests, streams and sessions. */
  get counts(): { readonly requests: number; readonly streams: number; readonly sessions: number } {
    return { ...this.#open, sessions: this.#legacy.count };
  }

  /** How long pending responses may take at shutdown, in ms. */
  get drainMs(): number {
    const { limits, fallbackDrainSeconds: usual = defaultDrainSeconds } = this.#options;
    return (limits().drainSeconds ?? usual) * 1000;
  }

  /**
   * Opens another port; 0 takes any free one. Resolves to the port. Rejects with AppError
   * `port_in_use`.
   */
  async open(port: number): Promise<number> {
    const { access, limits, retainMs } = this.#options;
    const host = access?.address ?? '127.0.0.1';
    const options = {
      connectionsCheckingInterval: 2000,
      headersTimeout: 10_000,
      // Limits how long the request may take to arrive; responses may take as long as a tool does, and streams stay
      // open.
      requestTimeout: requestTimeoutMs,
      ...(retainMs !== undefined && { keepAliveTimeout: retainMs }),
      // Without this, a second Host, token or version would be dropped silently; joined, it is invalid.
      joinDuplicateHeaders: true,
    };
    const server = createServer(options, (request, response) => this.#take(request, response));
    // Refuses a client that sends `Expect: 100-continue` before it sends its body.
    server.on('checkContinue', (request, response) => this.#take(request, response));
    const bound = (): void => {
      const { maxStreams, maxRequests } = limits();
      server.maxConnections = maxStreams + maxRequests + spareConnections;
    };
    bound();
    server.on('connection', bound);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(portError(error, port)));
      server.listen(port, host, resolve);
    });
    this.#servers.add(server);
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Ends the app's stateless requests and streams; its sessions are ended by their owner. */
  endApp(app: string): void {
    this.#modern.end(app);
  }

  /** The same for endpoints whose view ended. */
  endStateless(isOver: (endpoint: StatelessEndpoint) => boolean): void {
    this.#modern.endWhere(isOver);
  }

  /** Tokens of profiles and users in use, which may be revoked. */
  get openTokens(): ReadonlySet<string> {
    return new Set([...this.#legacy.tokens, ...this.#modern.tokens, ...this.#toTokens.keys()]);
  }

  /** Ends sessions and streams of tokens that were revoked. */
  async endTokens(isOver: (id: string) => boolean): Promise<void> {
    const over = (id: string | undefined): boolean => id !== undefined && isOver(id);
    const ended = this.#legacy.end(({ token }) => over(token));
    this.#modern.endTokens(over);
    for (const [id, responses] of this.#toTokens)
      if (isOver(id)) for (const response of responses.values()) response.destroy();
    await ended;
  }

  /**
   * Called before `stop` on one of several replicas: serves for `noticeMs` until the load balancer sends nothing more,
   * then refuses connections. Resolves when no client waits for a response, or after the time limit, which includes
   * the notice.
   */
  async drain(noticeMs: number): Promise<void> {
    this.#isDraining = true;
    const until = Date.now() + this.drainMs;
    await new Promise((resolve) => setTimeout(resolve, noticeMs));
    for (const server of this.#servers) server.close();
    while (this.#isAwaited && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, drainPollIntervalMs));
  }

  /** Whether a request is pending, or a client will fetch a response. */
  get #isAwaited(): boolean {
    return this.#open.requests > 0 || !this.#legacy.isIdle || this.#options.awaited() > 0;
  }

  /** Refuses new requests, waits for running ones up to the limit, then ends everything. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    const closed = Promise.all(
      [...this.#servers].map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
    // `drain` has waited already.
    if (!this.#isDraining) await this.#drained(this.drainMs);
    // Ends streams before their connections.
    this.#modern.close();
    await this.#legacy.close();
    await new Promise((resolve) => setImmediate(resolve));
    for (const server of this.#servers) server.closeAllConnections();
    this.#memory.close();
    await closed;
  }

  /** Resolves when only streams are open, or after `maxMs`. */
  async #drained(maxMs: number): Promise<void> {
    const until = Date.now() + maxMs;
    while (this.#open.requests > 0 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, drainPollIntervalMs));
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    response.once('finish', () => closeUnlessConsumed(request));
    if (this.#isEnding || this.#isDraining) response.shouldKeepAlive = false;
    const { access } = this.#options;
    if (access === undefined) void this.#answer(request, response);
    else access.inScope(request, response, () => void this.#answer(request, response));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const stranger = (this.#options.access?.refuseStranger ?? rejectForeignOrigin)(request);
      if (stranger !== undefined) return sendRefusal(response, stranger);
      const pathname = requestPath(request);
      const endpoint = this.#endpoints.at(pathname);
      if (endpoint === undefined) return await this.#elsewhere(pathname, request, response);
      const entry = await this.#entry(request, endpoint);
      if ('status' in entry) return sendRefusal(response, entry);
      this.#options.admitApp(endpoint.app);
      const starting = this.#options.starting();
      if (starting !== undefined) await starting;
      this.#follow(entry, response);
      const place = { path: pathname, ...entry };
      await this.#mcp(bounded(endpoint, place), place, request, response);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'cancelled') this.#options.onWarning(errorText(error));
      sendRefusal(response, requestRefusal(error));
    }
  }

  async #elsewhere(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    sendContinue(request, response);
    if (await this.#options.other(request, response)) return;
    sendRefusal(response, httpRefusal(404, rpcCode.invalidRequest, unknownEndpointError(pathname).text));
  }

  /** Ends the response when its token is revoked. */
  #follow({ token }: Authenticated, response: ServerResponse): void {
    if (token === undefined) return;
    const open = this.#toTokens.get(token) ?? new Map<number, ServerResponse>();
    this.#toTokens.set(token, open);
    const id = ++this.#lastFollowed;
    open.set(id, response);
    response.once('close', () => {
      open.delete(id);
      if (open.size === 0 && this.#toTokens.get(token) === open) this.#toTokens.delete(token);
    });
  }

  #entry(
    request: IncomingMessage,
    endpoint: Endpoint,
  ): Authenticated | HttpRefusal | Promise<Authenticated | HttpRefusal> {
    const { access } = this.#options;
    if (access !== undefined) return access.letIn(request);
    const holder = this.#holder(request, endpoint);
    return holder === undefined || holder instanceof AppError ? unauthorized(holder) : holder;
  }

  /**
   * Returns the token's holder (user, app, or profile), otherwise the reason for the refusal if there is one to tell.
   */
  #holder(request: IncomingMessage, { app, profile }: Endpoint): Authenticated | AppError | undefined {
    const { token, acceptsAppToken, judgeProfileToken } = this.#options;
    if (token === undefined) return { holder: 'person' };
    const given = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) return undefined;
    if (isSameToken(given, token)) return { holder: 'person' };
    if (app !== undefined && acceptsAppToken(app, given)) return { holder: `app ${app}` };
    const id = profile === undefined ? undefined : judgeProfileToken(profile, given);
    return typeof id === 'string' ? { holder: `token ${id}`, token: id } : id;
  }

  /** The refusal at capacity. A client beyond capacity must wait, so that running requests are not slowed down. */
  #outOfCapacity(what: 'requests' | 'streams'): HttpRefusal | undefined {
    if (this.#isEnding) {
      const why = new AppError('session_limit', 'Tooltray is shutting down.', {
        fix: 'Retry when it is running again.',
      });
      return retryLater(503, why, shutdownRetrySeconds);
    }
    const { maxRequests, maxStreams } = this.#options.limits();
    const most = what === 'requests' ? maxRequests : maxStreams;
    if (this.#open[what] < most) return undefined;
    const why = new AppError('session_limit', `${most} ${what} are open, which is the limit.`, {
      fix: `Wait until some have ended, or raise http.max${what === 'requests' ? 'Requests' : 'Streams'} in the config.`,
    });
    return retryLater(503, why, retrySeconds);
  }

  async #mcp(
    endpoint: Endpoint,
    place: SessionBinding,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    switch (request.method) {
      case 'POST':
        return this.#post(endpoint, place, request, response);
      case 'GET':
        endStreamAt(place.until, response);
        return await this.#taken('streams', response, null, () => this.#legacy.listen(request, response, place));
      case 'DELETE':
        return this.#legacy.remove(request, response, place);
      default:
        sendRefusal(response, methodNotAllowed);
    }
  }

  /** Serves a request if there is capacity. A stream stays open, so it does not count as a request. */
  #taken(
    what: 'requests' | 'streams',
    response: ServerResponse,
    id: RequestId | null,
    serve: () => void | Promise<void>,
  ): void | Promise<void> {
    const full = this.#outOfCapacity(what);
    if (full !== undefined) return sendRefusal(response, { ...full, id });
    this.#open[what]++;
    response.once('close', () => {
      this.#open[what]--;
      this.#memory.noteReleased(exchangeBytes);
    });
    return serve();
  }

  async #post(
    endpoint: Endpoint,
    place: SessionBinding,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { headers } = request;
    if (!isJson(headers['content-type'])) return sendRefusal(response, notJson);
    if (!acceptsJsonAndEvents(headers.accept)) return sendRefusal(response, notAcceptable);
    const most = this.#options.limits().maxBodyMB * 1024 * 1024;
    assertContentLength(request, most);
    sendContinue(request, response);
    const text = await readTextBody(request, most, this.#options.budgets.unfinished);
    return this.#posted(endpoint, place, text, request, response);
  }

  async #posted(
    endpoint: Endpoint,
    place: SessionBinding,
    text: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = parseBody(text);
    if (text.length > largeLength) await nextTurn();
    const parsed = parseInbound(body, request.headers);
    // Traces exist only in a team.
    const inbound = this.#options.access === undefined ? parsed : withHttpTrace(parsed, request.headers);
    const inboundRequest = { request, response, endpoint, place, body: { text, inbound } };
    try {
      const refused = this.#options.access?.refuseRequest(inboundRequest);
      if (refused !== undefined) return sendRefusal(response, refused);
      switch (inbound.kind) {
        case 'legacy': {
          const open = this.#options.openLegacy(endpoint);
          const serve = (): Promise<void> => this.#legacy.post(inbound, request, response, place, open);
          // Replies to server-initiated requests and cancellations always pass, because others wait for them.
          if (!inbound.messages.some(isRequest)) return await serve();
          return await this.#taken('requests', response, idOfFirst(inbound), serve);
        }
        case 'modern': {
          const { method, id, params } = inbound.request;
          const what = method === 'subscriptions/listen' ? 'streams' : 'requests';
          const serving = this.#modern.at(endpoint, place, params);
          if (what === 'streams') endStreamAt(place.until, response);
          return await this.#taken(what, response, id, () =>
            serving.serve(inbound.request, request, response, this.#streams),
          );
        }
        case 'acknowledged':
          return writeEmpty(response, 202);
        case 'refused':
          return sendRefusal(response, inbound.refusal);
      }
    } catch (error) {
      sendRefusal(response, refusalOf(error, inbound.kind === 'modern' ? inbound.request.id : idOfFirst(inbound)));
    }
  }
}

/** Identity of an authenticated client; each identity has its own `holder`. */
export type Authenticated = Omit<SessionBinding, 'path'>;

/** Adds the user's profiles to the endpoint. */
function bounded(endpoint: Endpoint, { person }: SessionBinding): Endpoint {
  return person === undefined ? endpoint : { ...endpoint, bounds: person.bounds };
}

function idOfFirst(inbound: Inbound): RequestId | null {
  return inbound.kind === 'legacy' && !inbound.isBatch ? idOf(inbound.messages[0]) : null;
}

function portError(error: NodeJS.ErrnoException, port: number): AppError {
  if (error.code !== 'EADDRINUSE')
    return new AppError('port_in_use', `Port ${port} cannot be used: ${error.message}.`, { cause: error });
  return new AppError('port_in_use', `Port ${port} is in use by another program.`, {
    fix: 'Choose a different port with --port; --port 0 selects a free one.',
    cause: error,
  });
}
