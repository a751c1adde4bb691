/**
 * A core as apps have it that declare extensions of MCP, one for each kind of app: with a catalog, an index and a
 * pipeline of its own, made of what the servers offer such apps. Mostly those are the servers that all apps share.
 */
import { Emitter } from './base/emitter.ts';
import type { JsonObject } from './base/json.ts';
import type { Log } from './base/log.ts';
import { truncateName } from './base/visible-text.ts';
import { createCallStages, type CallStagesDeps } from './calls/call-stages.ts';
import { type CatalogChange, LiveCatalog } from './catalog/live-catalog.ts';
import { ModeCosts } from './choose-mode.ts';
import { rebuildLists, ProfileCores, type ProfileCoresDeps, type UnscopedServices } from './profile-cores.ts';
import { type ExtensionSet, supportsViews } from './servers/extension-set.ts';
import { ExtensionServers } from './servers/extension-servers.ts';
import type { ServerManager } from './servers/server-manager.ts';
import type { SessionRegistry } from './sessions/session-registry.ts';
import type { SessionServices } from './sessions/session-settings.ts';

interface KindParts extends Omit<ProfileCoresDeps, 'isShown' | 'whole'> {
  /** Services of the core as apps have it that declare no extension. */
  readonly whole: SessionServices;
  readonly servers: ServerManager;
  readonly sessions: Pick<SessionRegistry, 'usesCatalog'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => number;
}

interface KindCore {
  readonly core: SessionServices;
  readonly catalog: LiveCatalog;
  readonly modeCosts: ModeCosts;
  readonly profiles: ProfileCores;
  readonly servers: ExtensionServers;
  /** Last use by a new session, a list or a call, in ms since 1970. */
  usedAt: number;
}

/** Each may have a connection to each server. */
const maxKinds = 4;
/** A recently used kind is not evicted for another, or two apps could restart all servers in turns. */
const minIdleBeforeEvictionMs = 10 * 60_000;

const beyond =
  `${maxKinds} kinds of apps that declare extensions of MCP are in use. Until one of them has been gone for ten minutes, ` +
  'apps of a further kind are shown what apps are shown that declare none.';

/** Returns whether a session currently uses the catalog. */
type IsShown = (catalog: LiveCatalog) => boolean;

export class ExtensionCores {
  /** Emits when the lists of a kind's apps change. */
  readonly changed = new Emitter<{ readonly catalog: LiveCatalog; readonly change: CatalogChange }>();
  /** A kind was evicted with its catalogs: views of them must be created again. */
  readonly evicted = new Emitter<IsShown>();
  readonly #parts: KindParts;
  readonly #cores = new Map<string, KindCore>();
  /** Kinds that found no place since one was free last. */
  readonly #refused = new Set<string>();

  constructor(parts: KindParts) {
    this.#parts = parts;
  }

  /** undefined: no app of the kind has been here. */
  find(kind: ExtensionSet): SessionServices | undefined {
    return this.#cores.get(kind.key)?.core;
  }

  /** An app of the kind is here: whether it has a core of its kind, or would be given one. */
  accepts({ key }: ExtensionSet): boolean {
    const known = this.#cores.get(key);
    if (known !== undefined) known.usedAt = this.#parts.now();
    return known !== undefined || this.#hasPlace;
  }

