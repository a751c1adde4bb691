/** One configured server over time: started, woken, retried, put to sleep, stopped; each call sent down the right line. */
import { Event } from '../base/events.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { ServerConfig } from '../config/app-config.ts';
import { type Result, RpcError } from '../wire/message.ts';
import type { CallContext } from './call-context.ts';
import type { Connection, RequestExtra } from './connection.ts';
import type { Handshake } from './handshake.ts';
import { IdleWatch } from './idle-watch.ts';
import { LineOpener } from './line-opener.ts';
import { listChanges, type Listing } from './listing.ts';
import { ListingKeeper } from './listing-keeper.ts';
import { nameError } from './name-error.ts';
import { neededCapability } from './needed-capability.ts';
import { paramHeaders } from './param-headers.ts';
import { PrivateConnections } from './private-connections.ts';
import type { ServerDeps, ServerNotification } from './server-deps.ts';
import { serverHealth, type ServerHealth } from './server-health.ts';
import type { ServerState } from './server-state.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';
import { SharedLine } from './shared-line.ts';
import type { SignInAttempt } from './sign-in/sign-in-attempt.ts';

export class ManagedServer {
  readonly config: ServerConfig;
  /** State, health or problems changed. */
  readonly changed = new Event();
  /** The listing is not what it was. */
  readonly listingChanged = new Event();
  readonly notified = new Event<ServerNotification>();

  readonly #deps: ServerDeps;
  readonly #line: SharedLine;
  readonly #listings: ListingKeeper;
  readonly #private: PrivateConnections;
  readonly #subscriptions: ServerSubscriptions;
  readonly #opener: LineOpener;
  readonly #idle: IdleWatch;

