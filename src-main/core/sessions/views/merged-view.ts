/** The view of all servers together in a mode. */
import { type JsonObject, objectOrEmpty } from '../../base/json.ts';
import type { CallerContext } from '../../calls/call-tool.ts';
import type { CatalogChange, LiveCatalog } from '../../catalog/live-catalog.ts';
import { appTraits } from '../../client-apps/app-traits.ts';
import {
  experimentalOf,
  mergedExtensions,
  servedExtensions,
  supportsViews,
  skillsExtension,
  tasksExtension,
  viewExtension,
} from '../../servers/extension-set.ts';
import type { ListKey } from '../../servers/listing.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import type { ProtocolKind } from '../../wire/protocol-kind.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { type SessionServices, type SettingsSource, SessionSettingsCache } from '../session-settings.ts';
import type { TaskSubscription } from './task-subscriptions.ts';
import { HelperContexts, EntryResolver } from './merged-view-deps.ts';
import { MergedCalls } from './merged-calls.ts';
import { MergedPrompts, MergedResources, MergedTools } from './merged-lists.ts';
import type { Introduction, SessionView } from '../session-view.ts';
import { SeenResources } from './seen-resources.ts';
import { SkillRequests, skillMethods } from './skill-requests.ts';

export class MergedView implements SessionView {
  readonly #core: SessionServices;
  readonly #settings: SessionSettingsCache;
  readonly #lookUp: EntryResolver;
  readonly #tools: MergedTools;
  readonly #prompts: MergedPrompts;
  readonly #resources: MergedResources;
  readonly #skills: SkillRequests;
  readonly #calls: MergedCalls;

