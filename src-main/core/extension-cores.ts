/**
 * A core as seen by apps that declare MCP extensions, one per extension set: with its own catalog, index and pipeline,
 * from what the servers offer such apps. Usually those are the servers that all apps share.
 */
import { Emitter } from './base/emitter.ts';
import type { JsonObject } from './base/json.ts';
import type { Log } from './base/log.ts';
import { truncateName } from './base/visible-text.ts';
import type { CatalogChange, LiveCatalog } from './catalog/live-catalog.ts';
import { openScope, rebuildLists, type UnscopedServices } from './catalog-scope.ts';
import type { ModeCosts } from './choose-mode.ts';
import { ProfileCores, type ProfileCoresDeps } from './profile-cores.ts';
import type { ExtensionSet } from './servers/extension-set.ts';
import { ExtensionServers } from './servers/extension-servers.ts';
import type { ServerManager } from './servers/server-manager.ts';
import type { SessionRegistry } from './sessions/session-registry.ts';
import type { SessionServices } from './sessions/session-settings.ts';

interface KindParts extends Omit<ProfileCoresDeps, 'isShown' | 'whole'> {
  /** Services for apps that declare no extension. */
  readonly whole: SessionServices;
  readonly servers: ServerManager;
  readonly sessions: Pick<SessionRegistry, 'usesCatalog'>;
  readonly log: Pick<Log, 'warn'>;
}

interface KindCore {
  readonly core: SessionServices;
  readonly catalog: LiveCatalog;
  readonly modeCosts: ModeCosts;
  readonly profiles: ProfileCores;
}

/** Each set may need its own connection to each server. */
const maxSets = 4;

const beyond =
  `Apps have declared ${maxSets} sets of MCP extensions, which is the limit. Until Tooltray restarts, apps that declare ` +
  'a further set are shown what apps without extensions are shown.';

export class ExtensionCores {
  /** Emits when the lists of a set's apps change. */
  readonly changed = new Emitter<{ readonly catalog: LiveCatalog; readonly change: CatalogChange }>();
  /** Emits when the core of a profile was evicted with its catalog, so that its views must be created again. */
  readonly evicted = new Emitter<(catalog: LiveCatalog) => boolean>();
  readonly #parts: KindParts;
  readonly #cores = new Map<string, KindCore>();
  #isRefusing = false;

  constructor(parts: KindParts) {
    this.#parts = parts;
  }

  /** Undefined if no app with the set was connected. */
  find(kind: ExtensionSet): SessionServices | undefined {
    return this.#cores.get(kind.key)?.core;
  }

  /** Whether apps that declare this set have, or would get, a core of their own. */
  accepts({ key }: ExtensionSet): boolean {
    return this.#cores.has(key) || this.#cores.size < maxSets;
  }

  /** Returns the core of a set. Beyond the limit, returns that of apps without extensions and reports it. */
  core(kind: ExtensionSet): SessionServices {
    const known = this.#cores.get(kind.key);
    if (known !== undefined) return known.core;
    if (this.#cores.size >= maxSets) return this.#refuse(kind);
    const made = this.#make(kind);
    this.#cores.set(kind.key, made);
    return made.core;
  }

  /** The problem to show to the user; undefined: all apps see what servers offer them. */
  get problem(): string | undefined {
    return this.#isRefusing ? beyond : undefined;
  }

  /** Called when the config or the rewritten descriptions change. */
  refresh(): void {
    for (const core of this.#cores.values()) {
      rebuildLists(core);
      core.profiles.refresh();
    }
  }

  #refuse({ extensions }: ExtensionSet): SessionServices {
    if (!this.#isRefusing) this.#parts.log.warn(`${beyond} This one declares ${names(extensions)}.`);
    this.#isRefusing = true;
    return this.#parts.whole;
  }

  #make(kind: ExtensionSet): KindCore {
    const { sessions } = this.#parts;
    const servers = new ExtensionServers(this.#parts.servers, kind);
    const { catalog, modeCosts, steps, services } = openScope({ servers, kind }, this.#parts);
    catalog.changed.on((change) => this.changed.emit({ catalog, change }));
    const whole: UnscopedServices = { ...services, compared: (ms) => servers.compareListings(ms) };
    const isShown = (one: LiveCatalog): boolean => sessions.usesCatalog(one);
    const profiles = new ProfileCores({ ...this.#parts, steps, isShown, whole });
    profiles.changed.on((change) => this.changed.emit(change));
    profiles.evicted.on((isGone) => this.evicted.emit(isGone));
    const core: SessionServices = { ...whole, inProfiles: (names) => profiles.core(names) };
    return { core, catalog, modeCosts, profiles };
  }
}

/** Names are the app's own. */
function names(extensions: JsonObject = {}): string {
  return Object.keys(extensions).map(truncateName).join(', ');
}