  constructor(config: ServerConfig, deps: ServerDeps) {
    this.config = config;
    this.#deps = deps;
    this.#opener = this.#makeOpener();
    this.#line = this.#makeLine();
    this.#listings = this.#makeListings();
    this.#idle = new IdleWatch({
      idleMs: config.idleStopMs,
      now: deps.now,
      // Whoever subscribed to a resource relies on the process that watches it.
      isBusy: () => (this.#line.connection?.inFlight ?? 0) + this.#private.inFlight > 0 || this.#subscriptions.isUsed,
      onIdle: () => {
        if (this.#line.connection !== undefined) void this.#line.close();
        void this.#private.closeAll();
      },
    });
    this.#private = new PrivateConnections((owner, closed) => this.#opener.openPrivate(owner, closed));
    this.#subscriptions = new ServerSubscriptions(
      () => this.#line.connection,
      (method) => this.#hear(method, {}, undefined),
    );
  }

  get state(): ServerState {
    return this.#line.state;
  }

  get listing(): Listing {
    return this.#listings.listing;
  }

  /** When the listing was read, in ms since 1970; undefined until it has been. */
  get listedAt(): number | undefined {
    return this.#listings.listedAt;
  }

  get handshake(): Handshake | undefined {
    return this.#listings.handshake;
  }

  get health(): ServerHealth {
    const { problems } = this.#listings;
    return serverHealth({
      state: this.state,
      tools: this.listing.tools.length,
      lazy: this.config.lazy,
      problems,
      paused: this.#deps.pause.isOn,
      now: this.#deps.now(),
    });
  }

  /** Takes over what the cache knows. To be called before `start`. */
  restore(): Promise<void> {
    return this.#listings.restore();
  }

  /** Starts unless disabled, or lazy with a known listing. Resolves when ready or failed; never rejects. */
  async start(): Promise<void> {
    if (!this.config.enabled || (this.config.lazy && this.listedAt !== undefined)) return;
    await this.#line.connect().then(
      () => this.#listings.now(),
      () => undefined,
    );
  }

  /** Resolves when its listing is read, starting it if need be. Rejects with the reason it cannot be. */
  async ready(): Promise<void> {
    await this.#wake();
    await this.#listed();
  }

  /** Forgets the back-off and tries at once. Resolves when ready; rejects with the reason it is not. */
  async retry(): Promise<void> {
    await this.#line.reopen();
    await this.#listed();
  }

  /** Begins a sign-in; once the person is through, the server is tried by itself. Rejects with AppError. */
  async signIn(): Promise<SignInAttempt> {
    const signIn = this.#deps.signIns.get(this.config);
    return this.#line.authenticate(() => signIn.begin());
  }

  /** Ends its processes until somebody asks again. */
  async rest(): Promise<void> {
    await Promise.all([this.#private.closeAll(), this.#line.close()]);
  }

  async stop(): Promise<void> {
    this.#idle.stop();
    this.#opener.stop();
    await Promise.all([this.#private.closeAll(), this.#line.stop()]);
    await this.#listings.saved();
  }

  /** Sends a request on behalf of a session. Rejects with the server's RpcError, or an AppError that names the server. */
  async request(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    this.#idle.used();
    try {
      const connection = await this.#lineFor(context);
      return await connection.request(method, params, context, this.#extra(method, params));
    } catch (error) {
      throw error instanceof RpcError ? error : nameError(this.config.name, error);
    } finally {
      this.#idle.used();
    }
  }

  /** Notifications of a client app that concern this server (roots changed, vendor ones) go to its own line. */
  notify(method: string, params: JsonObject, sessionId: string): void {
    this.#private.find(sessionId)?.notify(method, params);
  }

  async subscribe(uri: string, context: CallContext): Promise<Result> {
    if (this.#needsPrivate(context)) return this.request('resources/subscribe', { uri }, context);
    await this.#wake();
    return this.#subscriptions.add(uri, context.sessionId);
  }

  async unsubscribe(uri: string, context: CallContext): Promise<Result> {
    // It may have subscribed before it was known that this server asks.
    const isShared = this.subscribers(uri).has(context.sessionId);
    if (this.#needsPrivate(context) && !isShared) return this.request('resources/unsubscribe', { uri }, context);
    return this.#subscriptions.remove(uri, context.sessionId);
  }

  subscribers(uri: string): ReadonlySet<string> {
    return this.#subscriptions.sessions(uri);
  }

  async setLogLevel(level: string, context: CallContext): Promise<void> {
    if (this.handshake !== undefined && !hasLogging(this.handshake)) return;
    if (!this.#needsPrivate(context)) this.#subscriptions.setLogLevel(level, context.sessionId);
    // No reason to start a process: a private line is told when it is opened.
    else if (this.#private.find(context.sessionId) !== undefined) {
      await this.request('logging/setLevel', { level }, context);
    }
  }

  async endSession(sessionId: string): Promise<void> {
    this.#subscriptions.endSession(sessionId);
    await this.#private.close(sessionId);
  }

  /** Reading the lists may be what the line fails at. */
  async #listed(): Promise<void> {
    await this.#listings.now();
    const { state } = this;
    if (state.kind === 'error' || state.kind === 'pending-sign-in') throw state.error;
  }

  #makeOpener(): LineOpener {
    const { createTransport, identity, slots, onOddity } = this.#deps;
    return new LineOpener({
      config: this.config,
      createTransport,
      identity,
      slots,
      knownEra: () => this.handshake?.era,
      onOpen: () => this.#idle.start(),
      onNotification: (method, params, sessionId) => this.#hear(method, params, sessionId),
      onAsk: (method) => {
        if (neededCapability(method) !== undefined) this.#listings.learnAsk(method);
      },
      onOddity: (text) => onOddity(this.config.name, text),
    });
  }

  #makeLine(): SharedLine {
    const { now, pause, random } = this.#deps;
    return new SharedLine({
      server: this.config.name,
      enabled: this.config.enabled,
      pause,
      now,
      random,
      open: (closed) => this.#opener.openShared(closed),
      onOpen: (connection) => this.#opened(connection),
      onClose: () => this.#listings.unfollow(),
      onState: () => this.changed.emit(),
    });
  }

  #makeListings(): ListingKeeper {
    const { cache, now, onOddity } = this.#deps;
    return new ListingKeeper({
      hash: this.config.hash,
      cache,
      now,
      onOddity: (text) => onOddity(this.config.name, text),
      onListed: (changed) => {
        this.#line.settled();
        if (changed) this.listingChanged.emit();
      },
      onFailed: (connection, error) => this.#line.lost(connection, error),
    });
  }

  #opened(connection: Connection): void {
    const { handshake } = connection;
    if (handshake === undefined) return;
    this.#listings.follow(connection, handshake);
    this.#subscriptions.opened(handshake);
  }

  #lineFor(context: CallContext): Promise<Connection> {
    const { state } = this;
    const { pause } = this.#deps;
    if (pause.isOn) return Promise.reject(pause.refusal(this.config.name));
    if (state.kind === 'pending-sign-in') return Promise.reject(state.error);
    return this.#needsPrivate(context) && state.kind !== 'disabled' ? this.#private.get(context) : this.#wake();
  }

  #wake(): Promise<Connection> {
    if (this.#line.connection === undefined) this.#opener.hurry();
    return this.#line.connect();
  }

  /** Only servers of the handshake era ask out of band; 2026-07-28 asks inside the answer to the call itself. */
  #needsPrivate(context: CallContext): boolean {
    if (this.handshake?.era === 'modern') return false;
    return [...this.#listings.asks].some((method) =>
      isObject(context.clientCapabilities[neededCapability(method) ?? '']),
    );
  }

  #hear(method: string, params: JsonObject, sessionId: string | undefined): void {
    if (!listChanges.has(method)) this.notified.emit({ method, params, sessionId });
    else if (sessionId === undefined) this.#listings.soon();
  }

  #extra(method: string, params: JsonObject): RequestExtra {
    if (this.config.kind !== 'http' || method !== 'tools/call') return {};
    const tool = this.listing.tools.find((one) => one['name'] === params['name']);
    return { headers: paramHeaders(tool, params['arguments']) };
  }
}

function hasLogging({ capabilities }: Handshake): boolean {
  return isObject(capabilities['logging']);
}
