/**
 * Sends requests of sessions to one server, on the connection that one policy chooses: the shared one; the stateful
 * one, if the shared one is stateless and the session is not; the session's private one, if the server sends requests
 * to its client; the user's own, if several users share the core.
 */
import { AppError, errorText, toAppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Person } from '../security/principal.ts';
import { statefulVersions } from '../wire/protocol-kind.ts';
import { type Result, RpcError } from '../wire/message.ts';
import { cancelledError } from '../wire/peer.ts';
import { awaitStart, serverDisabledError, unlessInstalling } from './server-availability.ts';
import { isDeclared } from './extension-set.ts';
import type { CallContext } from './in-flight-calls.ts';
import type { Connection, RequestExtra } from './connection.ts';
import { type ConnectionKey, type ConnectionPool, keyOfUser } from './connection-pool.ts';
import { isHandshakeRefusal } from './handshake.ts';
import { isNobodyThere } from './network/http-errors.ts';
import { type IdleTimer, withServerName, type PauseSwitch, type SharedConnection } from './shared-connection.ts';
import type { ListingTracker } from './listing-tracker.ts';
import { isSessionLost, isUnheard } from './lost-session.ts';
import type { PerUserSignIn } from './per-user-sign-in.ts';
import { paramHeaders } from './param-headers.ts';
import type { ServerSubscriptions } from './server-subscriptions.ts';
import { Semaphore } from '../base/semaphore.ts';
import { settleWithin } from '../base/settle-within.ts';

interface ServerRequestsParts {
  readonly config: ServerConfig;
  readonly line: SharedConnection;
  /** Connections in addition to the shared one. */
  readonly pool: ConnectionPool;
  /** Whether each user has their own connections, and no others are used. */
  readonly isPerUser: boolean;
  /** Sign-in of each user. */
  readonly ownSignIn: PerUserSignIn | undefined;
  readonly subscriptions: ServerSubscriptions;
  readonly listings: ListingTracker;
  readonly idle: IdleTimer;
  readonly pause: PauseSwitch;
  readonly now: () => number;
  readonly onWarning: (text: string) => void;
  /** Returns the shared connection, opened if needed. Rejects with the reason of a failure. */
  readonly wake: () => Promise<Connection>;
}

/** How long a failure is delayed to check whether the server has exited, in ms. */
const livenessTimeoutMs = 1000;

/**
 * Pause after a second connection failed, in ms; some servers cannot run twice, for example because they lock files.
 */
const retryMs = 5 * 60_000;

/**
 * The connection of all sessions of the stateful protocol, to a server that speaks both protocols. The shared
 * connection is stateless then, and a server that sends requests to its client cannot do so there.
 */
export const statefulForAll: ConnectionKey = { protocol: 'stateful', owner: { kind: 'any' } };

/** Maximum number of calls that wait for a slot of a server with `maxConcurrent`. */
const maxQueuedCalls = 100;

const questions = ['sampling/createMessage', 'elicitation/create'];

export class RequestDispatcher {
  readonly #parts: ServerRequestsParts;
  /** When opening a second connection failed, in ms since 1970. */
  #failedAt = -Infinity;
  /** Number of requests that wait for a connection or a response. */
  #waiting = 0;
  #calls = 0;
  /** Slots for calls; undefined if unlimited. */
  readonly #slots: Semaphore | undefined;
  /** Time of the last call, by `performance.now()`. */
  #calledAt = -Infinity;

  constructor(parts: ServerRequestsParts) {
    this.#parts = parts;
    const { maxConcurrent } = parts.config;
    this.#slots = maxConcurrent === undefined ? undefined : new Semaphore(maxConcurrent);
  }

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Rejects with the server's RpcError, or an AppError that names the server. */
  async send(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    if (method !== 'tools/call') return this.#sendSignedIn(method, params, context);
    this.#calls++;
    try {
      await this.#enter(context);
      try {
        return await this.#sendSignedIn(method, params, context);
      } finally {
        this.#slots?.release();
      }
    } finally {
      this.#calls--;
      this.#calledAt = performance.now();
    }
  }

