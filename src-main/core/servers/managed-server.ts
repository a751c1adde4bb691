/** The life of one configured server: start, wake, retry, sleep, stop. */
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import type { JsonObject } from '../base/json.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Person } from '../security/principal.ts';
import type { Result } from '../wire/message.ts';
import { toObject } from '../wire/raw-json.ts';
import type { CallContext } from './in-flight-calls.ts';
import type { Connection } from './connection.ts';
import { ConnectionPool, keyOfUser } from './connection-pool.ts';
import { FirstListing } from './first-listing.ts';
import type { Handshake } from './handshake.ts';
import { IdleTimer, SharedConnection } from './shared-connection.ts';
import { ConnectionOpener } from './connection-opener.ts';
import { ListingTracker, type ObservedListing } from './listing-tracker.ts';
import { listChangedMethods, summarizeListing, type Listing } from './listing.ts';
import { unlistedState, PerUserSignIn } from './per-user-sign-in.ts';
import { requiredCapability, userOf, RequestDispatcher, statefulForAll } from './request-dispatcher.ts';
import { userTransportFactory, type ServerDeps, type ServerNotification } from './server-deps.ts';
import { clearPackage, signedOutError, unlessInstalling } from './server-availability.ts';
import { formatSeconds, serverHealth, type ServerHealth, type ServerState } from './server-state.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';
import type { AuthorizationFlow } from './oauth/authorization-flow.ts';
import type { ServerPins } from '../trust/pins/server-pins.ts';
import type { ServerLog } from './transports/server-log.ts';
import { isViewUri, viewDefinition } from './ui-metadata.ts';
import type { ServerOAuth } from './oauth/server-oauth.ts';
import type { RevocationResult } from './oauth/revoke-grant.ts';

export class ManagedServer {
  readonly config: ServerConfig;
  /** Pinned definitions; undefined for built-in servers and connection tests. */
  readonly pins: ServerPins | undefined;
  /** Emits when state, health or problems change. */
  readonly changed = new Emitter();
  /** Emits when the listing changes. */
  readonly listingChanged = new Emitter();
  readonly notified = new Emitter<ServerNotification>();

  readonly #deps: ServerDeps;
  readonly #log: ServerLog;
  readonly #line: SharedConnection;
  readonly #listings: ListingTracker;
  readonly #pool: ConnectionPool;
  /** Whether each user has their own connections; the shared one is unused then. */
  readonly #isPerUser: boolean;
  readonly #subscriptions: ServerSubscriptions;
  readonly #opener: ConnectionOpener;
  readonly #idle: IdleTimer;
  readonly #requests: RequestDispatcher;
  /** Used until a user's own process has listed its tools. */
  readonly #firstListing: FirstListing;

