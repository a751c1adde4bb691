/**
 * A core as each profile has it: with a catalog, an index, a pipeline and kept answers of its own, made of the same servers. What is out of
 * scope is in none of them, so that no mode, helper or endpoint has to think of it.
 */
import type { ModelAdmin } from './admin/server-admin.ts';
import { AppError } from './base/errors.ts';
import { Event } from './base/events.ts';
import { callSteps, type StepParts } from './calls/call-steps.ts';
import { type CatalogChange, LiveCatalog } from './catalog/live-catalog.ts';
import { ModeCosts } from './choose-mode.ts';
import type { ConfigStore } from './config/config-store.ts';
import { isScopeName, type ProfileScope, scopeOf } from './profiles/profile-scope.ts';
import { scopedAdmin } from './profiles/scoped-admin.ts';
import { ScopedServers } from './profiles/scoped-servers.ts';
import { ScopedSpills } from './profiles/scoped-spills.ts';
import { showsViews } from './servers/app-kind.ts';
import type { SessionCore } from './sessions/session-settings.ts';
import type { AnswerStore } from './spills/answer-store.ts';

export interface ProfileParts {
  readonly config: ConfigStore;
  /** Of the whole core. */
  readonly core: () => SessionCore;
  readonly steps: StepParts;
  readonly admin: ModelAdmin;
  readonly spills: Pick<AnswerStore, 'find' | 'keep'>;
  /** Whether somebody is shown a catalog now. */
  readonly isShown: (catalog: LiveCatalog) => boolean;
}

interface ProfileCore {
  readonly core: SessionCore;
  readonly catalog: LiveCatalog;
  readonly modeCosts: ModeCosts;
  readonly end: () => void;
}

/** Each has a catalog and an index. Beyond these the one goes that was asked for longest ago and that nobody is shown. */
const mostCores = 500;

export class Profiles {
  /** What a profile is shown is something else. */
  readonly changed = new Event<{ readonly catalog: LiveCatalog; readonly change: CatalogChange }>();
  /** A core was let go, with its catalog: views of it are to be made anew. */
  readonly letGo = new Event<(catalog: LiveCatalog) => boolean>();
  readonly #parts: ProfileParts;
  /** Who was asked for last stands last; by what they are made of, of those that were asked for; what is taken out of the config stays, and lets nothing through. */
  readonly #cores = new Map<string, ProfileCore>();

  constructor(parts: ProfileParts) {
    this.#parts = parts;
  }

  /** What all of these profiles let through. Throws AppError session_limit where there are too many different ones. */
  core(names: readonly string[]): SessionCore {
    const sorted = [...new Set(names)].sort();
    const key = JSON.stringify(sorted);
    const known = this.#cores.get(key) ?? this.#make(sorted);
    this.#cores.delete(key);
    this.#cores.set(key, known);
    return known.core;
  }

  /** Of those that were asked for. */
  get catalogs(): readonly LiveCatalog[] {
    return [...this.#cores.values()].map(({ catalog }) => catalog);
  }

  /** To be called when the config, or what is written of tools, is another one. */
  refresh(): void {
    for (const core of this.#cores.values()) listAnew(core);
  }

  #makeRoom(): void {
    if (this.#cores.size < mostCores) return;
    const unused = [...this.#cores].find(([, { catalog }]) => !this.#parts.isShown(catalog));
    if (unused === undefined) throw tooMany();
    const [key, core] = unused;
    this.#cores.delete(key);
    core.end();
    this.letGo.emit((catalog) => catalog === core.catalog);
  }

  #make(names: readonly string[]): ProfileCore {
    this.#makeRoom();
    const { config, steps: parts, spills } = this.#parts;
    const whole = this.#parts.core();
    const scope = scopeOf(names, () => config.current);
    const servers = new ScopedServers(parts.servers, scope);
    const catalog = this.#catalog(servers, scope, whole);
    // What a layer lets through may be another thing tomorrow, and an answer that was kept before is to be read on.
    const lasting = names.filter((name) => !isScopeName(name));
    const own = new ScopedSpills(spills, lasting.length === 0 ? undefined : JSON.stringify(lasting), scope);
    const shaper = own.shaper(parts.shaper);
    const modeCosts = new ModeCosts(whole.modes);
    const core: SessionCore = {
      ...whole,
      catalog,
      servers,
      steps: callSteps({ ...parts, catalog, servers, shaper }),
      shaper,
      spillFiles: (caller) => own.files(whole.spillFiles(caller), caller),
      admin: scopedAdmin(this.#parts.admin, servers, scope),
      activity: {
        stats: () => statsIn(whole.activity.stats(), catalog),
        // It only orders what the profile lets through.
        usedTools: () => whole.activity.usedTools(),
      },
      hasTool: (server, definition) => scope.hasTool(server, definition),
      modeCosts,
    };
    const end = (): void => {
      catalog.end();
      servers.end();
    };
    return { core, catalog, modeCosts, end };
  }

  #catalog(servers: ScopedServers, scope: ProfileScope, { modes, kind }: SessionCore): LiveCatalog {
    const { config, steps } = this.#parts;
    const catalog = new LiveCatalog({
      servers,
      reserved: new Set(modes.helpers.keys()),
      isOn: steps.isOn,
      problems: () => config.problems.filter(({ server }) => server === undefined || scope.hasServer(server)),
      knownFix: steps.knownFix,
      hasTool: (server, definition) => scope.hasTool(server, definition),
      showsViews: kind !== undefined && showsViews(kind),
    });
    catalog.rebuild();
    catalog.changed.on((change) => this.changed.emit({ catalog, change }));
    return catalog;
  }
}

/** What is listed may be another one though the servers are the same: settings, or what is written of tools. A session for which it is the same hears nothing. */
export function listAnew({ catalog, modeCosts }: Pick<SessionCore, 'catalog' | 'modeCosts'>): void {
  modeCosts.forget();
  catalog.rebuild();
  catalog.changed.emit({ tools: true, resources: false, prompts: false });
}

function tooMany(): AppError {
  return new AppError('session_limit', 'Too many profiles are used together in different ways.', {
    fix: 'Use fewer profiles, or let people be shown the same.',
  });
}

/** What was called of the tools that there are in the profile. */
function statsIn(stats: ReturnType<SessionCore['activity']['stats']>, { current }: LiveCatalog): typeof stats {
  const tools = stats.tools.filter(({ server, tool }) => current.lookup.tools.withId(`${server}:${tool}`).length > 0);
  return { ...stats, tools };
}
