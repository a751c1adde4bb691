/** Opens the connections to one server: the shared one when a start slot is free, those of single sessions at once. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, textOrEmpty } from '../base/json.ts';
import { Semaphore } from '../base/semaphore.ts';
import { settleWithin } from '../base/settle-within.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Person } from '../security/principal.ts';
import type { ClientIdentity, ProtocolKind } from '../wire/protocol-kind.ts';
import type { Transport } from '../wire/transport.ts';
import type { CallContext } from './in-flight-calls.ts';
import { Connection } from './connection.ts';
import type { PooledConnection } from './connection-pool.ts';
import type { Handshake } from './handshake.ts';
import { isLogLevel } from './transports/server-log-format.ts';
import type { ServerLog } from './transports/server-log.ts';

interface LineOpenerOptions {
  readonly config: ServerConfig;
  readonly createTransport: (config: ServerConfig) => Transport;
  /** Transport to a user's own process, or with the user's own sign-in; absent if the server is shared by all users. */
  readonly personal?: ((person: Person) => Transport) | undefined;
  /** Our identity on the shared connection. */
  readonly identity: ClientIdentity;
  readonly slots: StartLimiter;
  /** Returns the known protocol, which saves the probe. */
  readonly knownEra: () => ProtocolKind | undefined;
  readonly onOpen: () => void;
  /** `sessionId` is the session of a private connection; undefined for the shared one. */
  readonly onNotification: (
    method: string,
    params: JsonObject,
    sessionId: string | undefined,
    connection: Connection,
  ) => void;
  readonly onAsk: (method: string) => void;
  readonly onWarning: (text: string) => void;
  readonly log: ServerLog;
}

/** If an installation takes no longer than this, others do not wait for it. In ms. */
const installShowsMs = 3000;
/** Longest start timeout for a process that was too slow before, in ms. */
const maxStartMs = 10 * 60_000;

type Closed = (connection: Connection, error?: Error) => void;

export class ConnectionOpener {
  readonly #options: LineOpenerOptions;
  readonly #stopping = new AbortController();
  #skipWait = new AbortController();
  /** Aborted by `cancel`, and replaced for later openings. */
  #cancelling = new AbortController();
  /** Set after the probe ended this server, which is then started with `initialize`. */
  #initializeFirst = false;
  /** The shared connection while it is opened. */
  #opening: Connection | undefined;
  /** Number of consecutive start timeouts; each increases the next timeout. */
  #timeouts = 0;

  constructor(options: LineOpenerOptions) {
    this.#options = options;
  }

  /** Whether the package of the shared connection's server is being fetched. */
  get isInstalling(): boolean {
    return this.#opening?.isInstalling === true;
  }

  async openShared(closed: Closed): Promise<Connection> {
    const { slots, identity } = this.#options;
    const signal = this.#ending;
    const skipped = AbortSignal.any([this.#skipWait.signal, signal]);
    try {
      let opened: Promise<Connection> | undefined;
      await slots.run(async () => {
        opened = this.#open(identity, undefined, closed, { signal });
        await this.#openedOrInstalling(opened);
      }, skipped);
      return await (opened as unknown as Promise<Connection>);
    } finally {
      this.#skipWait = new AbortController();
    }
  }

  /** Resolves when the start is done, or early while a package is fetched, so that others may start. Never rejects. */
  async #openedOrInstalling(opened: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settled = opened.then(
      () => (isSettled = true),
      () => (isSettled = true),
    );
    await settleWithin(settled, installShowsMs);
    while (!isSettled && !this.isInstalling) await settleWithin(settled, installShowsMs);
  }

  /** Opens another connection. Rejects if the server does not support its protocol. */
  openPooled(entry: PooledConnection, closed: Closed): Promise<Connection> {
    const { owner, protocol } = entry.key;
    if (owner.kind === 'any') return this.#openForHandshakes(closed);
    if (owner.kind === 'user') return this.#openPersonal(owner.person, closed, protocol === 'stateful');
    return this.#openPrivate(() => entry.context ?? owner.context, closed);
  }

