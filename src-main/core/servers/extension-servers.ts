/**
 * The servers as seen by apps with one extension set. Most servers offer all apps the same and are shared. Each server
 * is asked once, on a separate connection, what it offers an app with these extensions; if that differs, apps with the
 * set share a connection that declares them.
 */
import { Emitter } from '../base/emitter.ts';
import type { JsonObject } from '../base/json.ts';
import { settleWithin } from '../base/settle-within.ts';
import { isSameJson } from '../trust/canonical-json.ts';
import type { ExtensionSet } from './extension-set.ts';
import type { ObservedListing } from './listing-tracker.ts';
import type { ManagedServer } from './managed-server.ts';
import type { NamedNotification, ServerManager, ServerSet } from './server-manager.ts';

interface Compared {
  readonly base: ManagedServer;
  /** The server release that was asked, according to its serverInfo. */
  release: JsonObject | undefined;
  /** The connection for this extension set, if its listing differs. */
  own: ManagedServer | undefined;
  running: Promise<void> | undefined;
}

export class ExtensionServers implements ServerSet {
  readonly changed = new Emitter();
  readonly listingChanged = new Emitter();
  readonly notified = new Emitter<NamedNotification>();
  readonly #servers: ServerManager;
  readonly #kind: ExtensionSet;
  readonly #compared = new Map<string, Compared>();

  constructor(servers: ServerManager, kind: ExtensionSet) {
    this.#servers = servers;
    this.#kind = kind;
    servers.changed.on(() => {
      this.#follow();
      this.changed.emit();
    });
    servers.listingChanged.on(() => {
      this.#follow();
      this.listingChanged.emit();
    });
    servers.notified.on((notification) => {
      if (this.find(notification.server.config.name) === notification.server) this.notified.emit(notification);
    });
    this.#follow();
  }

  get all(): readonly ManagedServer[] {
    return this.#servers.all.map((server) => this.#pick(server));
  }

  get isConfigLoaded(): boolean {
    return this.#servers.isConfigLoaded;
  }

  find(name: string): ManagedServer | undefined {
    const server = this.#servers.find(name);
    return server && this.#pick(server);
  }

  get(name: string): ManagedServer {
    return this.#pick(this.#servers.get(name));
  }

  pausedError(server: string): ReturnType<ServerSet['pausedError']> {
    return this.#servers.pausedError(server);
  }

  /** Resolves when every ready server has been compared, or after `ms`. */
  async compareListings(ms: number): Promise<void> {
    const running = [...this.#compared.values()].flatMap((one) => one.running ?? []);
    if (running.length > 0) await settleWithin(Promise.all(running), ms);
  }

  #pick(server: ManagedServer): ManagedServer {
    const known = this.#compared.get(server.config.name);
    return known?.base === server ? (known.own ?? server) : server;
  }

  /**
   * Follows changes of the servers: new ones, or new releases, are compared, and variants of removed ones are closed.
   */
  #follow(): void {
    for (const [name, { base, own }] of this.#compared) {
      if (this.#servers.find(name) === base) continue;
      this.#compared.delete(name);
      if (own !== undefined) void this.#servers.closeVariant(own);
    }
    for (const base of this.#servers.all) this.#compareSoon(base);
  }

  /**
   * A listing that changes while the server runs requires a new comparison, because the other listing may have changed
   * too.
   */
  #compareSoon(base: ManagedServer): void {
    const { config, observed } = base;
    // Built-in servers offer all apps the same. A server that is not ready is compared later.
    if (config.kind === 'builtin' || !config.enabled || observed === undefined || this.#servers.paused) return;
    const known = this.#compared.get(config.name) ?? { base, release: undefined, own: undefined, running: undefined };
    this.#compared.set(config.name, known);
    if (known.running !== undefined || isSameJson(known.release, observed.handshake.serverInfo)) return;
    known.release = observed.handshake.serverInfo;
    known.running = this.#compare(known, observed).finally(() => (known.running = undefined));
  }

  /** Never rejects: a server that does not start twice is shown with the shared listing. */
  async #compare(known: Compared, said: ObservedListing): Promise<void> {
    const { config } = known.base;
    const differs = (await this.#offersMore(known.base, said)) ?? known.own !== undefined;
    const isCurrent = this.#compared.get(config.name) === known;
    if (!isCurrent || differs === (known.own !== undefined)) return;
    const before = known.own;
    known.own = differs ? await this.#servers.openVariant(config, this.#kind, 'shown') : undefined;
    if (before !== undefined) await this.#servers.closeVariant(before);
    // The server may have been removed meanwhile.
    if (this.#compared.get(config.name) === known) this.listingChanged.emit();
    else if (known.own !== undefined) await this.#servers.closeVariant(known.own);
  }

  /**
   * Whether the server's listing differs for this kind of app; undefined if unknown. Reuses a listing of the same
   * release.
   */
  async #offersMore({ config }: ManagedServer, said: ObservedListing): Promise<boolean | undefined> {
    const probe = await this.#servers.openVariant(config, this.#kind, 'asked');
    try {
      const isKnown = isSameJson(probe.observed?.handshake.serverInfo, said.handshake.serverInfo);
      if (!isKnown) await probe.ready();
      return probe.observed !== undefined && !isSame(probe.observed, said);
    } catch {
      return undefined;
    } finally {
      await this.#servers.closeVariant(probe);
    }
  }
}

function isSame(one: ObservedListing, other: ObservedListing): boolean {
  return (
    isSameJson(one.listing, other.listing) &&
    isSameJson(one.handshake.capabilities, other.handshake.capabilities) &&
    one.handshake.instructions === other.handshake.instructions
  );
}
