/**
 * A core as seen by each profile: with its own catalog, index, pipeline and spills, from the same servers. What is out
 * of scope is in none of them, so that no mode, helper tool or endpoint has to check it.
 */
import type { ModelAdmin } from './admin/server-admin.ts';
import { AppError } from './base/errors.ts';
import { Emitter } from './base/emitter.ts';
import type { CallStagesDeps } from './calls/call-stages.ts';
import type { CatalogChange, LiveCatalog } from './catalog/live-catalog.ts';
import { openScope, rebuildLists, type UnscopedServices } from './catalog-scope.ts';
import type { ModeCosts } from './choose-mode.ts';
import type { ConfigStore } from './config/config-store.ts';
import { isScopeName, createProfileScope } from './profiles/profile-scope.ts';
import { createScopedAdmin } from './profiles/scoped-admin.ts';
import { ScopedServers } from './profiles/scoped-servers.ts';
import { ScopedSpills } from './profiles/scoped-spills.ts';
import type { SessionServices } from './sessions/session-settings.ts';
import type { SpillStore } from './spills/spill-store.ts';

export interface ProfileCoresDeps {
  readonly config: ConfigStore;
  /** Services of the whole core. */
  readonly whole: UnscopedServices;
  readonly steps: CallStagesDeps;
  readonly admin: ModelAdmin;
  readonly spills: Pick<SpillStore, 'find' | 'spill'>;
  /** Returns whether a session currently uses the catalog. */
  readonly isShown: (catalog: LiveCatalog) => boolean;
}

interface ProfileCore {
  readonly core: SessionServices;
  readonly catalog: LiveCatalog;
  readonly modeCosts: ModeCosts;
  readonly end: () => void;
}

/** Each holds a catalog and an index. Beyond this limit, the least recently used one without a session is evicted. */
const maxCores = 500;

export class ProfileCores {
  /** Emits when the lists of a profile change. */
  readonly changed = new Emitter<{ readonly catalog: LiveCatalog; readonly change: CatalogChange }>();
  /** Emits when a core was evicted with its catalog, so that its views must be created again. */
  readonly evicted = new Emitter<(catalog: LiveCatalog) => boolean>();
  readonly #parts: ProfileCoresDeps;
  /**
   * Least recently used first. The key is the requested profiles; a profile that was removed from the config stays and
   * permits nothing.
   */
  readonly #cores = new Map<string, ProfileCore>();

  constructor(parts: ProfileCoresDeps) {
    this.#parts = parts;
  }

  /** The combined access of these profiles. Throws AppError `session_limit` if there are too many combinations. */
  core(names: readonly string[]): SessionServices {
    const sorted = [...new Set(names)].sort();
    const key = JSON.stringify(sorted);
    const known = this.#cores.get(key) ?? this.#make(sorted);
    this.#cores.delete(key);
    this.#cores.set(key, known);
    return known.core;
  }

  /** Call it when the config, or rewritten descriptions, have changed. */
  refresh(): void {
    for (const core of this.#cores.values()) rebuildLists(core);
  }

  #evictOldest(): void {
    if (this.#cores.size < maxCores) return;
    const unused = [...this.#cores].find(([, { catalog }]) => !this.#parts.isShown(catalog));
    if (unused === undefined) throw tooMany();
    const [key, core] = unused;
    this.#cores.delete(key);
    core.end();
    this.evicted.emit((catalog) => catalog === core.catalog);
  }

  #make(names: readonly string[]): ProfileCore {
    this.#evictOldest();
    const { config, steps, spills, whole } = this.#parts;
    const scope = createProfileScope(names, () => config.current);
    const servers = new ScopedServers(steps.servers, scope);
    // A layer may change at any time, but earlier spills must stay readable.
    const lasting = names.filter((name) => !isScopeName(name));
    const own = new ScopedSpills(spills, lasting.length === 0 ? undefined : JSON.stringify(lasting), scope);
    const { catalog, modeCosts, services } = openScope(
      {
        servers,
        kind: whole.kind,
        shaper: own.scopeShaper(steps.shaper),
        hasServer: (server) => scope.hasServer(server),
        hasTool: (server, definition) => scope.hasTool(server, definition),
      },
      this.#parts,
    );
    catalog.changed.on((change) => this.changed.emit({ catalog, change }));
    const core: SessionServices = {
      ...services,
      spillFiles: (caller) => own.scopeFiles(whole.spillFiles(caller), caller),
      admin: createScopedAdmin(this.#parts.admin, servers, scope),
      // It only ranks what the profile permits.
      activity: { usedTools: () => whole.activity.usedTools() },
      inProfiles: (others) => this.core(others),
    };
    const end = (): void => {
      catalog.dispose();
      servers.end();
    };
    return { core, catalog, modeCosts, end };
  }
}

function tooMany(): AppError {
  return new AppError('session_limit', 'Too many different combinations of profiles are in use.', {
    fix: 'Use fewer profiles, or give users the same tools.',
  });
}
