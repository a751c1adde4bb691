/** The view of a single server, unchanged, as `/mcp/server/<name>` shows it. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { truncateName } from '../../base/visible-text.ts';
import { type CallerContext, type CallStages, callTool } from '../../calls/call-tool.ts';
import { namedArguments } from '../../calls/read-arguments.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { listSkills } from '../../catalog/skills.ts';
import { skillsExtension, tasksExtension } from '../../servers/extension-set.ts';
import { isVisibleTo } from '../../servers/ui-metadata.ts';
import type { CatalogChange, IsToolEnabled, LiveCatalog } from '../../catalog/live-catalog.ts';
import type { Handshake } from '../../servers/handshake.ts';
import { emptyListing, type Listing, type ListKey } from '../../servers/listing.ts';
import type { ManagedServer } from '../../servers/managed-server.ts';
import { HeaderParamTools } from '../../servers/param-headers.ts';
import type { ServerSet } from '../../servers/server-manager.ts';
import type { DataFlowGuard } from '../../trust/data-flow/data-flow-guard.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { taskGoneError, filterOwnTasks, type ServerTasks, withTaskId } from './server-tasks.ts';
import { DeliveredLists, type Introduction, type SessionView } from '../session-view.ts';
import { SkillRequests, skillMethods } from './skill-requests.ts';
import { TaskSubscriptions, type TaskSubscription } from './task-subscriptions.ts';

interface ServerViewOptions {
  readonly server: string;
  readonly servers: ServerSet;
  readonly catalog: LiveCatalog;
  readonly steps: CallStages;
  readonly isOn: IsToolEnabled;
  /** Whether the tool exists here; absent if every tool does. */
  readonly hasTool?: ((server: string, definition: JsonObject) => boolean) | undefined;
  /** Whether the app shows user interfaces of tools; otherwise tools that only interfaces call are hidden. */
  readonly showsViews: boolean;
  readonly settleMs: number;
  /** Records what is read besides call results. */
  readonly flow: Pick<DataFlowGuard, 'recordText'>;
  /** Owners of the server's tasks. */
  readonly tasks: ServerTasks;
}

const listKeys = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

export class ServerView implements SessionView {
  readonly mode = 'server';
  readonly reason = undefined;
  readonly ownTools = [];
  readonly #options: ServerViewOptions;
  readonly #held = new DeliveredLists();
  readonly #receivedTasks: TaskSubscriptions;
  readonly #skills: SkillRequests;
  readonly #repeating = new HeaderParamTools();
  #introduced: { readonly by: Handshake; readonly introduction: Introduction } | undefined;

