/** Resolves once what a session shows and allows: config, catalog, client app and mode in one frozen object. */
import type { ActivityLog } from '../activity/activity-log.ts';
import type { TokenBudgets } from '../activity/token-budgets.ts';
import type { ModelAdmin } from '../admin/server-admin.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallStages } from '../calls/call-tool.ts';
import type { RepeatedCalls } from '../calls/repeated-calls.ts';
import { maySpill, type ResultShaper } from '../calls/shape-result.ts';
import type { ResultMemoryQuota } from '../calls/slow-calls.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import { freeListTokens, modeChooserFollowing, type ModeChooser, type ModeCosts } from '../choose-mode.ts';
import { appTraits } from '../client-apps/app-traits.ts';
import { estimateTokens } from '../condense/estimate-tokens.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import {
  type AppConfig,
  type CodeSettings,
  type RetrieveSettings,
  type ToolFilter,
  uiSettingFor,
  type UiSetting,
} from '../config/app-config.ts';
import type { ModeRegistry } from '../modes/mode-registry.ts';
import { type Mode, type ModeView, RenderCache } from '../modes/mode.ts';
import { levelFor, type ListedViews, listViews } from '../modes/render-tools.ts';
import type { CodeRunner } from '../code-runner/code-runner.ts';
import type { Principal } from '../security/principal.ts';
import { type ExtensionSet, supportsViews } from '../servers/extension-set.ts';
import type { ServerSet } from '../servers/server-manager.ts';
import type { SpillOrigin } from '../spills/spill.ts';
import type { SpillFiles } from '../spills/spill-queries.ts';
import type { DataFlowGuard } from '../trust/data-flow/data-flow-guard.ts';
import type { TasksByServer } from './views/server-tasks.ts';

/** Components that are the same for every session. */
interface SharedServices {
  readonly sandbox: CodeRunner;
  readonly descriptions: DescriptionStore;
  /** Returns the origin of the spill with that name; undefined if there is none. */
  readonly spillOf: (ref: string) => SpillOrigin | undefined;
  /** Records texts that sessions read other than tool results. */
  readonly flow: Pick<DataFlowGuard, 'recordText'>;
  readonly repeatedCalls: RepeatedCalls;
  readonly tokenBudgets: TokenBudgets;
  readonly serverInfo: JsonObject;
  readonly modes: ModeRegistry;
  readonly config: () => AppConfig;
  /** The mode given on the command line of the core; overrides the config. */
  readonly mode?: string | undefined;
  /** How long to wait for servers, in ms. */
  readonly settleMs: number;
  /** Owners of the servers' tasks, for the servers' own endpoints. */
  readonly serverTasks: TasksByServer;
  /** Memory quota for results of slow calls, shared by all sessions. */
  readonly resultCapacity: ResultMemoryQuota;
}

/** All parts of the core that a session uses. Some differ by profile and extension set. */
export interface SessionServices extends SharedServices {
  readonly catalog: LiveCatalog;
  readonly servers: ServerSet;
  readonly steps: CallStages;
  readonly shaper: Pick<ResultShaper, 'shapeHelperResult' | 'spill'>;
  readonly admin: ModelAdmin;
  /** Returns the spills that the caller may read. */
  readonly spillFiles: (caller: Principal) => SpillFiles;
  readonly activity: Pick<ActivityLog, 'usedTools'>;
  /** Cost of the modes, computed once for all sessions. */
  readonly modeCosts: ModeCosts;
  /** Returns the services restricted to all of these profiles. */
  readonly inProfiles: (names: readonly string[]) => SessionServices;
  /** Returns the services for clients with an extension set; absent if they already are. */
  readonly inKind?: ((kind: ExtensionSet) => SessionServices) | undefined;
  /** The extension set that the services are for; absent for clients without extensions. */
  readonly kind?: ExtensionSet;
  /** Resolves when it is known what servers offer clients of this extension set, or after `ms`. */
  readonly compared?: (ms: number) => Promise<void>;
  /** Returns whether the server's tool exists here; absent if every tool does. */
  readonly hasTool?: (server: string, definition: JsonObject) => boolean;
}

/** The address of a session, as a source of settings. */
export interface SettingsSource {
  readonly mode?: string | undefined;
  /** The client app, if known. */
  readonly app?: string | undefined;
}

export interface SessionSettings {
  readonly mode: Mode;
  /** Why the mode was chosen automatically; undefined if it was configured. */
  readonly reason: string | undefined;
  /** The mode's view: current catalog and index, and the level of detail of servers' tools. */
  readonly view: ModeView;
  /** Names of helper tools listed in addition to the mode's own. */
  readonly extraTools: readonly string[];
  /** Filter for the tools that `proxy-dispatch` may show and call. */
  readonly toolFilter: ToolFilter;
  /** Whether results are returned in full, as in mini-a. */
  readonly fullResults: boolean;
  readonly retrieve: RetrieveSettings;
  readonly code: CodeSettings;
  /** How long the client app may wait for a response, in ms; undefined for no limit. */
  readonly callLimitMs: number | undefined;
  /** Setting for tools with a user interface; undefined if the app shows none. */
  readonly ui: UiSetting | undefined;
  /** Tools with a user interface that are listed in every mode. */
  readonly listedViews: ListedViews['tools'];
}

