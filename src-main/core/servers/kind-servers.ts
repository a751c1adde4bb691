/**
 * The servers as apps of one kind have them. Most offer everybody the same, and are the very ones that all apps share. What a server
 * offers an app that declares extensions is found out by asking it so once, on a line of its own; where it is something else, apps
 * of the kind share a connection that declares the same.
 */
import { Event } from '../base/events.ts';
import type { JsonObject } from '../base/json.ts';
import { within } from '../base/within.ts';
import { isSameJson } from '../trust/canonical-json.ts';
import type { AppKind } from './app-kind.ts';
import type { Said } from './listing-keeper.ts';
import type { ManagedServer } from './managed-server.ts';
import type { NamedNotification, ServerManager, ServerSet } from './server-manager.ts';

interface Compared {
  readonly base: ManagedServer;
  /** Which release of it was asked, as it calls itself. */
  release: JsonObject | undefined;
  /** The connection of this kind, where it is offered something else. */
  own: ManagedServer | undefined;
  running: Promise<void> | undefined;
}

export class KindServers implements ServerSet {
  readonly changed = new Event();
  readonly listingChanged = new Event();
  readonly notified = new Event<NamedNotification>();
  readonly #servers: ServerManager;
  readonly #kind: AppKind;
  readonly #compared = new Map<string, Compared>();
  readonly #stops: readonly (() => void)[];

  constructor(servers: ServerManager, kind: AppKind) {
    this.#servers = servers;
    this.#kind = kind;
    this.#stops = [
      servers.changed.on(() => {
        this.#follow();
        this.changed.emit();
      }),
      servers.listingChanged.on(() => {
        this.#follow();
        this.listingChanged.emit();
      }),
      servers.notified.on((notification) => {
        if (this.find(notification.server.config.name) === notification.server) this.notified.emit(notification);
      }),
    ];
    this.#follow();
  }

  /** Something is asked of a connection of this kind's own. */
  get isBusy(): boolean {
    return [...this.#compared.values()].some(({ own }) => own?.isBusy === true);
  }

  /** Nobody has them any more: its own connections end. */
  end(): void {
    for (const stop of this.#stops) stop();
    const own = [...this.#compared.values()].flatMap((one) => one.own ?? []);
    // A comparison that is under way sees by that that nobody waits for it.
    this.#compared.clear();
    for (const server of own) void this.#servers.letGo(server);
  }

  get all(): readonly ManagedServer[] {
    return this.#servers.all.map((server) => this.#pick(server));
  }

  get configured(): boolean {
    return this.#servers.configured;
  }

  find(name: string): ManagedServer | undefined {
    const server = this.#servers.find(name);
    return server && this.#pick(server);
  }

  get(name: string): ManagedServer {
    return this.#pick(this.#servers.get(name));
  }

  refusal(server: string): ReturnType<ServerSet['refusal']> {
    return this.#servers.refusal(server);
  }

  /** Resolves when it is known of every server that is up whether it offers this kind something else; after `ms` in any case. */
  async compared(ms: number): Promise<void> {
    const running = [...this.#compared.values()].flatMap((one) => one.running ?? []);
    if (running.length > 0) await within(Promise.all(running), ms);
  }

  #pick(server: ManagedServer): ManagedServer {
    const known = this.#compared.get(server.config.name);
    return known?.base === server ? (known.own ?? server) : server;
  }

  /** Whatever has changed at a server: those that are new, or another release, are compared, those that are gone let go. */
  #follow(): void {
    for (const [name, { base, own }] of this.#compared) {
      if (this.#servers.find(name) === base) continue;
      this.#compared.delete(name);
      if (own !== undefined) void this.#servers.letGo(own);
    }
    for (const base of this.#servers.all) this.#compareSoon(base);
  }

  /** A listing that changes while the server runs says nothing of the kind: what a line of its own would say then is not known either. */
  #compareSoon(base: ManagedServer): void {
    const { config, said } = base;
    // What comes with us offers everybody the same. One that is not up is compared when it is.
    if (config.kind === 'builtin' || !config.enabled || said === undefined || this.#servers.paused) return;
    const known = this.#compared.get(config.name) ?? { base, release: undefined, own: undefined, running: undefined };
    this.#compared.set(config.name, known);
    if (known.running !== undefined || isSameJson(known.release, said.handshake.serverInfo)) return;
    known.release = said.handshake.serverInfo;
    known.running = this.#compare(known, said).finally(() => (known.running = undefined));
  }

  /** Never rejects: a server that cannot be had twice is shown as everybody has it. */
  async #compare(known: Compared, said: Said): Promise<void> {
    const { config } = known.base;
    const differs = (await this.#offersMore(known.base, said)) ?? known.own !== undefined;
    const isCurrent = this.#compared.get(config.name) === known;
    if (!isCurrent || differs === (known.own !== undefined)) return;
    const before = known.own;
    known.own = differs ? await this.#servers.beside(config, this.#kind, 'shown') : undefined;
    if (before !== undefined) await this.#servers.letGo(before);
    // It may be gone by now.
    if (this.#compared.get(config.name) === known) this.listingChanged.emit();
    else if (known.own !== undefined) await this.#servers.letGo(known.own);
  }

  /** What it said to this kind earlier counts as long as it is the same release; undefined: it cannot be asked. */
  async #offersMore({ config }: ManagedServer, said: Said): Promise<boolean | undefined> {
    const probe = await this.#servers.beside(config, this.#kind, 'asked');
    try {
      const isKnown = isSameJson(probe.said?.handshake.serverInfo, said.handshake.serverInfo);
      if (!isKnown) await probe.ready();
      return probe.said !== undefined && !isSame(probe.said, said);
    } catch {
      return undefined;
    } finally {
      await this.#servers.letGo(probe);
    }
  }
}

function isSame(one: Said, other: Said): boolean {
  return (
    isSameJson(one.listing, other.listing) &&
    isSameJson(one.handshake.capabilities, other.handshake.capabilities) &&
    one.handshake.instructions === other.handshake.instructions
  );
}