  /** Waits for a slot, first come, first served. Rejects with AppError `session_limit` or `cancelled`. */
  async #enter({ signal }: CallContext): Promise<void> {
    if (this.#slots === undefined) return;
    const { name, maxConcurrent } = this.#parts.config;
    if (this.#slots.waiting >= maxQueuedCalls) {
      const message = `${name} runs ${maxConcurrent} calls at once, and ${maxQueuedCalls} more are queued.`;
      throw new AppError('session_limit', message, {
        fix: `Call again later, or raise "maxConcurrent" of ${name}.`,
        data: { neverSent: true },
      });
    }
    if (!(await this.#slots.acquire(signal))) throw cancelledError(signal);
  }

  #sendSignedIn(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    const { ownSignIn } = this.#parts;
    if (ownSignIn === undefined) return this.#send(method, params, context);
    return ownSignIn.withSignIn(context, () => this.#send(method, params, context));
  }

  /** How long ago a call of a tool ended, in ms; 0 while one is in progress, Infinity if there was none. */
  get sinceCallMs(): number {
    return this.#calls > 0 ? 0 : performance.now() - this.#calledAt;
  }

  /**
   * Opens this user's own connection, after asking for a sign-in if required. Returns false if the server has none.
   * Rejects with AppError.
   */
  async admit(context: CallContext): Promise<boolean> {
    const { ownSignIn } = this.#parts;
    if (ownSignIn === undefined) return false;
    await ownSignIn.withSignIn(context, async () => this.#lineFor(context, true));
    return true;
  }

  async #send(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    const { idle } = this.#parts;
    this.#waiting++;
    idle.used();
    try {
      return await this.#try(method, params, context).catch((error: unknown) => {
        // A server that does not know the session has not processed the request.
        if (isUnheard(error)) return this.#try(method, params, context);
        throw error;
      });
    } finally {
      this.#waiting--;
      idle.used();
    }
  }

  async #try(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    const { config, line } = this.#parts;
    let connection: Connection | undefined;
    try {
      const coming = this.#lineFor(context);
      const { name, initTimeoutMs } = config;
      if (!(coming instanceof Promise)) connection = coming;
      else if (line.connection !== undefined) connection = await coming;
      else
        connection = await awaitStart(
          name,
          initTimeoutMs,
          unlessInstalling(name, () => line.state, coming),
          context,
        );
      return await connection.request(method, params, context, this.#extra(method, params));
    } catch (error) {
      if (connection !== undefined && isSessionLost(error)) await this.#forget(connection, error);
      else if (connection !== undefined) await this.#suspect(connection, error);
      if (error instanceof RpcError) throw error;
      const named = withServerName(config.name, error);
      throw connection === undefined ? neverSent(named) : named;
    }
  }

  /** Sends to the session's private connection; on the shared one the notification would concern no session. */
  notify(method: string, params: JsonObject, sessionId: string): void {
    const { listings, pool } = this.#parts;
    if (isDeclared(method, listings.handshake?.capabilities))
      pool.ofSession(sessionId)?.connection?.notify(method, params);
  }