  constructor(options: ServerViewOptions) {
    this.#options = options;
    this.#receivedTasks = new TaskSubscriptions(options);
    const { catalog, server, settleMs } = options;
    this.#skills = new SkillRequests({
      skills: () => listSkills([{ name: server, listing: this.#server().listing }], []),
      servers: () => [this.#server()],
      settled: () => catalog.settled(settleMs, server),
      settleMs,
    });
  }

  get catalog(): LiveCatalog {
    return this.#options.catalog;
  }

  includesServer(server: ManagedServer): boolean {
    return this.#options.servers.find(this.#options.server) === server;
  }

  async introduce(): Promise<Introduction> {
    const handshake = await this.#handshake();
    if (this.#introduced?.by !== handshake)
      this.#introduced = { by: handshake, introduction: introductionOf(handshake) };
    return this.#introduced.introduction;
  }

  async list(key: ListKey): Promise<readonly JsonObject[]> {
    await this.#options.catalog.settled(this.#options.settleMs, this.#options.server);
    const server = this.#server();
    if (server.listedAt === undefined) await server.ready();
    return this.#held.recordDelivered(key, this.#shown(server.listing)[key]);
  }

  toolWithHeaders(name: string): JsonObject | undefined {
    const tools = this.#options.servers.find(this.#options.server)?.listing.tools ?? [];
    // Searches by name first, because the visibility check reads all tools.
    return tools.find((tool) => tool['name'] === name && this.#repeating.has(tool) && this.#isShown(tool));
  }

  callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    const { name, arguments: args, ...rest } = params;
    if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'tools/call requires a tool name.');
    const entry = (): CatalogEntry => this.#entry(name);
    const tool = this.#server().listing.tools.find((one) => one['name'] === name);
    const source = tool !== undefined && !isVisibleTo('model', tool) ? 'view' : undefined;
    const input = namedArguments(args);
    const request = { tool: name, server: this.#options.server, arguments: input, rest, source } as const;
    const { steps, tasks } = this.#options;
    const call: CallStages['call'] = async (...args) =>
      tasks.note(this.#options.server, await steps.call(...args), context);
    return callTool(request, context, { ...steps, resolve: entry, call });
  }

  async readResource(params: JsonObject, context: CallerContext): Promise<Result> {
    const { uri } = params;
    const target = { server: this.#options.server, uri: String(uri) };
    this.#skills.assertAccepted(target);
    const result = await this.#read('resources/read', params, uri, context);
    await this.#skills.verify(target, result);
    return result;
  }

  getPrompt(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#read('prompts/get', params, `the prompt ${String(params['name'])}`, context);
  }

  complete(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#server().request('completion/complete', params, context);
  }

  subscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#server().subscribe(uri, context);
  }

  unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#server().unsubscribe(uri, context);
  }

  setLogLevel(level: string, context: CallerContext): Promise<void> {
    return this.#server().setLogLevel(level, context);
  }

  async forwardRequest(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const { flow, server, tasks } = this.#options;
    if (skillMethods.has(method) && this.#declares(skillsExtension))
      return this.#skills.handle(method, params, context);
    // All sessions on one connection are one client to the server, which would notify each of the others' tasks.
    const isOfTask = method.startsWith('tasks/') && this.#hasTasks();
    const isList = method === 'tasks/list';
    const known = isOfTask && !isList ? tasks.find(params, context.principal) : undefined;
    if (isOfTask && !isList && known === undefined) throw taskGoneError();
    const answer = await this.#server().request(method, known?.params ?? params, context);
    if (isOfTask && isList) return filterOwnTasks(answer, server, tasks, context.principal);
    if (known === undefined) return answer;
    // The outcome of the task is a tool result.
    flow.recordText(`${server}: a task`, server, answer, context);
    return withTaskId(answer, params['taskId']);
  }

  onNotification(method: string, params: JsonObject, sessionId: string): void {
    this.#server().notify(method, params, sessionId);
  }

  watch(): void {
    const listing = this.#now();
    for (const key of listKeys) this.#held.watch(key, listing[key]);
  }

  changedLists(): CatalogChange {
    const listing = this.#now();
    const [tools, prompts, resources, templates] = listKeys.map((key) => this.#held.differs(key, listing[key]));
    return { tools: tools === true, prompts: prompts === true, resources: resources === true || templates === true };
  }

  subscribeTasks(ids: readonly string[], context: CallerContext): TaskSubscription {
    return this.#receivedTasks.subscribe(ids, context);
  }

  mapTaskNotification(server: string, params: JsonObject): JsonObject | undefined {
    return this.#receivedTasks.mapNotification(server, params);
  }

  taskId(server: string, taskId: string, sessionId: string): string | undefined {
    return this.#options.tasks.idFor(server, taskId, sessionId);
  }

  listedUri(_server: string, uri: string): string {
    return uri;
  }

  async #read(method: string, params: JsonObject, what: unknown, context: CallerContext): Promise<Result> {
    const { flow, server } = this.#options;
    const answer = await this.#server().request(method, params, context);
    flow.recordText(`${server}: ${String(what)}`, server, answer, context);
    return answer;
  }

  #hasTasks(): boolean {
    return this.#server().handshake?.capabilities['tasks'] !== undefined || this.#declares(tasksExtension);
  }

  #declares(extension: string): boolean {
    return extension in objectOrEmpty(this.#server().handshake?.capabilities['extensions']);
  }

  #now(): Listing {
    return this.#shown(this.#options.servers.find(this.#options.server)?.listing ?? emptyListing);
  }

  /** Unchanged except for tools that the user disabled. */
  #shown(listing: Listing): Listing {
    const tools = listing.tools.filter((tool) => this.#isShown(tool));
    return tools.length === listing.tools.length ? listing : { ...listing, tools };
  }

  #isShown(tool: JsonObject): boolean {
    const { hasTool, isOn, server, showsViews } = this.#options;
    return (
      isOn(server, String(tool['name'])) &&
      hasTool?.(server, tool) !== false &&
      (showsViews || isVisibleTo('model', tool))
    );
  }

  #server(): ManagedServer {
    return this.#options.servers.get(this.#options.server);
  }

  async #handshake(): Promise<Handshake> {
    const server = this.#server();
    if (server.handshake === undefined) await server.ready();
    return server.handshake as Handshake;
  }

  /** A tool that no list contains is still for the server to refuse, unless some tools are hidden. */
  #entry(name: string): CatalogEntry {
    const { hasTool, server: own, showsViews } = this.#options;
    const known = this.#server().listing.tools.find((tool) => tool['name'] === name);
    const definition = known ?? { name };
    if (!showsViews && !isVisibleTo('model', definition)) throw noTool(name, own);
    if (hasTool !== undefined && (known === undefined || !hasTool(own, known))) throw noTool(name, own);
    return { id: `${this.#options.server}:${name}`, server: this.#options.server, name, listedName: name, definition };
  }
}

function noTool(name: string, server: string): AppError {
  const text = `Unknown tool: ${JSON.stringify(truncateName(name))} was not found on ${server}.`;
  return new AppError('tool_not_found', text, { fix: 'List the tools first.' });
}

/** Members of the results of `initialize` and `server/discover` that are set for each session. */
const introductionKeys: ReadonlySet<string> = new Set([
  ...['protocolVersion', 'capabilities', 'serverInfo', 'instructions'],
  ...['resultType', 'supportedVersions', 'ttlMs', 'cacheScope'],
]);

/** Returns the server's own introduction, which every request of 2026-07-28 needs. */
function introductionOf({ serverInfo, capabilities, instructions, raw }: Handshake): Introduction {
  const rest = Object.fromEntries(Object.entries(raw).filter(([key]) => !introductionKeys.has(key)));
  return { serverInfo, capabilities: withListChanged(capabilities), instructions, rest };
}

/** Tooltray notices changes even if the server does not announce them. */
function withListChanged(capabilities: JsonObject): JsonObject {
  const changed = (['tools', 'resources', 'prompts'] as const).flatMap((key) => {
    const own = capabilities[key];
    return isObject(own) ? [[key, { ...own, listChanged: true }] as const] : [];
  });
  return { ...capabilities, ...Object.fromEntries(changed) };
}
