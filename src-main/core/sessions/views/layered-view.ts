/**
 * The view of one of several users by the config's layers: it is replaced when the layers permit something else.
 * Rebuilt from the current config, so that open sessions and streams follow changes of the file.
 */
import type { JsonObject } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { CatalogChange, LiveCatalog } from '../../catalog/live-catalog.ts';
import type { AppConfig } from '../../config/app-config.ts';
import { type AppliedLayers, applyLayers, type LayerSubject } from '../../config/layers/apply-layers.ts';
import { scopeName } from '../../profiles/profile-scope.ts';
import type { ListKey } from '../../servers/listing.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import type { ProtocolKind } from '../../wire/protocol-kind.ts';
import type { Result } from '../../wire/message.ts';
import type { SessionServices } from '../session-settings.ts';
import type { Introduction, SessionView } from '../session-view.ts';
import type { TaskSubscription } from './task-subscriptions.ts';

/** `scopes`: names of what the layers permit; `core`: with the user's settings. */
export type MakeView = (scopes: readonly string[], core: SessionServices) => SessionView;

/** Maximum number of retained views: results of running calls in a replaced view can still be fetched if it becomes current again. */
const maxViews = 4;

export class LayeredView implements SessionView {
  readonly #subject: LayerSubject;
  readonly #core: SessionServices;
  readonly #make: MakeView;
  /** Views by what they permit; the current one is last. */
  readonly #views = new Map<string, SessionView>();
  #seen: AppConfig | undefined;
  #layers: AppliedLayers & { readonly scopes: readonly string[]; readonly key: string };
  #shownKey: string;
  /** Whether the view differs from what the client app was last notified of. */
  #hasPendingNotification = false;

  /** Throws as `make` does. */
  constructor(person: LayerSubject, whole: SessionServices, make: MakeView) {
    this.#subject = person;
    this.#core = whole;
    this.#make = make;
    this.#layers = this.#read();
    this.#shownKey = this.#layers.key;
    this.#views.set(this.#shownKey, make(this.#layers.scopes, this.#own(whole)));
  }

  get mode(): string {
    return this.#shown.mode;
  }

  get reason(): string | undefined {
    return this.#shown.reason;
  }

  get ownTools(): readonly string[] {
    return this.#shown.ownTools;
  }

  get catalog(): LiveCatalog {
    return this.#shown.catalog;
  }

  includesServer(server: ManagedServer): boolean {
    return this.#shown.includesServer(server);
  }

  introduce(): Promise<Introduction> {
    return this.#shown.introduce();
  }

  list(key: ListKey, era: ProtocolKind): Promise<readonly JsonObject[]> {
    return this.#shown.list(key, era);
  }

  toolWithHeaders(name: string): JsonObject | undefined {
    return this.#shown.toolWithHeaders(name);
  }

  callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    const shown = this.#shown;
    const { config, quotas } = this.#layers;
    if (config === this.#seen && quotas.length === 0) return shown.callTool(params, context);
    return shown.callTool(params, { ...context, results: config.results, ...(quotas.length > 0 && { quotas }) });
  }

  readResource(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#shown.readResource(params, context);
  }

  getPrompt(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#shown.getPrompt(params, context);
  }

  complete(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#shown.complete(params, context);
  }

  subscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#shown.subscribe(uri, context);
  }

  unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#shown.unsubscribe(uri, context);
  }

  setLogLevel(level: string, context: CallerContext): Promise<void> {
    return this.#shown.setLogLevel(level, context);
  }

  forwardRequest(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#shown.forwardRequest(method, params, context);
  }

  onNotification(method: string, params: JsonObject, sessionId: string): void {
    this.#shown.onNotification(method, params, sessionId);
  }

  watch(): void {
    this.#shown.watch();
  }

  changedLists(change: CatalogChange): CatalogChange {
    const changed = this.#shown.changedLists(change);
    if (!this.#hasPendingNotification) return changed;
    this.#hasPendingNotification = false;
    return { tools: true, resources: true, prompts: true };
  }

  end(): void {
    for (const view of this.#views.values()) view.end?.();
  }

  subscribeTasks(ids: readonly string[], context: CallerContext): TaskSubscription {
    return this.#shown.subscribeTasks(ids, context);
  }

  mapTaskNotification(server: string, params: JsonObject): JsonObject | undefined {
    return this.#shown.mapTaskNotification(server, params);
  }

  taskId(server: string, taskId: string, sessionId: string): string | undefined {
    return this.#shown.taskId(server, taskId, sessionId);
  }

  listedUri(server: string, uri: string): string {
    return this.#shown.listedUri(server, uri);
  }

  get #shown(): SessionView {
    const { key, scopes } = this.#currentLayers;
    const known = this.#views.get(key);
    if (known !== undefined && key === this.#shownKey) return known;
    const view = known ?? this.#make(scopes, this.#own(this.#core));
    this.#views.delete(key);
    this.#views.set(key, view);
    this.#shownKey = key;
    this.#hasPendingNotification = true;
    const [[oldest, left] = []] = this.#views;
    if (this.#views.size > maxViews && oldest !== undefined) {
      this.#views.delete(oldest);
      left?.end?.();
    }
    return view;
  }

  get #currentLayers(): AppliedLayers & { readonly scopes: readonly string[]; readonly key: string } {
    if (this.#seen !== this.#core.config()) this.#layers = this.#read();
    return this.#layers;
  }

  #read(): AppliedLayers & { readonly scopes: readonly string[]; readonly key: string } {
    this.#seen = this.#core.config();
    const applied = applyLayers(this.#seen, this.#subject);
    const scopes = [...new Set(applied.profiles.map(scopeName))].sort();
    return { ...applied, scopes, key: scopes.join('\n') };
  }

  /** Returns services with the user's settings, in any profile. */
  #own(core: SessionServices): SessionServices {
    return {
      ...core,
      config: () => this.#currentLayers.config,
      activity: { usedTools: () => withFavorites(core, this.#currentLayers.favorites) },
      inProfiles: (names) => this.#own(core.inProfiles(names)),
    };
  }
}

/** Favorites count as recently used tools, which rank first among equal hits. */
function withFavorites({ activity, catalog }: SessionServices, favorites: readonly string[]): ReadonlySet<string> {
  const used = activity.usedTools();
  if (favorites.length === 0) return used;
  const favoriteTools = catalog.current.tools.filter(
    ({ id, name }) => favorites.includes(id) || favorites.includes(name),
  );
  return new Set([...used, ...favoriteTools.map(({ id }) => id)]);
}
