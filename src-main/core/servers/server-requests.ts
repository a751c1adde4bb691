/** What sessions ask of one server: down the line that all share, or down the session's own where the server asks its client things. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { ServerConfig } from '../config/app-config.ts';
import { type Result, RpcError } from '../wire/message.ts';
import { awaitStart } from './await-start.ts';
import type { CallContext } from './call-context.ts';
import type { Connection, RequestExtra } from './connection.ts';
import type { IdleWatch } from './idle-watch.ts';
import type { ListingKeeper } from './listing-keeper.ts';
import { nameError } from './name-error.ts';
import { neededCapability } from './needed-capability.ts';
import { paramHeaders } from './param-headers.ts';
import type { Pause } from './pause.ts';
import type { PrivateConnections } from './private-connections.ts';
import type { ServerSubscriptions } from './server-subscriptions.ts';
import type { SharedLine } from './shared-line.ts';
import { within } from './transports/within.ts';

export interface ServerRequestsParts {
  readonly config: ServerConfig;
  readonly line: SharedLine;
  readonly privateLines: PrivateConnections;
  readonly subscriptions: ServerSubscriptions;
  readonly listings: ListingKeeper;
  readonly idle: IdleWatch;
  readonly pause: Pause;
  /** The connection that all share, opened if need be. Rejects with the reason it cannot be. */
  readonly wake: () => Promise<Connection>;
}

/** How long a failure is held back to see whether the server is gone. */
const checkMs = 1000;
/** There is no such host, or nothing that listens. */
const nobodyThere: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

export class ServerRequests {
  readonly #parts: ServerRequestsParts;

  constructor(parts: ServerRequestsParts) {
    this.#parts = parts;
  }

  /** Rejects with the server's RpcError, or an AppError that names the server. */
  async send(method: string, params: JsonObject, context: CallContext): Promise<Result> {
    const { config, idle, line } = this.#parts;
    let connection: Connection | undefined;
    idle.used();
    try {
      const coming = this.#lineFor(context);
      const { name, initTimeoutMs } = config;
      connection = await (line.connection === undefined ? awaitStart(name, initTimeoutMs, coming, context) : coming);
      return await connection.request(method, params, context, this.#extra(method, params));
    } catch (error) {
      if (connection !== undefined) await this.#suspect(connection, error);
      throw error instanceof RpcError ? error : nameError(config.name, error);
    } finally {
      idle.used();
    }
  }

  /** Goes to the session's own line; on the shared one nobody is meant by it. */
  notify(method: string, params: JsonObject, sessionId: string): void {
    this.#parts.privateLines.find(sessionId)?.notify(method, params);
  }

  async subscribe(uri: string, context: CallContext): Promise<Result> {
    if (this.#needsPrivate(context)) return this.send('resources/subscribe', { uri }, context);
    await this.#parts.wake();
    return this.#parts.subscriptions.add(uri, context.sessionId);
  }

  async unsubscribe(uri: string, context: CallContext): Promise<Result> {
    const { subscriptions } = this.#parts;
    // It may have subscribed before it was known that this server asks.
    const isShared = subscriptions.sessions(uri).has(context.sessionId);
    if (this.#needsPrivate(context) && !isShared) return this.send('resources/unsubscribe', { uri }, context);
    return subscriptions.remove(uri, context.sessionId);
  }

  async setLogLevel(level: string, context: CallContext): Promise<void> {
    const { listings, privateLines, subscriptions } = this.#parts;
    if (listings.handshake !== undefined && !isObject(listings.handshake.capabilities['logging'])) return;
    if (!this.#needsPrivate(context)) subscriptions.setLogLevel(level, context.sessionId);
    // No reason to start a process: a private line is told when it is opened.
    else if (privateLines.find(context.sessionId) !== undefined) {
      await this.send('logging/setLevel', { level }, context);
    }
  }

  async endSession(sessionId: string): Promise<void> {
    this.#parts.subscriptions.endSession(sessionId);
    await this.#parts.privateLines.close(sessionId);
  }

  /**
   * A server over HTTP does not say that it ends: it is noticed by a request that does not get through. One that was cut off by
   * itself, or refused by something on the way, proves nothing before another one fails, too; mostly that is a matter of milliseconds,
   * so whoever called is told when the state is right.
   */
  async #suspect(connection: Connection, error: unknown): Promise<void> {
    if (!(error instanceof AppError) || error.code !== 'server_unreachable') return;
    const { cause } = error;
    const isCertain = cause instanceof Error && nobodyThere.has((cause as NodeJS.ErrnoException).code);
    if (isCertain) this.#lost(connection, error);
    else {
      const checked = connection.cutOff(this.#parts.config.initTimeoutMs).then((reason) => {
        if (reason !== undefined) this.#lost(connection, reason);
      });
      await within(checked, checkMs);
    }
  }

  /** All lines to a server over HTTP lead to the same place. */
  #lost(connection: Connection, error: AppError): void {
    const { line } = this.#parts;
    const shared = line.connection;
    if (shared !== undefined) line.lost(shared, error);
    if (connection !== shared) void connection.close();
  }

  #lineFor(context: CallContext): Promise<Connection> {
    const { config, line, pause, privateLines, wake } = this.#parts;
    const { state } = line;
    if (pause.isOn) return Promise.reject(pause.refusal(config.name));
    if (state.kind === 'pending-sign-in') return Promise.reject(state.error);
    return this.#needsPrivate(context) && state.kind !== 'disabled' ? privateLines.get(context) : wake();
  }

  /** Only servers of the handshake era ask out of band; 2026-07-28 asks inside the answer to the call itself. */
  #needsPrivate(context: CallContext): boolean {
    const { handshake, asks } = this.#parts.listings;
    if (handshake?.era === 'modern') return false;
    return [...asks].some((method) => isObject(context.clientCapabilities[neededCapability(method) ?? '']));
  }

  #extra(method: string, params: JsonObject): RequestExtra {
    const { config, listings } = this.#parts;
    if (config.kind !== 'http' || method !== 'tools/call') return {};
    const tool = listings.listing.tools.find((one) => one['name'] === params['name']);
    return { headers: paramHeaders(tool, params['arguments']) };
  }
}