  /**
   * Returns the core of a kind. If there are too many kinds, returns that of apps without extensions and reports it.
   */
  core(kind: ExtensionSet): SessionServices {
    const known = this.#cores.get(kind.key);
    if (known !== undefined) {
      known.usedAt = this.#parts.now();
      return known.core;
    }
    if (this.#cores.size >= maxKinds && !this.#makePlace()) return this.#refuse(kind);
    const made = this.#make(kind);
    this.#cores.set(kind.key, made);
    this.#refused.delete(kind.key);
    return made.core;
  }

  /** The problem to show to the user; undefined: all apps see what servers offer them. */
  get problem(): string | undefined {
    return this.#refused.size === 0 || this.#hasPlace ? undefined : beyond;
  }

  /** To be called when the config, or what is written of tools, is another one. */
  refresh(): void {
    for (const core of this.#cores.values()) {
      rebuildLists(core);
      core.profiles.refresh();
    }
  }

  #refuse({ key, extensions }: ExtensionSet): SessionServices {
    if (!this.#refused.has(key) && this.#refused.size < maxKinds) {
      this.#refused.add(key);
      this.#parts.log.warn(`${beyond} This one declares ${names(extensions)}.`);
    }
    return this.#parts.whole;
  }

  /** Whether the one that was used longest ago, and is not any more, has made place. */
  #makePlace(): boolean {
    const unused = this.#leastRecentlyUsed();
    if (unused === undefined) return false;
    const [key, kind] = unused;
    this.#cores.delete(key);
    kind.servers.dispose();
    const { extensions } = kind.core.kind ?? {};
    this.#parts.log.info(
      `Connections for apps that declare ${names(extensions)} were let go, for another kind of app.`,
    );
    const gone = new Set(catalogsOf(kind));
    this.evicted.emit((catalog) => gone.has(catalog));
    return true;
  }

  get #hasPlace(): boolean {
    return this.#cores.size < maxKinds || this.#leastRecentlyUsed() !== undefined;
  }

  #leastRecentlyUsed(): [string, KindCore] | undefined {
    const before = this.#parts.now() - minIdleBeforeEvictionMs;
    const unused = [...this.#cores].filter(([, kind]) => kind.usedAt <= before && !this.#isInUse(kind));
    return unused.toSorted(([, a], [, b]) => a.usedAt - b.usedAt)[0];
  }

  #isInUse(kind: KindCore): boolean {
    return kind.servers.isBusy || catalogsOf(kind).some((catalog) => this.#parts.sessions.usesCatalog(catalog));
  }

  #make(kind: ExtensionSet): KindCore {
    const { sessions, whole } = this.#parts;
    const servers = new ExtensionServers(this.#parts.servers, kind);
    const catalog = this.#catalog(servers, kind, whole);
    const steps: CallStagesDeps = { ...this.#parts.steps, catalog, servers };
    const modeCosts = new ModeCosts(whole.modes);
    const unscoped: UnscopedServices = {
      ...whole,
      catalog,
      servers,
      steps: createCallStages(steps),
      kind,
      compared: (ms) => servers.compareListings(ms),
      modeCosts,
    };
    const isShown: IsShown = (one) => sessions.usesCatalog(one);
    const profiles = new ProfileCores({ ...this.#parts, steps, isShown, whole: unscoped });
    profiles.changed.on((change) => this.changed.emit(change));
    profiles.evicted.on((isGone) => this.evicted.emit(isGone));
    const core: SessionServices = { ...unscoped, inProfiles: (names) => profiles.core(names) };
    return { core, catalog, modeCosts, profiles, servers, usedAt: this.#parts.now() };
  }

  #catalog(servers: ExtensionServers, kind: ExtensionSet, { modes }: Pick<SessionServices, 'modes'>): LiveCatalog {
    const { config, steps } = this.#parts;
    const catalog = new LiveCatalog({
      servers,
      reserved: new Set(modes.helpers.keys()),
      isOn: steps.isOn,
      problems: () => config.problems,
      knownFix: steps.knownFix,
      showsViews: supportsViews(kind),
    });
    catalog.rebuild();
    catalog.changed.on((change) => this.changed.emit({ catalog, change }));
    return catalog;
  }
}

function catalogsOf({ catalog, profiles }: KindCore): readonly LiveCatalog[] {
  return [catalog, ...profiles.catalogs];
}

/** Names are the app's own words. */
function names(extensions: JsonObject = {}): string {
  return Object.keys(extensions).map(truncateName).join(', ');
}