  async subscribe(uri: string, context: CallContext): Promise<Result> {
    const { isPerUser, ownSignIn, pool, subscriptions } = this.#parts;
    if (isPerUser) {
      if (ownSignIn === undefined) await this.#lineFor(context, true);
      else await this.admit(context);
      return this.#ofUser(context).add(uri, context.sessionId);
    }
    if (this.#needsPrivate(context)) return this.send('resources/subscribe', { uri }, context);
    const connection = await this.#lineFor(context);
    const stateful = pool.entry(statefulForAll);
    const shared = connection === stateful.connection ? stateful.subscriptions : subscriptions;
    return shared.add(uri, context.sessionId);
  }

  async unsubscribe(uri: string, context: CallContext): Promise<Result> {
    if (this.#parts.isPerUser) return this.#ofUser(context).remove(uri, context.sessionId);
    // It may have subscribed before this server was known to send requests.
    const shared = this.#allSubscriptions.find((one) => one.sessions(uri).has(context.sessionId));
    if (shared !== undefined) return shared.remove(uri, context.sessionId);
    return this.#needsPrivate(context) ? this.send('resources/unsubscribe', { uri }, context) : {};
  }

  /** The sessions that are subscribed to a resource. */
  subscribers(uri: string): ReadonlySet<string> {
    return new Set(this.#allSubscriptions.flatMap((one) => [...one.sessions(uri)]));
  }

  async setLogLevel(level: string, context: CallContext): Promise<void> {
    const { listings, pool } = this.#parts;
    if (listings.handshake !== undefined && !isObject(listings.handshake.capabilities['logging'])) return;
    if (!this.#needsPrivate(context)) this.#subscriptionsOf(context).setLogLevel(level, context.sessionId);
    // Not worth starting a process; a private connection receives the level when it opens.
    else if (pool.ofSession(context.sessionId)?.connection !== undefined) {
      await this.send('logging/setLevel', { level }, context);
    }
  }

  hasPrivateConnection(sessionId: string): boolean {
    return this.#parts.pool.ofSession(sessionId) !== undefined;
  }

  async endSession(sessionId: string): Promise<void> {
    const { pool, subscriptions } = this.#parts;
    subscriptions.endSession(sessionId);
    await pool.endSession(sessionId);
  }

  /**
   * A server over HTTP does not announce its end: a failing request reveals it. A single interrupted request, or one
   * refused on the way, proves nothing until another one fails, too. That usually takes milliseconds, so the caller
   * gets the error once the state is right.
   */
  async #suspect(connection: Connection, error: unknown): Promise<void> {
    if (!(error instanceof AppError) || error.code !== 'server_unreachable') return;
    // The authorization server was unreachable, not the server.
    if (error.data?.['renewal'] === true) return;
    if (isNobodyThere(error)) this.#lost(connection, error);
    else {
      const checked = connection.checkAlive(this.#parts.config.initTimeoutMs).then((reason) => {
        if (reason !== undefined) this.#lost(connection, reason);
      });
      await settleWithin(checked, livenessTimeoutMs);
    }
  }

  /** After the computer slept, connections may be dead without notice. One that does not respond in time is closed. */
  async probe(timeoutMs: number): Promise<void> {
    const { connection } = this.#parts.line;
    const reason = await connection?.checkAlive(timeoutMs, true);
    if (connection !== undefined && reason !== undefined) this.#lost(connection, reason);
  }

  /** Closes a connection whose session the server no longer knows. */
  async #forget(connection: Connection, error: unknown): Promise<void> {
    const { line } = this.#parts;
    if (line.connection === connection) line.onLost(connection, toAppError(error));
    else await connection.close();
  }

  /** All HTTP connections to a server have the same remote side. */
  #lost(connection: Connection, error: AppError): void {
    const { line, pool } = this.#parts;
    const shared = line.connection;
    if (shared !== undefined) line.onLost(shared, error);
    void pool.find(statefulForAll)?.close();
    if (connection !== shared) void connection.close();
  }

  /** Returns at once if the connection is open. Throws or rejects with the reason if it cannot be opened. */
  #lineFor(context: CallContext, isNegotiated = false): Promise<Connection> | Connection {
    const { config, isPerUser, line, listings, pause, wake } = this.#parts;
    const { state } = line;
    if (pause.isOn) throw pause.pausedError(config.name);
    if (state.kind === 'pending-sign-in') throw state.error;
    if (state.kind === 'disabled') throw serverDisabledError(config.name);
    if (isPerUser) return this.#lineOfUser(context, isNegotiated);
    // The protocols are known once the server was ready, and a server that cannot start need not be tried twice.
    const isStarting = state.kind === 'connecting' || state.kind === 'installing';
    if (listings.handshake === undefined || isStarting || state.kind === 'error')
      return wake().then(() => this.#lineInEra(context));
    return this.#lineInEra(context);
  }

  /** A user's process has one connection; a remote server has one per protocol, for apps that accept requests. */
  async #lineOfUser(context: CallContext, isNegotiated: boolean): Promise<Connection> {
    const { config, listings, pool } = this.#parts;
    const negotiated = await pool.get(keyOfUser(userOf(context), 'negotiated'));
    if (config.kind === 'stdio' || isNegotiated || !acceptsRequests(context, questions)) return negotiated;
    if (!this.#isOfOtherEra(context, negotiated.handshake?.era)) return negotiated;
    try {
      return await pool.get(keyOfUser(userOf(context), 'stateful'));
    } catch (error) {
      if (!isHandshakeRefusal(error)) throw error;
      listings.recordStatelessOnly();
      return negotiated;
    }
  }

