/** Opens the lines to one server: the shared one when there is a slot for a start, those of single sessions at once. */
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
  /** To one user's own process of it, or under their own sign-in; absent if it is there for all. */
  readonly personal?: ((person: Person) => Transport) | undefined;
  /** How we introduce ourselves on the shared line. */
  readonly identity: ClientIdentity;
  readonly slots: StartLimiter;
  /** Saves the probe where it is known. */
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

/** An installed package has started its server within this time, in ms. */
const installShowsMs = 3000;
/** Longest time for the first answer of a process that was too slow before, in ms. */
const maxStartMs = 10 * 60_000;

type Closed = (connection: Connection, error?: Error) => void;

export class ConnectionOpener {
  readonly #options: LineOpenerOptions;
  readonly #stopping = new AbortController();
  #skipWait = new AbortController();
  /** The probe has ended this launch of the server, so it is greeted by `initialize`. */
  #initializeFirst = false;
  /** The shared line, while it is being opened. */
  #opening: Connection | undefined;
  /** Starts in a row that took too long: a process that only is slow gets longer with each. */
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
    const skipped = AbortSignal.any([this.#skipWait.signal, this.#stopping.signal]);
    try {
      let opened: Promise<Connection> | undefined;
      await slots.run(async () => {
        opened = this.#open(identity, undefined, closed);
        await this.#openedOrInstalling(opened);
      }, skipped);
      return await (opened as unknown as Promise<Connection>);
    } finally {
      this.#skipWait = new AbortController();
    }
  }

  /** Others may start meanwhile while a package is fetched. Never rejects. */
  async #openedOrInstalling(opened: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settled = opened.then(
      () => (isSettled = true),
      () => (isSettled = true),
    );
    await settleWithin(settled, installShowsMs);
    while (!isSettled && !this.isInstalling) await settleWithin(settled, installShowsMs);
  }

  /** A connection next to the shared one. Rejects where the server does not speak its protocol. */
  openPooled(entry: PooledConnection, closed: Closed): Promise<Connection> {
    const { owner, protocol } = entry.key;
    if (owner.kind === 'any') return this.#openForHandshakes(closed);
    if (owner.kind === 'user') return this.#openPersonal(owner.person, closed, protocol === 'stateful');
    return this.#openPrivate(() => entry.context ?? owner.context, closed);
  }

  /**
   * One for all sessions of the handshake era, next to the shared one in 2026-07-28. Rejects where the server has no
   * handshake.
   */
  #openForHandshakes(closed: Closed): Promise<Connection> {
    return this.#open(this.#options.identity, undefined, closed, { legacyOnly: true });
  }

  /** To what is a user's own, of whatever kind the other end finds best. */
  #openPersonal(person: Person, closed: Closed, legacyOnly: boolean): Promise<Connection> {
    const { identity, personal } = this.#options;
    if (personal === undefined) throw new AppError('internal', 'Nothing of single people is kept here.');
    return this.#open(identity, undefined, closed, { createTransport: () => personal(person), legacyOnly });
  }

  /** A line of one session, with its own introduction and the log level it wants. */
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

  /** Somebody waits for the shared line that is opened now or next: those who start by themselves have time. */
  prioritize(): void {
    this.#skipWait.abort();
  }

  /** Gives up whatever is being opened; nothing is opened any more. */
  stop(): void {
    this.#stopping.abort('the server is being stopped');
  }

  /**
   * Makes a connection and greets the server; closes it again if that fails. A server that the probe ended is started
   * once more.
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
      this.#options.log.appendEvent(
        'It ended when it was asked for its protocol version, and is started again with initialize.',
      );
      return this.#openOnce(identity, owner, closed, kind);
    }
  }

  async #openOnce(
    identity: ClientIdentity,
    owner: (() => CallContext) | undefined,
    closed: Closed,
    { legacyOnly = false, createTransport }: LineOptions,
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
        // Only servers of the handshake era speak the older transport.
        legacyOnly: legacyOnly || kind === 'sse',
        timeoutMs:
          kind === 'stdio'
            ? Math.max(initTimeoutMs, Math.min(initTimeoutMs * 2 ** this.#timeouts, maxStartMs))
            : initTimeoutMs,
        signal: this.#stopping.signal,
        onProbeEnded: () => (this.#initializeFirst = true),
      });
      const ownerText =
        createTransport !== undefined ? ' on a line of one person' : ofWhom(owner !== undefined, legacyOnly);
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
  /** Greets by the handshake and by nothing else. */
  readonly legacyOnly?: boolean;
  /** Replaces the default transport. */
  readonly createTransport?: () => Transport;
}

function ofWhom(isPrivate: boolean, legacyOnly: boolean): string {
  if (isPrivate) return ' on a line of one session';
  return legacyOnly ? ' on a line for older apps' : '';
}

/** `echo 1.2.0, protocol 2025-11-25`. */
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

  /** Aborting `hurry` lets the task leave the line and run beside those that have a slot. */
  async run<T>(task: () => Promise<T>, skipWait?: AbortSignal): Promise<T> {
    const hasSlot = await this.#slots.acquire(skipWait);
    try {
      return await task();
    } finally {
      if (hasSlot) this.#slots.release();
    }
  }
}
