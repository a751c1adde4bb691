/** All servers together, as MergedView shows them, for a session that may narrow itself to a profile and come back to what it was given. */
import type { JsonObject } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { CatalogChange, LiveCatalog } from '../../catalog/live-catalog.ts';
import type { ProfileChoice } from '../../modes/mode.ts';
import { isScopeName, isWithin, type OfferedTools, scopeOf, unknownProfile } from '../../profiles/profile-scope.ts';
import type { ListKey } from '../../servers/listing.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import type { Era } from '../../wire/eras.ts';
import type { Result } from '../../wire/message.ts';
import type { SessionCore, SettingsAddress } from '../session-settings.ts';
import type { Introduction, SessionView } from '../session-view.ts';
import type { Hearing } from './heard-tasks.ts';
import { MergedView } from './merged-view.ts';

export class NarrowingView implements SessionView {
  readonly #given: readonly string[];
  readonly #address: SettingsAddress;
  readonly #whole: SessionCore;
  readonly #choice: ProfileChoice;
  /** By the profile that was chosen; undefined: none. What goes on in one that was left can be fetched when it is shown again. */
  readonly #views = new Map<string | undefined, MergedView>();
  #shown: MergedView;
  /** It shows something else than the client app was last told. */
  #isUntold = false;

  /** `given`: the profiles that its connection has, which stay whatever is chosen. Throws AppError mode_unknown. */
  constructor(given: readonly string[], address: SettingsAddress, whole: SessionCore) {
    this.#given = given;
    this.#address = address;
    this.#whole = whole;
    this.#choice = { names: () => this.#names(), choose: (name) => this.#choose(name) };
    this.#shown = this.#viewOf(undefined);
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

  shows(server: ManagedServer): boolean {
    return this.#shown.shows(server);
  }

  introduce(): Promise<Introduction> {
    return this.#shown.introduce();
  }

  list(key: ListKey, era: Era): Promise<readonly JsonObject[]> {
    return this.#shown.list(key, era);
  }

  toolWithHeaders(name: string): JsonObject | undefined {
    return this.#shown.toolWithHeaders(name);
  }

  async callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    try {
      return await this.#shown.callTool(params, context);
    } finally {
      if (this.#isUntold) context.onToolsChanged?.();
    }
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

  other(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#shown.other(method, params, context);
  }

  heard(method: string, params: JsonObject, sessionId: string): void {
    this.#shown.heard(method, params, sessionId);
  }

  watch(): void {
    this.#shown.watch();
  }

  changedLists(change: CatalogChange): CatalogChange {
    const changed = this.#shown.changedLists(change);
    if (!this.#isUntold) return changed;
    this.#isUntold = false;
    return { tools: true, resources: true, prompts: true };
  }

  end(): void {
    for (const view of this.#views.values()) view.end();
  }

  hearTasks(ids: readonly string[], context: CallerContext): Hearing {
    return this.#shown.hearTasks(ids, context);
  }

  toldOfTask(server: string, params: JsonObject): JsonObject | undefined {
    return this.#shown.toldOfTask(server, params);
  }

  taskId(server: string, taskId: string, sessionId: string): string | undefined {
    return this.#shown.taskId(server, taskId, sessionId);
  }

  listedUri(server: string, uri: string): string {
    return this.#shown.listedUri(server, uri);
  }

  #viewOf(profile: string | undefined): MergedView {
    const known = this.#views.get(profile);
    if (known !== undefined) return known;
    const profiles = profile === undefined ? this.#given : [...this.#given, profile];
    const view = new MergedView(this.#address, { ...coreIn(profiles, this.#whole), profileChoice: this.#choice });
    this.#views.set(profile, view);
    return view;
  }

  #choose(profile: string | undefined): ReturnType<ProfileChoice['choose']> {
    // One that reaches further is as unknown as one that there is not.
    if (profile !== undefined && !this.#names().includes(profile)) throw unknownProfile(profile, this.#names());
    const next = this.#viewOf(profile);
    this.#isUntold ||= next !== this.#shown;
    this.#shown = next;
    return { profile: profile ?? this.#given.filter((name) => !isScopeName(name)).join(', '), servers: next.servers };
  }

  #names(): readonly string[] {
    const { config, catalog, servers } = this.#whole;
    const all = Object.keys(config().profiles);
    if (this.#given.length === 0) return all;
    const given = scopeOf(this.#given, config);
    const offered: readonly OfferedTools[] = servers.all.map(({ config: { name } }) => ({
      name,
      tools: catalog.current.lookup.tools.of(name).map(({ definition }) => definition),
    }));
    return all.filter((name) => isWithin(scopeOf([name], config), given, offered));
  }
}

/** The core as somebody has it whom these profiles hold. */
export function coreIn(profiles: readonly string[], whole: SessionCore): SessionCore {
  return profiles.length === 0 ? whole : whole.inProfiles(profiles);
}