  #lineInEra(context: CallContext): Promise<Connection> | Connection {
    const { line, pool, wake } = this.#parts;
    const isOfOtherEra = this.#isOfOtherEra(context);
    const needsPrivate = this.#needsPrivate(context, isOfOtherEra);
    const own: ConnectionKey = { protocol: 'negotiated', owner: { kind: 'session', context } };
    if (!isOfOtherEra) return needsPrivate ? pool.get(own) : (line.connection ?? wake());
    const inItsEra = needsPrivate ? { ...own, protocol: 'stateful' as const } : statefulForAll;
    return this.#tryStateful(inItsEra, context.sessionId).then((connection) => connection ?? wake());
  }

  /**
   * Opens a second connection, in the stateful protocol; undefined if none is available, so that the shared one must
   * do.
   */
  async #tryStateful(key: ConnectionKey, sessionId: string): Promise<Connection | undefined> {
    const { listings, now, onWarning, pool } = this.#parts;
    if (now() - this.#failedAt < retryMs) return undefined;
    if (key.owner.kind === 'any') pool.entry(key).usedBy(sessionId);
    try {
      const connection = await pool.get(key);
      this.#failedAt = -Infinity;
      return connection;
    } catch (error) {
      if (error instanceof AppError && error.code === 'cancelled') throw error;
      if (isHandshakeRefusal(error)) listings.recordStatelessOnly();
      else {
        this.#failedAt = now();
        onWarning(`Could not open a second connection for stateful apps: ${errorText(error)}`);
      }
      return undefined;
    }
  }

  /**
   * Whether the shared connection uses 2026-07-28 and the session the stateful protocol, which the server may support
   * too.
   */
  #isOfOtherEra({ protocolVersion }: CallContext, era = this.#parts.listings.handshake?.era): boolean {
    const { listings } = this.#parts;
    if (era !== 'modern' || protocolVersion === undefined) return false;
    return statefulVersions.includes(protocolVersion) && !listings.refusesHandshake;
  }

  /** Only stateful servers send separate requests; in 2026-07-28 they ask inside the response to the call itself. */
  #needsPrivate(context: CallContext, isOfOtherEra = this.#isOfOtherEra(context)): boolean {
    const { config, isPerUser, listings, pool } = this.#parts;
    if (isPerUser) return false;
    if (listings.handshake?.era === 'modern' && !isOfOtherEra) return false;
    // If a connection costs no process and must be opened anyway, it is opened before the first server-initiated
    // request.
    const mayAsk =
      isOfOtherEra && config.kind === 'http'
        ? [...listings.requestMethods, ...questions]
        : [...listings.requestMethods];
    return acceptsRequests(context, mayAsk) && pool.canOpenFor(context.sessionId);
  }

  #subscriptionsOf(context: CallContext): ServerSubscriptions {
    const { isPerUser, pool, subscriptions } = this.#parts;
    if (isPerUser) return this.#ofUser(context);
    return this.#isOfOtherEra(context) ? pool.entry(statefulForAll).subscriptions : subscriptions;
  }

  #ofUser(context: CallContext): ServerSubscriptions {
    return this.#parts.pool.entry(keyOfUser(userOf(context), 'negotiated')).subscriptions;
  }

  get #allSubscriptions(): readonly ServerSubscriptions[] {
    const { pool, subscriptions } = this.#parts;
    return [subscriptions, ...pool.entries.map((entry) => entry.subscriptions)];
  }

  #extra(method: string, params: JsonObject): RequestExtra {
    const { config, listings } = this.#parts;
    if (config.kind !== 'http' || method !== 'tools/call') return {};
    const tool = listings.listing.tools.find((one) => one['name'] === params['name']);
    return { headers: paramHeaders(tool, params['arguments']) };
  }
}

/** Throws AppError `not_allowed` without a user, because connections belong to users. */
export function userOf({ principal }: CallContext): Person {
  if (principal !== undefined) return { user: principal.user };
  throw new AppError('not_allowed', 'This server has a connection per user, and the request has no user.');
}

/** The client capability that a server-initiated request needs; undefined for other methods. */
export function requiredCapability(method: string): string | undefined {
  return { 'sampling/createMessage': 'sampling', 'elicitation/create': 'elicitation', 'roots/list': 'roots' }[method];
}

/** The same error, marked for a request that the server has not received. */
function neverSent({ code, message, fix, cause, data }: AppError): AppError {
  return new AppError(code, message, { ...(fix !== undefined && { fix }), cause, data: { ...data, neverSent: true } });
}

/** Whether the client app can handle one of these requests. */
function acceptsRequests({ clientCapabilities }: CallContext, methods: readonly string[]): boolean {
  return methods.some((method) => isObject(clientCapabilities[requiredCapability(method) ?? '']));
}