  /** Throws AppError `mode_unknown`. */
  constructor(address: SettingsSource, core: SessionServices) {
    this.#core = core;
    this.#settings = new SessionSettingsCache(address, core);
    const links = new SeenResources();
    this.#lookUp = new EntryResolver(core.catalog, core.settleMs, links);
    const contexts = new HelperContexts(core, this.#settings, {
      call: (request, context) => this.#calls.callServerTool(request, context),
      readResource: (params, context) => this.readResource(params, context),
      getPrompt: (params, context) => this.getPrompt(params, context),
      awaitCall: (wish, rest, context) => this.#calls.awaitResult(wish, rest, context),
    });
    const parts = { core, settings: this.#settings, lookUp: this.#lookUp, links, contexts };
    this.#prompts = new MergedPrompts(parts);
    this.#skills = new SkillRequests({
      skills: () => this.#settings.current.view.catalog.skills,
      servers: () => core.servers.all,
      settled: () => core.catalog.settled(core.settleMs),
      settleMs: core.settleMs,
    });
    this.#resources = new MergedResources(parts, this.#skills);
    this.#tools = new MergedTools(parts, appTraits(address.app).followsLists, () => this.#calls.gaveHandles);
    this.#calls = new MergedCalls(parts, (tool, era) => this.#tools.lists(tool, era));
  }

  get mode(): string {
    return this.#settings.current.mode.name;
  }

  get reason(): string | undefined {
    return this.#settings.current.reason;
  }

  get ownTools(): readonly string[] {
    return this.#settings.current.mode.helpers.map(({ definition }) => definition.name);
  }

  get catalog(): LiveCatalog {
    return this.#core.catalog;
  }

  /** Names of the servers in the view. */
  get servers(): readonly string[] {
    return this.#core.servers.all.map(({ config }) => config.name);
  }

  includesServer(server: ManagedServer): boolean {
    return this.#core.servers.find(server.config.name) === server;
  }

  async introduce(): Promise<Introduction> {
    const { catalog, serverInfo, settleMs } = this.#core;
    // Server names come from the config, which is unread only right after the start of the core.
    await catalog.configLoaded(settleMs);
    const { mode, view } = this.#settings.current;
    return {
      serverInfo,
      // Announced regardless of the servers' current capabilities, so that later ones need no new `initialize`.
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
        ...this.#extensions(),
        ...this.#experimental(),
      },
      // Computed on demand, because in 2026-07-28 few requests need it.
      get instructions() {
        return [mode.instructions(view), catalog.finder.configProblem].filter(Boolean).join('\n\n');
      },
    };
  }

  /** Returns the servers' extensions if the app declares any; UI always passes, as some apps check nothing else. */
  #extensions(): JsonObject {
    const { kind, servers } = this.#core;
    const own = {
      ...(kind !== undefined && supportsViews(kind) && { [viewExtension]: {} }),
      // A slow call can be a task.
      ...(kind !== undefined && tasksExtension in kind.extensions && { [tasksExtension]: {} }),
    };
    const declared = servers.all.map(({ handshake }) => handshake?.capabilities ?? {});
    const all = servedExtensions(mergedExtensions([...declared, { extensions: own }]));
    // Client apps do not declare that they read skills.
    const { [skillsExtension]: skills } = all;
    const extensions = kind !== undefined ? all : skills === undefined ? {} : { [skillsExtension]: skills };
    return Object.keys(extensions).length === 0 ? {} : { extensions };
  }

  #experimental(): JsonObject {
    const experimental = experimentalOf(this.#core.servers.all.map(({ handshake }) => handshake?.capabilities ?? {}));
    return Object.keys(experimental).length === 0 ? {} : { experimental };
  }

  async list(key: ListKey, era: ProtocolKind): Promise<readonly JsonObject[]> {
    const { catalog, compared, settleMs } = this.#core;
    await compared?.(settleMs);
    const { mode, reason } = this.#settings.current;
    // An automatically chosen mode may change once the servers are known.
    const isFixed = key === 'tools' && (mode.fixedList ?? mode.listsAtOnce) === true && reason === undefined;
    if (!isFixed) await catalog.settled(settleMs);
    // Includes servers that became ready meanwhile.
    if (!isFixed) await compared?.(settleMs);
    if (key === 'tools') return this.#tools.list(era);
    return key === 'prompts' ? this.#prompts.list(era) : this.#resources.list(key, era);
  }

  toolWithHeaders(name: string): JsonObject | undefined {
    return this.#tools.withHeaders(name);
  }

  callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#calls.handle(params, context);
  }

  readResource(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#resources.read(params, context);
  }

  getPrompt(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#prompts.get(params, context);
  }

  async complete(params: JsonObject, context: CallerContext): Promise<Result> {
    const ref = objectOrEmpty(params['ref']);
    const target = await this.#lookUp.completion(ref, context);
    const forwarded = { ...params, ref: target.ref };
    return this.#core.servers.get(target.server).request('completion/complete', forwarded, context);
  }

  subscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#resources.subscribe(uri, context);
  }

  unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#resources.unsubscribe(uri, context);
  }

  async setLogLevel(level: string, context: CallerContext): Promise<void> {
    await Promise.allSettled(this.#core.servers.all.map((server) => server.setLogLevel(level, context)));
  }

  async forwardRequest(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    if (method.startsWith('tasks/')) return this.#calls.task(method, params, context);
    if (skillMethods.has(method)) return this.#skills.handle(method, params, context);
    throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
  }

  end(): void {
    this.#calls.end();
  }

  onNotification(method: string, params: JsonObject, sessionId: string): void {
    for (const server of this.#core.servers.all) server.notify(method, params, sessionId);
  }

  watch(): void {
    this.#tools.watch();
  }

  changedLists(change: CatalogChange): CatalogChange {
    return { ...change, tools: change.tools && this.#tools.differs() };
  }

  subscribeTasks(ids: readonly string[], context: CallerContext): TaskSubscription {
    return this.#calls.taskSubscriptions.subscribe(ids, context);
  }

  mapTaskNotification(server: string, params: JsonObject): JsonObject | undefined {
    return this.#calls.taskSubscriptions.mapNotification(server, params);
  }

  taskId(server: string, taskId: string, sessionId: string): string | undefined {
    return this.#calls.taskId(server, taskId, sessionId);
  }

  listedUri(server: string, uri: string): string {
    return this.#resources.listedUri(server, uri);
  }
}
