/** One configured server over time: started, woken, retried, stopped; its listing kept fresh; its calls sent down the right line. */
import { AppError, toAppError } from '../base/errors.ts';
import { Event } from '../base/events.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { ServerConfig } from '../config/app-config.ts';
import type { ClientIdentity } from '../wire/eras.ts';
import { type Result, RpcError } from '../wire/message.ts';
import type { Transport } from '../wire/transport.ts';
import { backoffMs } from './backoff.ts';
import type { CallContext } from './call-context.ts';
import { Connection, type RequestExtra } from './connection.ts';
import type { Handshake } from './handshake.ts';
import { emptyListing, fetchListing, type Listing } from './listing.ts';
import type { CachedListing, ListingCache } from './listing-cache.ts';
import { ListingRefresher } from './listing-refresher.ts';
import { paramHeaders } from './param-headers.ts';
import { PrivateConnections } from './private-connections.ts';
import { serverHealth, type ServerHealth } from './server-health.ts';
import type { ServerState } from './server-state.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';
import type { StartSlots } from './start-slots.ts';

export interface ServerDeps {
  readonly createTransport: (config: ServerConfig) => Transport;
  readonly cache: ListingCache;
  /** How we introduce ourselves on shared connections: everything some client app may be able to do. */
  readonly identity: ClientIdentity;
  readonly slots: StartSlots;
  readonly now: () => number;
  readonly random: () => number;
  readonly onOddity: (server: string, text: string) => void;
}

export interface ServerNotification {
  readonly method: string;
  readonly params: JsonObject;
  /** The session it is for; undefined when it came on the shared connection and is not tied to a call. */
  readonly sessionId: string | undefined;
}

const pollMs = 5 * 60_000;
const listTimeoutMs = 60_000;
/** A line that held this long starts the back-off anew when it breaks. */
const stableMs = 30_000;
/** A call does not knock again at a server that failed this recently. */
const restMs = 500;

export class ManagedServer {
  readonly config: ServerConfig;
  /** State, health or problems changed. */
  readonly changed = new Event();
  /** The listing is not what it was. */
  readonly listingChanged = new Event();
  readonly notified = new Event<ServerNotification>();

  readonly #deps: ServerDeps;
  readonly #refresher = new ListingRefresher(() => this.#refresh());
  readonly #private: PrivateConnections;
  readonly #subscriptions: ServerSubscriptions;
  readonly #asks = new Set<string>();
  readonly #stopping = new AbortController();
  #state: ServerState;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #handshake: Handshake | undefined;
  #listing: Listing = emptyListing;
  #listedAt: number | undefined;
  #problems: readonly string[] = [];
  #failures = 0;
  #failedAt = 0;
  #usedAt = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;

  constructor(config: ServerConfig, deps: ServerDeps) {
    this.config = config;
    this.#deps = deps;
    this.#state = config.enabled ? { kind: 'disconnected' } : { kind: 'disabled' };
    this.#private = new PrivateConnections((owner, closed) => this.#openPrivate(owner, closed));
    this.#subscriptions = new ServerSubscriptions(() => this.#connection, (method) => this.#hear(method, {}, undefined));
  }

  get state(): ServerState {
    return this.#state;
  }

  get listing(): Listing {
    return this.#listing;
  }

  /** When the listing was read, in ms since 1970; undefined until it has been. */
  get listedAt(): number | undefined {
    return this.#listedAt;
  }

  get handshake(): Handshake | undefined {
    return this.#handshake;
  }