/**
 * The settings of one session. They are read at every step of a call and recomputed only if a source has changed: the
 * config, the catalog, or rewritten descriptions. Sessions of other client apps or addresses have settings of their
 * own.
 */
export class SessionSettingsCache {
  readonly #address: SettingsSource;
  readonly #core: SessionServices;
  readonly #choose: ModeChooser;
  readonly #shapes = new RenderCache();
  #made: { readonly config: AppConfig; readonly catalog: Catalog; readonly texts: number } | undefined;
  #settings: SessionSettings | undefined;
  /** Limit of the most recently queried app, cached because the app seldom changes. */
  #cached: { readonly app: string; readonly config: AppConfig; readonly ms: number | undefined } | undefined;

  /** Throws AppError `mode_unknown`. */
  constructor(address: SettingsSource, core: SessionServices) {
    this.#address = address;
    this.#core = core;
    this.#choose = modeChooserFollowing(() => modeFor(address, core), address.app, core.modeCosts);
  }

  /** Returns the same object until a source changes. */
  get current(): SessionSettings {
    const config = this.#core.config();
    const catalog = this.#core.catalog.current;
    const texts = this.#core.modeCosts.revision;
    const made = this.#made;
    if (this.#settings !== undefined && made?.config === config && made.catalog === catalog && made.texts === texts) {
      return this.#settings;
    }
    this.#made = { config, catalog, texts };
    this.#settings = this.#make(config, catalog);
    return this.#settings;
  }

  /** Returns how long `app` may wait for a response, in ms; in 2026-07-28 each request names its own app. */
  callLimitMs(app: string): number | undefined {
    if (app === this.#address.app) return this.current.callLimitMs;
    const config = this.#core.config();
    if (this.#cached?.app !== app || this.#cached.config !== config) {
      this.#cached = { app, config, ms: limitMs(config, app) };
    }
    return this.#cached.ms;
  }

  #make(config: AppConfig, catalog: Catalog): SessionSettings {
    const { app } = this.#address;
    const callLimitMs = limitMs(config, app);
    const ui = this.#core.kind === undefined || !supportsViews(this.#core.kind) ? undefined : uiSettingFor(config, app);
    const shown: ModeView = {
      catalog,
      index: this.#core.catalog.index,
      level: levelFor(config, app),
      shapes: this.#shapes,
      firstUse: tellsAtFirstUse(config),
      spills: maySpill(config.results),
      handles: callLimitMs !== undefined,
      programs: config.code.enabled,
      descriptions: this.#core.descriptions,
    };
    const listed = ui === 'listed' ? listViews(shown, freeListTokens(app), estimateTokens) : undefined;
    const { tools: listedViews = [], tokens = 0, leftOut = 0 } = listed ?? {};
    const view: ModeView = listed ? { ...shown, views: { count: listedViews.length, tokens, leftOut } } : shown;
    const { mode, reason } = this.#choose(Object.freeze(view));
    return Object.freeze({
      mode,
      reason,
      view,
      extraTools: pinnedTools(config, this.#core.modes.helpers),
      toolFilter: config.dispatch,
      fullResults: config.dispatch.results === 'full',
      retrieve: config.retrieve,
      code: config.code,
      callLimitMs,
      ui,
      listedViews,
    });
  }
}

/** Returns the mode from the address, else from the app, the command line, or the config. */
function modeFor({ mode, app }: SettingsSource, core: SessionServices): string {
  const config = core.config();
  const forApp = app !== undefined && Object.hasOwn(config.appModes, app) ? config.appModes[app] : undefined;
  return mode ?? forApp ?? core.mode ?? config.mode;
}

function tellsAtFirstUse({ enrichment, product }: AppConfig): boolean {
  return (enrichment ?? (product === 'toolmux' ? 'first-use' : 'errors')) === 'first-use';
}

/** Helper tools that the user lists in addition to the mode's own. */
function pinnedTools({ extraTools, exposeAdmin }: AppConfig, helpers: ModeRegistry['helpers']): readonly string[] {
  if (!exposeAdmin) return extraTools;
  return [...extraTools, ...[...helpers].flatMap(([name, helper]) => (helper.admin === true ? name : []))];
}

/** Returns the call limit of a client app, in ms; undefined if unlimited. */
function limitMs({ slowCallSeconds }: AppConfig, app: string | undefined): number | undefined {
  const seconds = slowCallSeconds ?? appTraits(app).callLimitSeconds;
  return seconds === 0 ? undefined : seconds * 1000;
}
