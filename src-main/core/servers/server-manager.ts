/** All configured servers: started together, replaced when their entry changes, stopped together. */
import { AppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { settleWithin } from '../base/settle-within.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { hashServerConfig } from '../config/build-server-config.ts';
import type { Person } from '../security/principal.ts';
import { secretNamesOf } from '../secrets/resolve-secrets.ts';
import { canonicalHash } from '../trust/canonical-json.ts';
import type { ExtensionSet } from './extension-set.ts';
import { ManagedServer } from './managed-server.ts';
import type { ServerDeps, ServerNotification } from './server-deps.ts';

export interface NamedNotification extends ServerNotification {
  readonly server: ManagedServer;
}

/** Idle time after which a second process for some apps ends, in ms. */
const besideIdleMs = 30 * 60_000;

export class ServerManager {
  /** Emits when the state or health of a server, or the set of servers, changes. */
  readonly changed = new Emitter();
  /** Emits when a listing, or the set of servers, changes. */
  readonly listingChanged = new Emitter();
  readonly notified = new Emitter<NamedNotification>();

  readonly #deps: ServerDeps;
  #servers = new Map<string, ManagedServer>();
  /** Variants of configured servers for apps that declare extensions. */
  readonly #beside = new Set<ManagedServer>();
  #configured = false;
  #stopped = false;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
  }

  /** In config order. */
  get all(): readonly ManagedServer[] {
    return [...this.#servers.values()];
  }

  /** Whether the config and the cache have been loaded; false only right after the start of the core. */
  get isConfigLoaded(): boolean {
    return this.#configured;
  }

  find(name: string): ManagedServer | undefined {
    return this.#servers.get(name);
  }

  /** Rejects with AppError `server_not_found`, which lists the existing servers. */
  get(name: string): ManagedServer {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const names = [...this.#servers.keys()];
    throw new AppError('server_not_found', `There is no server named ${JSON.stringify(name)}.`, {
      fix: names.length === 0 ? 'Add one with: tooltray add NAME COMMAND' : `There are: ${names.join(', ')}.`,
      data: { available: names },
    });
  }

  /** Applies a config; unchanged servers continue. Resolves when all have started or failed, at once after `stop`. */
  async apply(configs: readonly ServerConfig[]): Promise<void> {
    if (this.#stopped) return;
    const before = this.#servers;
    const after = new Map<string, ManagedServer>();
    for (const config of configs) {
      const known = before.get(config.name);
      const same =
        known?.config.hash === config.hash &&
        known.config.enabled === config.enabled &&
        known.config.held === config.held;
      after.set(config.name, same ? known : this.#create(config));
    }
    this.#servers = after;
    const gone = endingOrder(missingIn(before, after), after);
    const fresh = missingIn(after, before);
    const stopping = new Map(gone.map((server) => [server, server.stop()]));
    await Promise.all(fresh.map((server) => server.restore()));
    const first = !this.#configured;
    this.#configured = true;
    const moved = [...before.keys()].some((name, index) => name !== configs[index]?.name);
    if (first || moved || gone.length + fresh.length > 0) {
      this.listingChanged.emit();
      this.changed.emit();
    }
    const start = async (server: ManagedServer): Promise<void> => {
      await Promise.all(predecessors(server, gone).flatMap((one) => stopping.get(one) ?? []));
      await server.start();
    };
    await Promise.all([...stopping.values(), ...fresh.map(start)]);
  }

  /**
   * Opens another connection to a server, with the known listing: it declares the extensions of an app. `shown`: its
   * definitions are checked against the accepted ones; otherwise it is only queried and not shown. The caller must
   * close it.
   */
  async openVariant(config: ServerConfig, kind: ExtensionSet, use: 'asked' | 'shown'): Promise<ManagedServer> {
    const { identity, pinsOf } = this.#deps;
    const server = this.#create(
      // A variant has its own cache and starts on demand.
      {
        ...config,
        hash: canonicalHash([config.hash, kind.key]),
        lazy: true,
        idleTimeoutMs: config.idleTimeoutMs ?? besideIdleMs,
      },
      {
        ...this.#deps,
        identity: { ...identity, capabilities: { ...identity.capabilities, extensions: kind.extensions } },
        pinsOf: () => (use === 'shown' ? pinsOf?.(config, kind) : undefined),
      },
    );
    this.#beside.add(server);
    await server.restore();
    if (this.#stopped) await server.stop();
    return server;
  }

  /** Closes a variant. Never rejects. */
  async closeVariant(server: ManagedServer): Promise<void> {
    this.#beside.delete(server);
    await server.stop();
  }

  /** Called when a user connects: a server with one process per user may list its tools with this user's process. */
  onUserSeen(person: Person): void {
    if (this.#deps.personal === undefined && this.#deps.own === undefined) return;
    for (const server of this.#servers.values()) server.onUserSeen(person);
  }

  /** Closes a user's connections to one or all servers after the account changed or was removed. Never rejects. */
  async closeForUser(person: Person, name?: string): Promise<void> {
    const meant = this.#lines.filter(({ config }) => name === undefined || config.name === name);
    await Promise.all(meant.map((server) => server.closeForUser(person)));
  }

  /** Restarts the servers that use one of these secrets. Never rejects. */
  async secretsChanged(names: ReadonlySet<string>): Promise<void> {
    const having = this.#lines.filter(({ config }) => secretNamesOf(config).some((name) => names.has(name)));
    await Promise.all(having.map((server) => server.relaunch()));
  }

  /** Retries the servers that failed because the vault was locked. Never rejects. */
  async vaultOpened(): Promise<void> {
    const waiting = this.#lines.filter(({ state }) => state.kind === 'error' && state.error.code === 'secret_locked');
    await Promise.all(waiting.map((server) => server.relaunch()));
  }

  get paused(): boolean {
    return this.#deps.pause.isOn;
  }

  /** The error for calls of this server while all servers are paused; undefined if they are not. */
  pausedError(server: string): AppError | undefined {
    return this.paused ? this.#deps.pause.pausedError(server) : undefined;
  }

  /**
   * Ends every process until the user continues; listings stay, and calls are rejected with an explanation. Resolves
   * when they have ended, or when all are starting again.
   */
  async setPaused(paused: boolean): Promise<void> {
    if (paused === this.paused) return;
    this.#deps.pause.set(paused);
    this.changed.emit();
    if (paused) await Promise.all(this.#lines.map((server) => server.sleep()));
    else for (const server of this.#lines) void server.start();
    this.changed.emit();
  }

  /** Stops permanently: a later config starts nothing. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lines.map((server) => server.stop()));
  }

  async endSession(sessionId: string): Promise<void> {
    await Promise.all(this.#lines.map((server) => server.endSession(sessionId)));
  }

  /** Ends a session of one request, which has only private connections, usually none. */
  closePrivateConnections(sessionId: string): void {
    for (const server of this.#lines) if (server.hasPrivateConnection(sessionId)) void server.endSession(sessionId);
  }

  get #lines(): readonly ManagedServer[] {
    return [...this.#servers.values(), ...this.#beside];
  }

  #create(config: ServerConfig, deps: ServerDeps = this.#deps): ManagedServer {
    const server = new ManagedServer(config, deps);
    server.changed.on(() => this.changed.emit());
    server.listingChanged.on(() => this.listingChanged.emit());
    server.notified.on((notification) => this.notified.emit({ ...notification, server }));
    return server;
  }
}

/** The subset of ServerManager for consumers that may see only some of the servers. */
export type ServerSet = Pick<
  ServerManager,
  'all' | 'find' | 'get' | 'isConfigLoaded' | 'pausedError' | 'changed' | 'listingChanged' | 'notified'
>;

function missingIn(
  these: ReadonlyMap<string, ManagedServer>,
  those: ReadonlyMap<string, ManagedServer>,
): ManagedServer[] {
  return [...these].flatMap(([name, server]) => (those.get(name) === server ? [] : [server]));
}

// The order in which a new config takes effect: ending servers first (removed, then disabled, then replaced). The
// others start concurrently, each as soon as its predecessors have ended.

interface Configured {
  readonly config: ServerConfig;
}

/** `next`: the new config, by name. */
function endingOrder<T extends Configured>(gone: readonly T[], next: ReadonlyMap<string, Configured>): T[] {
  return gone.toSorted((a, b) => place(a) - place(b));

  function place({ config }: T): number {
    const after = next.get(config.name);
    if (after === undefined) return 0;
    return after.config.enabled ? 2 : 1;
  }
}

/**
 * Servers that may hold a port, lock or profile that this one needs: those of the same name, and the same launch under
 * another name.
 */
function predecessors<T extends Configured>({ config }: Configured, gone: readonly T[]): T[] {
  return gone.filter((one) => one.config.name === config.name || nameless(one.config) === nameless(config));
}

function nameless(config: ServerConfig): string {
  const { hash: _, ...unhashed } = config;
  return hashServerConfig({ ...unhashed, name: '' });
}

// Lists the tools of servers again, concurrently.

/** Resolves when all were listed or failed, or after `ms`. Starts sleeping servers. Never rejects. */
export async function refreshListings(servers: readonly ManagedServer[], ms: number): Promise<void> {
  const enabled = servers.filter(({ config }) => config.enabled);
  await settleWithin(Promise.allSettled(enabled.map((server) => server.ready())), ms);
}
