/**
 * The connections to one server other than the shared one, keyed by protocol and owner. Each is opened on first use,
 * shared by concurrent users of the same key, and closed with its owner or when idle.
 */
import type { Person } from '../security/principal.ts';
import type { CallContext } from './in-flight-calls.ts';
import type { Connection } from './connection.ts';
import { ServerSubscriptions } from './server-subscriptions.ts';

/**
 * `any`: sessions of all clients. `session`: one session, which the server can send requests to. `user`: one user,
 * whatever client app they use.
 */
export type ConnectionOwner =
  | { readonly kind: 'any' }
  | { readonly kind: 'session'; readonly context: CallContext }
  | { readonly kind: 'user'; readonly person: Person };

export interface ConnectionKey {
  /** `stateful` uses `initialize` only; `negotiated` uses what the server prefers. */
  readonly protocol: 'negotiated' | 'stateful';
  readonly owner: ConnectionOwner;
}

interface ConnectionPoolOptions {
  /** The implementation calls `closed` when the connection ends. */
  readonly open: (entry: PooledConnection, closed: () => void) => Promise<Connection>;
  readonly onOpen: (entry: PooledConnection, connection: Connection) => void;
  readonly onClose: (entry: PooledConnection, connection: Connection) => void;
  /** Idle timeout of a user's connection, in ms; undefined if the remote side closes it. */
  readonly idleMs: number | undefined;
  /** In ms since 1970. */
  readonly now: () => number;
}

/** Maximum number of session connections; each is a process, or an HTTP session at a server. */
const maxSessionConnections = 16;

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #entries = new Map<string, PooledConnection>();
  #uses = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** Returns the connection, which is opened if needed. Rejects with the reason if it cannot be opened. */
  get(key: ConnectionKey): Promise<Connection> {
    if (key.owner.kind === 'session' && !this.#entries.has(idOf(key))) this.#evict();
    const entry = this.entry(key);
    if (key.owner.kind === 'session') entry.context = key.owner.context;
    entry.lastUse = ++this.#uses;
    return entry.get();
  }

  /** Returns the entry that holds a connection and its subscriptions, open or not. */
  entry(key: ConnectionKey): PooledConnection {
    const id = idOf(key);
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const entry = new PooledConnection(key, this.#options, () => {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
    });
    this.#entries.set(id, entry);
    if (key.owner.kind === 'user') this.#closeIdleLater();
    return entry;
  }

  find(key: ConnectionKey): PooledConnection | undefined {
    return this.#entries.get(idOf(key));
  }

  ofSession(sessionId: string): PooledConnection | undefined {
    return this.#entries.get(sessionKey(sessionId));
  }

  get entries(): readonly PooledConnection[] {
    return [...this.#entries.values()];
  }

  /**
   * Returns whether the session has a connection of its own or can get one. If the limit is reached, the least recently
   * used one is closed, unless it is busy.
   */
  canOpenFor(sessionId: string): boolean {
    return (
      this.ofSession(sessionId) !== undefined ||
      this.#sessionEntries.length < maxSessionConnections ||
      this.#leastRecentlyUsed() !== undefined
    );
  }

  /** Closes the connections that this session was the last to use. */
  async endSession(sessionId: string): Promise<void> {
    const ended = this.entries.filter((entry) => entry.endSession(sessionId));
    await Promise.all(ended.map((entry) => entry.close()));
  }

  /** Closes the user's connections; the next request opens them again. Never rejects. */
  async closeUser(person: Person): Promise<void> {
    const keys = (['negotiated', 'stateful'] as const).map((protocol) => keyOfUser(person, protocol));
    await Promise.all(keys.map(async (key) => this.find(key)?.close()));
  }

  /** Closes all connections; the next request opens them again. Never rejects. */
  async close(): Promise<void> {
    await Promise.all(this.entries.map((entry) => entry.close()));
  }

  get #sessionEntries(): readonly PooledConnection[] {
    return this.entries.filter(({ key }) => key.owner.kind === 'session');
  }

  #evict(): void {
    if (this.#sessionEntries.length >= maxSessionConnections) void this.#leastRecentlyUsed()?.close();
  }

  #leastRecentlyUsed(): PooledConnection | undefined {
    const idle = this.#sessionEntries.filter(({ connection }) => connection?.inFlight === 0);
    return idle.toSorted((a, b) => a.lastUse - b.lastUse)[0];
  }

  #closeIdleLater(): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#idle !== undefined) return;
    this.#idle = setInterval(() => this.#closeIdle(idleMs), Math.max(10, idleMs / 4)).unref();
  }

  #closeIdle(idleMs: number): void {
    const ofUsers = this.entries.filter(({ key }) => key.owner.kind === 'user');
    for (const entry of ofUsers) if (entry.idleForMs >= idleMs) void entry.close();
    if (ofUsers.length > 0) return;
    clearInterval(this.#idle);
    this.#idle = undefined;
  }
}