  /**
   * Opens the connection for all stateful sessions, next to the shared one in 2026-07-28. Rejects if the server does
   * not support `initialize`.
   */
  #openForHandshakes(closed: Closed): Promise<Connection> {
    return this.#open(this.#options.identity, undefined, closed, { legacyOnly: true });
  }

  /** Opens a connection of one user, in the protocol that the server prefers. */
  #openPersonal(person: Person, closed: Closed, legacyOnly: boolean): Promise<Connection> {
    const { identity, personal } = this.#options;
    if (personal === undefined) throw new AppError('internal', 'This server has no per-user connections.');
    return this.#open(identity, undefined, closed, { createTransport: () => personal(person), legacyOnly });
  }

  /** Opens a connection of one session, with that client's identity and log level. */
  async #openPrivate(owner: () => CallContext, closed: Closed): Promise<Connection> {
    const { clientInfo, clientCapabilities, logLevel: level } = owner();
    // Only sessions of the stateful protocol have a connection of their own.
    const inItsEra = this.#options.knownEra() === 'modern';
    const identity = { clientInfo, capabilities: clientCapabilities };
    const connection = await this.#open(identity, owner, closed, { legacyOnly: inItsEra });
    const { handshake } = connection;
    if (level !== undefined && handshake?.era === 'legacy' && isObject(handshake.capabilities['logging'])) {
      connection.request('logging/setLevel', { level }).catch(() => undefined);
    }
    return connection;
  }

  /** Called when a caller waits for the shared connection, so that its start skips the queue. */
  prioritize(): void {
    this.#skipWait.abort();
  }

  /** Cancels the connections being opened. */
  cancel(): void {
    this.#cancelling.abort('the server is being stopped');
    this.#cancelling = new AbortController();
  }

  /** Cancels connections being opened; no more are opened. */
  stop(): void {
    this.#stopping.abort('the server is being stopped');
  }

  /** Aborts when a connection that is opened from now on is cancelled. */
  get #ending(): AbortSignal {
    return AbortSignal.any([this.#cancelling.signal, this.#stopping.signal]);
  }

  /**
   * Opens a connection and initializes it; closes it if that fails. A server that ended because of the probe is
   * started once more.
   */
  async #open(
    identity: ClientIdentity,
    owner: (() => CallContext) | undefined,
    closed: Closed,
    kind: LineOptions = {},
  ): Promise<Connection> {
    const greetsAlready = this.#initializeFirst;
    try {
      return await this.#openOnce(identity, owner, closed, kind);
    } catch (error) {
      const isEndedByProbe = this.#initializeFirst && !greetsAlready;
      // A server that did not respond in time is not tried again.
      if (!isEndedByProbe || !(error instanceof AppError) || error.code !== 'server_exited') throw error;
      this.#options.log.appendEvent('It exited when asked for its protocol version. Restarting it with initialize.');
      return this.#openOnce(identity, owner, closed, kind);
    }
  }

  async #openOnce(
    identity: ClientIdentity,
    owner: (() => CallContext) | undefined,
    closed: Closed,
    { legacyOnly = false, createTransport, signal = this.#ending }: LineOptions,
  ): Promise<Connection> {
    const { config, knownEra, onOpen, onNotification, onAsk, onWarning, log } = this.#options;
    const { callTimeoutMs, initTimeoutMs, kind } = config;
    const connection: Connection = new Connection({
      server: config.name,
      transport: createTransport?.() ?? this.#options.createTransport(config),
      identity,
      http: kind === 'http' || kind === 'sse',
      callTimeoutMs,
      ...(owner && { owner }),
      events: {
        onClose: (error) => closed(connection, error),
        onWarning,
        onNotification: (method, params) => onNotification(method, params, owner?.().sessionId, connection),
        onLogged: (params) => noteLogged(log, params),
        onAsk,
      },
    });
    if (owner === undefined && createTransport === undefined) this.#opening = connection;
    const began = performance.now();
    if (kind === 'http' || kind === 'sse') log.appendEvent('Connecting.');
    try {
      const handshake = await connection.open({
        knownEra: this.#initializeFirst ? 'legacy' : knownEra(),
        // Only stateful servers use the older SSE transport.
        legacyOnly: legacyOnly || kind === 'sse',
        timeoutMs:
          kind === 'stdio'
            ? Math.max(initTimeoutMs, Math.min(initTimeoutMs * 2 ** this.#timeouts, maxStartMs))
            : initTimeoutMs,
        signal,
        onProbeEnded: () => (this.#initializeFirst = true),
      });
      const ownerText =
        createTransport !== undefined ? ' on a per-user connection' : ofWhom(owner !== undefined, legacyOnly);
      log.appendEvent(
        `Handshake done${ownerText} in ${Math.round(performance.now() - began)} ms: ${introduced(handshake)}.`,
      );
      this.#timeouts = 0;
      onOpen();
      return connection;
    } catch (error) {
      if (error instanceof AppError && error.code === 'server_timeout') this.#timeouts++;
      await connection.close();
      throw error;
    } finally {
      if (this.#opening === connection) this.#opening = undefined;
    }
  }
}

interface LineOptions {
  /** Uses only `initialize`. */
  readonly legacyOnly?: boolean;
  /** Replaces the default transport. */
  readonly createTransport?: () => Transport;
  /** Cancels the opening; default: that of an opening that begins now. */
  readonly signal?: AbortSignal;
}

function ofWhom(isPrivate: boolean, legacyOnly: boolean): string {
  if (isPrivate) return ' on a private connection';
  return legacyOnly ? ' on a stateful connection' : '';
}

/** For example `echo 1.2.0, protocol 2025-11-25`. */
function introduced({ serverInfo, protocolVersion }: Handshake): string {
  const { name, version } = serverInfo;
  return `${[textOrEmpty(name) || 'a server without a name', textOrEmpty(version)].join(' ').trim()}, protocol ${protocolVersion}`;
}

/** Source: MCP, server/utilities/logging: `level`, `logger` and `data`, which may be any JSON. */
function noteLogged(log: ServerLog, { level, logger, data }: JsonObject): void {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  log.appendServerMessage(isLogLevel(level) ? level : 'info', typeof logger === 'string' ? `${logger}: ${text}` : text);
}

/** Limits how many servers start at once; the others are queued, unless a call needs them now. */
export class StartLimiter {
  readonly #slots: Semaphore;

  constructor(slots: number) {
    this.#slots = new Semaphore(slots);
  }

  /** Aborting `skipWait` starts the task immediately, in addition to those that have a slot. */
  async run<T>(task: () => Promise<T>, skipWait?: AbortSignal): Promise<T> {
    const hasSlot = await this.#slots.acquire(skipWait);
    try {
      return await task();
    } finally {
      if (hasSlot) this.#slots.release();
    }
  }
}