  constructor(config: ServerConfig, deps: ServerDeps) {
    this.config = config;
    this.#deps = deps;
    this.#log = deps.logOf(config.name);
    this.pins = deps.pinsOf?.(config);
    this.#opener = this.#makeOpener();
    this.#line = this.#makeLine();
    this.#listings = this.#makeListings();
    this.#idle = this.#makeIdle();
    this.#isPerUser = userTransportFactory(config, deps) !== undefined;
    this.#pool = this.#makePool();
    this.#firstListing = new FirstListing({
      look: (person) => this.#pool.get(keyOfUser(person, 'negotiated')).then(() => this.#listings.currentRefresh()),
      onEnd: () => this.changed.emit(),
      onWarning: (text) => this.#odd(text),
    });
    this.#subscriptions = new ServerSubscriptions(
      () => this.#line.connection,
      () => this.#listings.scheduleRefresh(),
    );
    this.#requests = new RequestDispatcher({
      config,
      line: this.#line,
      pool: this.#pool,
      isPerUser: this.#isPerUser,
      now: deps.now,
      onWarning: (text) => this.#odd(text),
      ownSignIn: this.#makeOwnSignIn(),
      subscriptions: this.#subscriptions,
      listings: this.#listings,
      idle: this.#idle,
      pause: deps.pause,
      wake: () => this.#wake(),
    });
  }

  /** A server whose shared connection sleeps is still ready while stateful sessions use theirs. */
  get state(): ServerState {
    const { state } = this.#line;
    const { failure } = this.#firstListing;
    // The next user or caller retries it.
    if (failure !== undefined && this.listedAt === undefined) return unlistedState(this.config.name, failure);
    const since = this.#pool.find(statefulForAll)?.openedAt;
    return state.kind === 'disconnected' && since !== undefined ? { kind: 'ready', since } : state;
  }

  get listing(): Listing {
    return this.#listings.listing;
  }

  /** Number of restarts, after a failure or by the user, since its entry last changed. */
  get restarts(): number {
    return this.#line.restarts;
  }

  /** When the listing was read, in ms since 1970; undefined until it has been. */
  get listedAt(): number | undefined {
    return this.#listings.listedAt;
  }

  get handshake(): Handshake | undefined {
    return this.#listings.handshake;
  }

  /** The server's own listing, whether approved or not; undefined until it has been read. */
  get observed(): ObservedListing | undefined {
    return this.#listings.observed;
  }

  get health(): ServerHealth {
    const { name, lazy, held } = this.config;
    return serverHealth({
      name,
      lazy,
      held,
      state: this.state,
      tools: this.listing.tools.length,
      problems: [...this.#listings.problems, ...(this.#deps.usageProblems?.(name) ?? [])],
      paused: this.#deps.pause.isOn,
      now: this.#deps.now(),
    });
  }

  /** Loads the cached listing. Call it before `start`. */
  restore(): Promise<void> {
    return this.#listings.restore();
  }

  /** Starts unless disabled, or lazy with a known listing. Resolves when ready or failed; never rejects. */
  async start(): Promise<void> {
    if (!this.config.enabled || (this.config.lazy && this.listedAt !== undefined)) return;
    if (this.#isPerUser) return;
    await this.#unlessInstalling(this.#line.connect()).then(
      () => this.#listings.currentRefresh(),
      () => undefined,
    );
  }

  /** Resolves when the listing is read; starts the server if needed. Rejects with the reason of a failure. */
  async ready(): Promise<void> {
    if (this.#isPerUser) return this.#ofSomebody();
    await this.#unlessInstalling(this.#wake());
    await this.#listed();
  }

  /** Called when a user connects: lists an unlisted server with their own process. Never rejects. */
  onUserSeen(person: Person): void {
    if (!this.#isPerUser || this.listedAt !== undefined || !this.config.enabled) return;
    this.#firstListing.at(person);
  }

  /**
   * Opens this user's own connection, after asking for a sign-in if required, and reads its lists. Returns whether the
   * server has per-user connections. Rejects with AppError.
   */
  async admit(context: CallContext): Promise<boolean> {
    const isOwn = await this.#requests.admit(context);
    if (isOwn) await this.#listings.currentRefresh();
    return isOwn;
  }

  /** The same for a user who signed in or out. */
  onUserSignInChanged(person: Person): void {
    this.#firstListing.changed(person);
    this.onUserSeen(person);
  }

  /** Closes the user's connections. Never rejects. */
  async closeForUser(person: Person): Promise<void> {
    await this.#pool.closeUser(person);
  }

  /** Reads the lists again soon; `listingChanged` reports a difference. */
  refreshListing(): void {
    this.#listings.refreshIfConnected();
  }

  /** Closes the shared connection if it does not respond in time; the next caller opens a new one. */
  probe(timeoutMs: number): Promise<void> {
    return this.#requests.probe(timeoutMs);
  }

  /** Retries at once without back-off; `clear` first removes a damaged package. Rejects if it is not ready. */
  async retry({ clear = false }: { readonly clear?: boolean } = {}): Promise<void> {
    if (clear) await clearPackage(this.state, this.#log);
    if (this.#isPerUser) return this.sleep().then(() => this.#ofSomebody());
    await this.#unlessInstalling(this.#line.reopen());
    await this.#listed();
  }

  #unlessInstalling<T>(coming: Promise<T>): Promise<T> {
    return unlessInstalling(this.config.name, () => this.#line.state, coming);
  }

  /** Restarts the server with changed start parameters, unless it is asleep. Never rejects. */
  async relaunch(): Promise<void> {
    const { kind } = this.state;
    if (kind === 'disabled' || kind === 'authenticating') return;
    await this.sleep();
    if (kind !== 'disconnected') await this.retry().catch(() => undefined);
  }

  /** Starts a sign-in; afterwards the server is retried automatically. Rejects with AppError. */
  async signIn(): Promise<AuthorizationFlow> {
    const signIn = this.#deps.signIns.get(this.config);
    return this.#line.authenticate(() => signIn.start());
  }

  /** The server's sign-in; undefined if it needs none. */
  get oauth(): ServerOAuth | undefined {
    return this.#deps.signIns.find(this.config);
  }

  /**
   * Starts a sign-in for the scopes that the server requested; connections stay open meanwhile. Rejects with AppError.
   */
  async requestScopes(): Promise<AuthorizationFlow> {
    const signIn = this.#deps.signIns.get(this.config);
    const { kind } = this.state;
    if (kind !== 'pending-sign-in' && kind !== 'authenticating') return signIn.requestScopes();
    return this.#line.authenticate(() => signIn.requestScopes());
  }

  /** Revokes the sign-in; the server then waits for the user. Rejects with AppError. */
  async signOut(): Promise<RevocationResult> {
    const signIn = this.#deps.signIns.get(this.config);
    if ((await signIn.accessToken()) === undefined) return { how: 'nothing' };
    await this.sleep();
    const signedOut = await signIn.signOut();
    this.#line.awaitSignIn(signedOutError(this.config.name));
    return signedOut;
  }

  /** Stops the server's processes, and cancels those being started; the next request starts them again. */
  async sleep(): Promise<void> {
    this.#opener.cancel();
    await Promise.all([this.#pool.close(), this.#line.close()]);
  }

  async stop(): Promise<void> {
    this.#idle.stop();
    this.#opener.stop();
    await Promise.all([this.#pool.close(), this.#line.stop()]);
    await this.#listings.saved();
  }

  /** Sends a request of a session. Rejects with the server's RpcError, or an AppError that names the server. */
  async request(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    this.assertAccepted(method, params);
    const answer = await this.#requests.send(method, params, context);
    if (method === 'resources/read') await this.#judgeView(params['uri'], answer);
    return answer;
  }

  async #judgeView(uri: unknown, answer: Result): Promise<void> {
    if (this.pins === undefined || typeof uri !== 'string' || !isViewUri(uri)) return;
    const view = viewDefinition(uri, toObject(answer));
    if (view !== undefined) await this.pins.evaluateView(uri, view);
  }

  /** Throws AppError `not_allowed` for a request about something that the user has not accepted in its current form. */
  assertAccepted(method: string, { name }: JsonObject): void {
    if (method === 'tools/call') this.pins?.assertAccepted('tool', name);
    if (method === 'prompts/get') this.pins?.assertAccepted('prompt', name);
  }

  /** Forwards a client app's notifications (roots changed, what both sides declared) on its own connection. */
  notify(method: string, params: JsonObject, sessionId: string): void {
    this.#requests.notify(method, params, sessionId);
  }

  subscribe(uri: string, context: CallContext): Promise<Result> {
    return this.#requests.subscribe(uri, context);
  }

  unsubscribe(uri: string, context: CallContext): Promise<Result> {
    return this.#requests.unsubscribe(uri, context);
  }

  subscribers(uri: string): ReadonlySet<string> {
    return this.#requests.subscribers(uri);
  }

  /** Subscribes to a task; returns a function that ends this, or undefined if the server does not report tasks. */
  subscribeTask(taskId: string): (() => void) | undefined {
    return this.#subscriptions.subscribeTask(taskId);
  }

  setLogLevel(level: string, context: CallContext): Promise<void> {
    return this.#requests.setLogLevel(level, context);
  }

  hasPrivateConnection(sessionId: string): boolean {
    return this.#requests.hasPrivateConnection(sessionId);
  }

  endSession(sessionId: string): Promise<void> {
    return this.#requests.endSession(sessionId);
  }

  /** Reads the lists from any user's running process, without starting one. */
  async #ofSomebody(): Promise<void> {
    if (this.#userConnections.length > 0) return this.#listings.currentRefresh();
    if (this.listedAt !== undefined) return;
    const looked = this.#firstListing.again();
    if (looked !== undefined) return looked;
    throw new AppError('server_starting', `The tools of ${this.config.name} are listed after its first use.`);
  }

  /** Waits for the listing, which may fail with the connection. */
  async #listed(): Promise<void> {
    await this.#listings.currentRefresh();
    const { state } = this;
    if (state.kind === 'error' || state.kind === 'pending-sign-in') throw state.error;
  }

  #makeOpener(): ConnectionOpener {
    const { createTransport, identity, slots } = this.#deps;
    const { config } = this;
    return new ConnectionOpener({
      config,
      createTransport,
      personal: userTransportFactory(config, this.#deps),
      identity,
      slots,
      knownEra: () => this.handshake?.era,
      onOpen: () => this.#idle.start(),
      onNotification: (method, params, sessionId, on) => this.#hear(method, params, sessionId, on),
      onAsk: (method) => {
        if (requiredCapability(method) !== undefined) this.#listings.recordRequestMethod(method);
      },
      onWarning: (text) => this.#odd(text),
      log: this.#log,
    });
  }

  #makeLine(): SharedConnection {
    const { now, pause, random } = this.#deps;
    return new SharedConnection({
      server: this.config.name,
      enabled: this.config.enabled,
      pause,
      now,
      random,
      open: (closed) => {
        void this.pins?.onLaunch();
        return this.#opener.openShared(closed);
      },
      onOpen: (connection) => this.#opened(connection),
      onClose: () => this.#listings.detach(),
      isInstalling: () => this.#opener.isInstalling,
      onRenew: () => this.#log.appendEvent('The server no longer knows the session; opening a new one.'),
      onState: () => this.changed.emit(),
      onFailed: (error, retryMs) => this.#failed(error, retryMs),
    });
  }

  #makePool(): ConnectionPool {
    return new ConnectionPool({
      open: (entry, closed) => this.#opener.openPooled(entry, closed),
      onOpen: ({ key }, connection) => {
        if (key.owner.kind === 'any') this.changed.emit();
        // The list for all is that of clients without `initialize`, so connections opened for stateful sessions are not
        // tracked.
        if (key.owner.kind === 'user' && key.protocol === 'negotiated') this.#followOne(connection);
      },
      onClose: ({ key }, connection) => {
        if (key.owner.kind === 'any') {
          // The list may have been that connection's own.
          this.#listings.scheduleRefresh();
          this.changed.emit();
        }
        if (key.owner.kind !== 'user' || !this.#listings.follows(connection)) return;
        this.#listings.detach();
        this.#followOne(this.#userConnections[0]);
      },
      idleMs: this.config.idleTimeoutMs ?? this.#deps.own?.idleMs,
      now: this.#deps.now,
    });
  }

  get #userConnections(): readonly Connection[] {
    const ofUsers = this.#pool.entries.filter(({ key }) => key.owner.kind === 'user');
    return ofUsers.flatMap(({ connection }) => connection ?? []);
  }

  /** Tracks one user's connection until it ends, because the shared listing would otherwise change with the user. */
  #followOne(connection: Connection | undefined): void {
    const isFollowed = this.#userConnections.some((one) => this.#listings.follows(one));
    if (connection?.handshake === undefined || isFollowed) return;
    this.#listings.attach(connection, connection.handshake);
  }

  #makeOwnSignIn(): PerUserSignIn | undefined {
    const { own } = this.#deps;
    const { config } = this;
    if (own === undefined || !this.#isPerUser || config.kind === 'stdio' || config.kind === 'builtin') return undefined;
    const notify = (method: string, params: JsonObject, sessionId: string): void =>
      this.notified.emit({ method, params, sessionId });
    return new PerUserSignIn({ config, access: own, personOf: userOf, notify });
  }

  #makeListings(): ListingTracker {
    const { cache, now } = this.#deps;
    return new ListingTracker({
      hash: this.config.hash,
      cache,
      pins: this.pins,
      isEachOnes: this.#isPerUser,
      now,
      silenceMs: this.config.initTimeoutMs,
      onWarning: (text) => this.#odd(text),
      sinceCallMs: () => this.#requests.sinceCallMs,
      onStep: (text, level) => this.#log.appendEvent(text, level),
      onListed: (changed, here) => {
        if (changed || this.state.kind === 'discovering')
          this.#log.appendEvent(`Lists read: ${summarizeListing(this.listing)}.`);
        if (here) this.#line.markReady();
        if (changed) this.listingChanged.emit();
      },
      onFailed: (connection, error) => this.#line.onLost(connection, error),
    });
  }

  #makeIdle(): IdleTimer {
    return new IdleTimer({
      idleMs: this.config.idleTimeoutMs,
      now: this.#deps.now,
      // Subscribers to a resource depend on the process that watches it.
      isBusy: () => {
        const stateful = this.#pool.find(statefulForAll);
        const isSubscribed = this.#subscriptions.isUsed || stateful?.subscriptions.isUsed === true;
        return isSubscribed || this.#requests.isBusy;
      },
      onIdle: () => {
        if (this.#line.connection !== undefined) {
          this.#log.appendEvent('Idle: stopped until the next call.');
          void this.#line.close();
        }
        void this.#pool.close();
      },
    });
  }

  #odd(text: string): void {
    this.#deps.onWarning(this.config.name, text);
    this.#log.appendEvent(text, 'warning');
  }

  #failed(error: AppError, retryMs: number | undefined): void {
    this.#deps.onWarning(this.config.name, `Failed: ${error.message}`);
    const next = retryMs === undefined ? '' : `Next try in ${formatSeconds(retryMs)}.`;
    // Its last output and exit are logged above.
    if (error.code === 'server_exited') this.#log.appendEvent(`The connection was lost. ${next}`.trimEnd(), 'error');
    else this.#log.appendEvent(`${error.text} ${next}`.trimEnd(), 'error');
  }

  #opened(connection: Connection): void {
    const { handshake } = connection;
    if (handshake === undefined) return;
    this.#listings.attach(connection, handshake);
    this.#subscriptions.opened(handshake);
  }

  #wake(): Promise<Connection> {
    if (this.#line.connection === undefined) this.#opener.prioritize();
    return this.#line.connect();
  }

  #hear(method: string, params: JsonObject, sessionId: string | undefined, on: Connection): void {
    const owner = this.#pool.entries.find(({ connection }) => connection === on)?.key.owner;
    const person = owner?.kind === 'user' ? owner.person : undefined;
    // A connection that is being closed still belongs to its user.
    if (person === undefined && this.#isPerUser) return;
    if (!listChangedMethods.has(method)) this.notified.emit({ method, params, sessionId, ...(person && { person }) });
    else if (person !== undefined) this.#listings.scheduleRefresh();
    else if (sessionId === undefined) this.#listings.scheduleRefresh(on);
  }
}