/** Returns the key of a user's own connection, whatever client app they use. */
export function keyOfUser({ user }: Person, protocol: ConnectionKey['protocol']): ConnectionKey {
  return { protocol, owner: { kind: 'user', person: { user } } };
}

function idOf({ protocol, owner }: ConnectionKey): string {
  if (owner.kind === 'any') return JSON.stringify(['any', protocol]);
  if (owner.kind === 'session') return sessionKey(owner.context.sessionId);
  return JSON.stringify(['user', protocol, owner.person.user]);
}

/** A session has a single connection, in its own protocol. */
function sessionKey(sessionId: string): string {
  return JSON.stringify(['session', sessionId]);
}

export class PooledConnection {
  readonly key: ConnectionKey;
  readonly subscriptions: ServerSubscriptions;
  /** The session as described by its latest call. */
  context: CallContext | undefined;
  /** Sequence number of the last use. */
  lastUse = 0;
  readonly #options: ConnectionPoolOptions;
  readonly #forget: () => void;
  /** Sessions that have used it. */
  readonly #users = new Set<string>();
  #opening: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #openedAt = 0;
  /** Time of the last use on a monotonic clock, in ms. */
  #usedAt = performance.now();

  constructor(key: ConnectionKey, options: ConnectionPoolOptions, forget: () => void) {
    this.key = key;
    this.#options = options;
    this.#forget = forget;
    this.subscriptions = new ServerSubscriptions(
      () => this.#connection,
      () => undefined,
    );
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** In ms since 1970; undefined while it is closed. */
  get openedAt(): number | undefined {
    return this.#connection && this.#openedAt;
  }

  /**
   * How long the connection has been idle, in ms. Calls in flight and sessions subscribed to a resource count as use.
   */
  get idleForMs(): number {
    const isOpening = this.#opening !== undefined && this.#connection === undefined;
    const isBusy = isOpening || (this.#connection?.inFlight ?? 0) > 0 || this.subscriptions.isUsed;
    if (isBusy) this.#usedAt = performance.now();
    return performance.now() - this.#usedAt;
  }

  get(): Promise<Connection> {
    this.#usedAt = performance.now();
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Records that a session uses it. */
  usedBy(sessionId: string): void {
    this.#users.add(sessionId);
  }

  /** Removes the session and returns whether it was the only user. */
  endSession(sessionId: string): boolean {
    this.subscriptions.endSession(sessionId);
    if (this.key.owner.kind === 'session') return this.key.owner.context.sessionId === sessionId;
    return this.#users.delete(sessionId) && this.#users.size === 0;
  }

  /** Closes the connections; the next request opens them again. Never rejects. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#users.clear();
    this.#drop(opening);
    this.#forgetUnused();
    await opening?.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  #open(): Promise<Connection> {
    const { now, onOpen, open } = this.#options;
    const opening: Promise<Connection> = Promise.resolve().then(() => open(this, () => this.#drop(opening)));
    opening.then(
      (connection) => {
        if (this.#opening !== opening) return;
        this.#connection = connection;
        this.#openedAt = now();
        const { handshake } = connection;
        if (handshake !== undefined && this.key.owner.kind !== 'session') this.subscriptions.opened(handshake);
        onOpen(this, connection);
      },
      () => this.#drop(opening),
    );
    return opening;
  }

  #forgetUnused(): void {
    if (this.key.owner.kind !== 'any' && !this.subscriptions.isUsed) this.#forget();
  }

  /** Drops a connection. Subscriptions of sessions are renewed on the next one. */
  #drop(opening: Promise<Connection> | undefined): void {
    if (opening === undefined || this.#opening !== opening) return;
    const connection = this.#connection;
    this.#opening = undefined;
    this.#connection = undefined;
    this.#forgetUnused();
    if (connection !== undefined) this.#options.onClose(this, connection);
  }
}