  get health(): ServerHealth {
    const { lazy } = this.config;
    return serverHealth({ state: this.#state, tools: this.#listing.tools.length, lazy, problems: this.#problems, now: this.#deps.now() });
  }

  /** Takes over what the cache knows. To be called before `start`. */
  async restore(): Promise<void> {
    const cached = await this.#deps.cache.read(this.config.hash);
    if (cached === undefined) return;
    this.#listing = cached.listing;
    this.#listedAt = cached.at;
    this.#handshake = cached.handshake;
    for (const method of cached.asks) this.#asks.add(method);
  }

  /** Starts unless disabled, or lazy with a known listing. Resolves when ready or failed; never rejects. */
  async start(): Promise<void> {
    if (!this.config.enabled || (this.config.lazy && this.#listedAt !== undefined)) return;
    await this.#connect().then(
      () => this.#refresher.now(),
      () => undefined,
    );
  }

  /** Forgets the back-off and tries at once. Resolves when ready; rejects with the reason it is not. */
  async retry(): Promise<void> {
    this.#failures = 0;
    await this.#closeShared();
    await this.#connect();
    await this.#refresher.now();
  }

  async stop(): Promise<void> {
    this.#stopping.abort('the server is being stopped');
    this.#refresher.stop();
    await Promise.all([this.#private.closeAll(), this.#closeShared()]);
    this.#set({ kind: this.config.enabled ? 'disconnected' : 'disabled' });
  }

  /** Sends a request on behalf of a session. Rejects with the server's RpcError, or an AppError that names the server. */
  async request(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    this.#usedAt = this.#deps.now();
    try {
      const connection = await this.#lineFor(context);
      const extra: RequestExtra = this.config.kind === 'http' && method === 'tools/call' ? { headers: this.#paramHeaders(params) } : {};
      return await connection.request(method, params, context, extra);
    } catch (error) {
      throw error instanceof RpcError ? error : this.#named(error);
    } finally {
      this.#usedAt = this.#deps.now();
    }
  }

  /** Notifications of a client app that concern this server (roots changed, vendor ones) go to its own line. */
  notify(method: string, params: JsonObject, sessionId: string): void {
    this.#private.find(sessionId)?.notify(method, params);
  }

  async subscribe(uri: string, context: CallContext): Promise<Result> {
    if (this.#needsPrivate(context)) return this.request('resources/subscribe', { uri }, context);
    await this.#connect();
    return this.#subscriptions.add(uri, context.sessionId);
  }

  async unsubscribe(uri: string, context: CallContext): Promise<Result> {
    if (this.#needsPrivate(context)) return this.request('resources/unsubscribe', { uri }, context);
    return this.#subscriptions.remove(uri, context.sessionId);
  }

  subscribers(uri: string): ReadonlySet<string> {
    return this.#subscriptions.sessions(uri);
  }

  async setLogLevel(level: string, context: CallContext): Promise<void> {
    if (!isObject(this.#handshake?.capabilities['logging'])) return;
    if (this.#needsPrivate(context)) await this.request('logging/setLevel', { level }, context);
    else this.#subscriptions.setLogLevel(level, context.sessionId);
  }

  async endSession(sessionId: string): Promise<void> {
    this.#subscriptions.endSession(sessionId);
    await this.#private.close(sessionId);
  }

  /** The shared connection, opened if need be. Rejects with AppError naming the server. */
  #connect(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    const { state } = this;
    if (state.kind === 'disabled') {
      const message = `${this.config.name} is switched off.`;
      return Promise.reject(new AppError('server_disabled', message, { fix: `Switch it on: tooltray enable ${this.config.name}.` }));
    }
    if (state.kind === 'error' && this.#deps.now() - this.#failedAt < restMs) return Promise.reject(state.error);
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<Connection> {
    clearTimeout(this.#retryTimer);
    this.#set({ kind: 'connecting', since: this.#deps.now() });
    const connection = this.#newConnection(this.#deps.identity, undefined, (error) => this.#lost(connection, error));
    try {
      this.#handshake = await this.#deps.slots.run(() => this.#greet(connection));
    } catch (error) {
      void connection.close();
      throw this.#failed(error);
    }
    this.#connection = connection;
    this.#set({ kind: 'discovering', since: this.#deps.now() });
    this.#subscriptions.opened(this.#handshake);
    void this.#refresher.now();
    this.#watch(this.#handshake);
    return connection;
  }

  #greet(connection: Connection): Promise<Handshake> {
    const { initTimeoutMs } = this.config;
    return connection.open({ knownEra: this.#handshake?.era, timeoutMs: initTimeoutMs, signal: this.#stopping.signal });
  }

  #newConnection(identity: ClientIdentity, owner: (() => CallContext | undefined) | undefined, onClose: (error?: Error) => void): Connection {
    const { name, callTimeoutMs, kind } = this.config;
    return new Connection({
      transport: this.#deps.createTransport(this.config),
      identity,
      http: kind === 'http' || kind === 'sse',
      callTimeoutMs,
      ...(owner && { owner }),
      events: {
        onClose,
        onOddity: (text) => this.#deps.onOddity(name, text),
        onNotification: (method, params) => this.#hear(method, params, owner?.()?.sessionId),
        onAsk: (method) => this.#learnAsk(method),
      },
    });
  }

  async #openPrivate(owner: () => CallContext, closed: () => void): Promise<Connection> {
    const { clientInfo, clientCapabilities } = owner();
    const connection = this.#newConnection({ clientInfo, capabilities: clientCapabilities }, owner, closed);
    try {
      await this.#greet(connection);
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  #lineFor(context: CallContext): Promise<Connection> {
    if (this.#state.kind === 'pending-sign-in') return Promise.reject(this.#state.error);
    return this.#needsPrivate(context) && this.#state.kind !== 'disabled' ? this.#private.get(context) : this.#connect();
  }

  /** Only servers of the handshake era ask out of band; 2026-07-28 asks inside the answer to the call itself. */
  #needsPrivate(context: CallContext): boolean {
    if (this.#handshake?.era === 'modern') return false;
    return [...this.#asks].some((method) => isObject(context.clientCapabilities[capabilityFor(method)]));
  }

  #learnAsk(method: string): void {
    if (this.#asks.has(method) || capabilityFor(method) === '') return;
    this.#asks.add(method);
    void this.#remember();
  }

  #hear(method: string, params: JsonObject, sessionId: string | undefined): void {
    if (listChanges.has(method)) {
      if (sessionId === undefined) this.#refresher.soon();
    } else this.notified.emit({ method, params, sessionId });
  }

  async #refresh(): Promise<void> {
    const connection = this.#connection;
    const handshake = this.#handshake;
    if (connection === undefined || handshake === undefined) return;
    const signal = this.#stopping.signal;
    const ask = (method: string, params: JsonObject): Promise<Result> =>
      connection.request(method, params, undefined, { signal, timeoutMs: listTimeoutMs });
    try {
      const { listing, problems } = await fetchListing(ask, handshake.capabilities);
      if (connection !== this.#connection) return;
      this.#problems = [...new Set(problems)];
      this.#accept(listing);
    } catch (error) {
      this.#lost(connection, toAppError(error, 'server_protocol'));
    }
  }

  #accept(listing: Listing): void {
    const first = this.#listedAt === undefined;
    const same = !first && JSON.stringify(listing) === JSON.stringify(this.#listing);
    this.#listedAt = this.#deps.now();
    if (!same) this.#listing = listing;
    void this.#remember();
    this.#set({ kind: 'ready', since: this.#state.kind === 'ready' ? this.#state.since : this.#deps.now() });
    if (!same) this.listingChanged.emit();
  }

  async #remember(): Promise<void> {
    if (this.#handshake === undefined || this.#listedAt === undefined) return;
    const { hash, name } = this.config;
    const cached: CachedListing = { hash, at: this.#listedAt, handshake: this.#handshake, listing: this.#listing, asks: [...this.#asks] };
    try {
      await this.#deps.cache.write(cached);
    } catch (error) {
      this.#deps.onOddity(name, `Its listing could not be cached: ${toAppError(error).message}`);
    }
  }

  /** Servers that do not announce changes are asked every five minutes; idle ones may be sent to sleep. */
  #watch(handshake: Handshake): void {
    clearInterval(this.#poll);
    const { idleStopMs } = this.config;
    const tools = handshake.capabilities['tools'];
    const polled = !isObject(tools) || tools['listChanged'] !== true;
    const every = Math.min(polled ? pollMs : Infinity, idleStopMs ?? Infinity);
    if (every === Infinity) return;
    this.#usedAt = this.#deps.now();
    this.#poll = setInterval(() => {
      const idle = this.#deps.now() - this.#usedAt;
      if (idleStopMs !== undefined && idle >= idleStopMs && this.#connection?.inFlight === 0) void this.#sleep();
      else if (polled) this.#refresher.soon();
    }, every).unref();
  }

  async #sleep(): Promise<void> {
    await this.#closeShared();
    this.#set({ kind: 'disconnected' });
  }

  async #closeShared(): Promise<void> {
    clearTimeout(this.#retryTimer);
    clearInterval(this.#poll);
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
    await this.#opening?.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }

  #lost(connection: Connection, error: Error | undefined): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    clearInterval(this.#poll);
    void connection.close();
    if (this.#stopping.signal.aborted) return;
    if (this.#state.kind === 'ready' && this.#deps.now() - this.#state.since > stableMs) this.#failures = 0;
    this.#failed(error ?? new AppError('server_exited', 'The server ended the connection.'));
  }

  /** Notes a failure and plans the next try; a refused sign-in waits for the person instead. */
  #failed(error: unknown): AppError {
    const named = this.#named(error);
    this.#failures++;
    this.#failedAt = this.#deps.now();
    if (this.#stopping.signal.aborted) return named;
    if (named.code === 'server_unauthorized') {
      this.#set({ kind: 'pending-sign-in', error: named });
      return named;
    }
    const delay = backoffMs(this.#failures, this.#deps.random);
    this.#set({ kind: 'error', error: named, failures: this.#failures, retryAt: this.#deps.now() + delay });
    this.#retryTimer = setTimeout(() => void this.#connect().catch(() => undefined), delay);
    this.#retryTimer.unref();
    return named;
  }

  /** Every failure of a line says whose it is. */
  #named(error: unknown): AppError {
    const known = toAppError(error, error instanceof RpcError ? 'server_protocol' : 'server_unreachable');
    if (known.data?.['server'] === this.config.name) return known;
    const message = known.message.startsWith(this.config.name) ? known.message : `${this.config.name}: ${known.message}`;
    return new AppError(known.code, message, {
      ...(known.fix !== undefined && { fix: known.fix }),
      cause: known.cause ?? error,
      data: { ...known.data, server: this.config.name },
    });
  }

  #paramHeaders(params: JsonObject): Record<string, string> | undefined {
    return paramHeaders(
      this.#listing.tools.find((tool) => tool['name'] === params['name']),
      params['arguments'],
    );
  }

  #set(state: ServerState): void {
    this.#state = state;
    this.changed.emit();
  }
}

const listChanges: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
]);

/** The client capability that a question of the server needs; empty for anything else. */
function capabilityFor(method: string): string {
  if (method === 'sampling/createMessage') return 'sampling';
  if (method === 'elicitation/create') return 'elicitation';
  return method === 'roots/list' ? 'roots' : '';
}
