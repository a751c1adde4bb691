/**
 * A scope of the core: the servers and tools that a group of client apps sees, with a catalog, an index, and a pipeline
 * of its own. What is out of scope is in none of them, so that no mode, helper or endpoint has to check it.
 */
import type { JsonObject } from './base/json.ts';
import { createCallStages, type CallStagesDeps } from './calls/call-stages.ts';
import { LiveCatalog } from './catalog/live-catalog.ts';
import { ModeCosts } from './choose-mode.ts';
import type { ConfigStore } from './config/config-store.ts';
import { type ExtensionSet, supportsViews } from './servers/extension-set.ts';
import type { ServerSet } from './servers/server-manager.ts';
import type { SessionServices } from './sessions/session-settings.ts';

export interface CatalogScope {
  readonly servers: ServerSet;
  /** Whether problems of the server's configuration are shown; undefined: of every server. */
  readonly hasServer?: (server: string) => boolean;
  /** Undefined: every tool of these servers is in scope. */
  readonly hasTool?: (server: string, definition: JsonObject) => boolean;
  /** The extensions that the apps declare. */
  readonly kind?: ExtensionSet | undefined;
  /** Undefined: results are spilled where they always are. */
  readonly shaper?: CallStagesDeps['shaper'];
}

interface ScopeDeps {
  readonly config: Pick<ConfigStore, 'problems'>;
  readonly steps: CallStagesDeps;
  /** The services outside of the scope. */
  readonly whole: UnscopedServices;
}

/** Services of a core before profiles. */
export type UnscopedServices = Omit<SessionServices, 'inProfiles' | 'inKind'>;

export interface ScopedCatalog {
  readonly catalog: LiveCatalog;
  readonly modeCosts: ModeCosts;
  /** For scopes within this one. */
  readonly steps: CallStagesDeps;
  readonly services: UnscopedServices;
}

export function openScope(scope: CatalogScope, { config, steps: outer, whole }: ScopeDeps): ScopedCatalog {
  const { servers, hasServer = () => true, hasTool, kind, shaper = outer.shaper } = scope;
  const catalog = new LiveCatalog({
    servers,
    reserved: new Set(whole.modes.helpers.keys()),
    isOn: outer.isOn,
    problems: () => config.problems.filter(({ server }) => server === undefined || hasServer(server)),
    knownFix: outer.knownFix,
    ...(hasTool && { hasTool }),
    showsViews: kind !== undefined && supportsViews(kind),
  });
  catalog.rebuild();
  const steps: CallStagesDeps = { ...outer, catalog, servers, shaper };
  const modeCosts = new ModeCosts(whole.modes);
  const own = { catalog, servers, steps: createCallStages(steps), shaper, modeCosts };
  return {
    catalog,
    modeCosts,
    steps,
    services: { ...whole, ...own, ...(hasTool && { hasTool }), ...(kind && { kind }) },
  };
}

/**
 * Lists can change without a change of servers: by settings, or rewritten descriptions. Sessions with unchanged lists
 * are not notified.
 */
export function rebuildLists({ catalog, modeCosts }: Pick<ScopedCatalog, 'catalog' | 'modeCosts'>): void {
  modeCosts.invalidate();
  catalog.rebuild();
  catalog.changed.emit({ tools: true, resources: false, prompts: false });
}
