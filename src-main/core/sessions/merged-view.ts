/** All servers together, shown in a mode. */
import type { ServerAdmin } from '../admin/server-admin.ts';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { callTool, type CallerContext, type CallRequest, type CallSteps } from '../calls/call-tool.ts';
import { errorResult } from '../calls/error-result.ts';
import { readArguments } from '../calls/read-arguments.ts';
import { wrapUri } from '../catalog/catalog.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import type { CatalogChange, LiveCatalog } from '../catalog/live-catalog.ts';
import { resourceNotFound } from '../catalog/resolve-resource.ts';
import type { ToolFilter } from '../config/app-config.ts';
import type { ModeChooser } from '../modes/choose-mode.ts';
import { findDynamicHelper, ownResources } from '../modes/index.ts';
import type { HelperContext, HelperTool, Mode, ModeView } from '../modes/mode.ts';
import { readOwnResource } from '../modes/own-resource.ts';
import { SessionMemory } from '../modes/session-memory.ts';
import type { ResultFiles } from '../results/result-files.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ListKey } from '../servers/listing.ts';
import { refreshListings } from '../servers/refresh-listings.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import type { Era } from '../wire/eras.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { fact } from '../wire/raw-json.ts';
import { acceptableEntry } from './acceptable-entry.ts';
import { LookUp } from './look-up.ts';
import type { Introduction, SessionView } from './session-view.ts';

export interface MergedViewOptions {
  /** Asked whenever the mode matters: settings and catalog may change under a session. */
  readonly chooseMode: ModeChooser;
  readonly catalog: LiveCatalog;
  readonly servers: ServerManager;
  readonly helpers: ReadonlyMap<string, HelperTool>;
  readonly steps: CallSteps;
  readonly admin: ServerAdmin;
  readonly sandbox: Sandbox;
  readonly descriptions: DescriptionStore;
  readonly resultFiles: ResultFiles;
  readonly serverInfo: JsonObject;
  /** Read at each use: the config may change under a session. */
  readonly raw: () => boolean;
  readonly extraTools: () => readonly string[];
  readonly toolFilter: () => ToolFilter;
  /** How long the first list waits for servers that have never been listed, in ms. */
  readonly settleMs: number;
}

const maxTasks = 1000;

export class MergedView implements SessionView {
  readonly #options: MergedViewOptions;
  readonly #memory = new SessionMemory();
  readonly #lookUp: LookUp;
  readonly #taskServers = new Map<string, string>();
  #listed: { readonly era: Era; readonly tools: string } | undefined;

  constructor(options: MergedViewOptions) {
    this.#options = options;
    this.#lookUp = new LookUp(options.catalog, options.settleMs);
  }

  get mode(): string {
    return this.#mode().name;
  }

  get reason(): string | undefined {
    return this.#options.chooseMode(this.#view()).reason;
  }

  shows(): boolean {
    return true;
  }

  async introduce(): Promise<Introduction> {
    return {
      serverInfo: this.#options.serverInfo,
      // Announced whatever the servers have now: what comes later needs no new handshake.
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      instructions: this.#mode().instructions(this.#view()),
    };
  }

  async list(key: ListKey, era: Era): Promise<readonly JsonObject[]> {
    await this.#options.catalog.settled(this.#options.settleMs);
    const { current } = this.#options.catalog;
    if (key === 'tools') return this.#listTools(era);
    const acceptable = (entry: JsonObject): JsonObject => acceptableEntry(key, entry, era);
    if (key === 'prompts')
      return current.prompts.map((prompt) => acceptable({ ...prompt.definition, name: prompt.listedName }));
    const identifier = key === 'resources' ? 'uri' : 'uriTemplate';
    const own = (this.#mode().resources ?? []).flatMap(({ definition }) =>
      identifier in definition ? [definition] : [],
    );
    const listed = current[key].map((resource) =>
      acceptable({ ...resource.definition, [identifier]: resource.listedUri }),
    );
    return [...listed, ...own];
  }

  async callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    const { name, arguments: args, ...rest } = params;
    if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'tools/call needs the name of a tool.');
    const input = readArguments({ arguments: args });
    const helper = this.#helper(name);
    if (helper !== undefined) return this.#runHelper(helper, input ?? {}, rest, context);
    await this.#lookUp.known(() => this.#options.steps.resolve({ tool: name, arguments: input }));
    const result = await this.#call({ tool: name, arguments: input, rest }, context);
    this.#rememberTask(name, result);
    return result;
  }

  async readResource(params: JsonObject, context: CallerContext): Promise<Result> {
    const uri = uriOf(params);
    const own = await readOwnResource(ownResources, uri, this.#helperContext('resources/read', {}, context));
    if (own !== undefined) return { contents: [own] };
    let failure: unknown = new RpcError(rpcCode.invalidParams, resourceNotFound(uri).text, { uri });
    for (const { server, uri: own } of await this.#lookUp.resources(uri)) {
      try {
        return await this.#options.servers.get(server).request('resources/read', { ...params, uri: own }, context);
      } catch (error) {
        if (isCancelled(error)) throw error;
        // A server that fails does not keep the others from having it, but is why nobody has.
        if (!isNotFound(error)) failure = error;
      }
    }
    throw failure;
  }

  async getPrompt(params: JsonObject, context: CallerContext): Promise<Result> {
    const prompt = await this.#lookUp.prompt(params['name']);
    return this.#options.servers.get(prompt.server).request('prompts/get', { ...params, name: prompt.name }, context);
  }

  async complete(params: JsonObject, context: CallerContext): Promise<Result> {
    const ref = isObject(params['ref']) ? params['ref'] : {};
    const target = await this.#lookUp.completion(ref);
    const asked = { ...params, ref: target.ref };
    return this.#options.servers.get(target.server).request('completion/complete', asked, context);
  }

  async subscribe(uri: string, context: CallerContext): Promise<Result> {
    const target = await this.#lookUp.resource(uri);
    return this.#options.servers.get(target.server).subscribe(target.uri, context);
  }

  async unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    const target = await this.#lookUp.resource(uri);
    return this.#options.servers.get(target.server).unsubscribe(target.uri, context);
  }

  async setLogLevel(level: string, context: CallerContext): Promise<void> {
    await Promise.allSettled(this.#options.servers.all.map((server) => server.setLogLevel(level, context)));
  }

  async other(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const server = typeof params['taskId'] === 'string' ? this.#taskServers.get(params['taskId']) : undefined;
    if (server !== undefined) return this.#options.servers.get(server).request(method, params, context);
    throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
  }

  heard(method: string, params: JsonObject, sessionId: string): void {
    for (const server of this.#options.servers.all) server.notify(method, params, sessionId);
  }

  changedLists(change: CatalogChange): CatalogChange {
    const before = this.#listed;
    const tools = before !== undefined && change.tools && before.tools !== JSON.stringify(this.#listTools(before.era));
    return { ...change, tools };
  }

  listedUri(server: string, uri: string): string {
    const { resources } = this.#options.catalog.current;
    const known = resources.find((resource) => resource.server === server && resource.uri === uri);
    if (known !== undefined) return known.listedUri;
    return resources.some((resource) => resource.listedUri === uri) ? wrapUri(server, uri) : uri;
  }

  #mode(): Mode {
    return this.#options.chooseMode(this.#view()).mode;
  }

  #view(): ModeView {
    const { catalog, raw, descriptions } = this.#options;
    return { catalog: catalog.current, index: catalog.index, raw: raw(), descriptions };
  }

  #listTools(era: Era): readonly JsonObject[] {
    const { helpers, extraTools } = this.#options;
    const mode = this.#mode();
    const own = new Set(mode.helpers.map((helper) => helper.definition.name));
    const pinned = [...new Set(extraTools())].flatMap((name) =>
      own.has(name) ? [] : (helpers.get(name)?.definition ?? []),
    );
    const servers = mode.listed(this.#view()).map((tool) => acceptableEntry('tools', tool, era));
    const tools = [...mode.helpers.map((helper) => helper.definition), ...pinned, ...servers];
    this.#listed = { era, tools: JSON.stringify(tools) };
    return tools;
  }

  /** Whatever goes wrong in a helper is for the model to read. */
  async #runHelper(helper: HelperTool, input: JsonObject, rest: JsonObject, context: CallerContext): Promise<Result> {
    await this.#options.catalog.settled(this.#options.settleMs);
    try {
      return await helper.run(input, this.#helperContext(helper.definition.name, rest, context));
    } catch (error) {
      if (isCancelled(error)) throw error;
      return errorResult(error);
    }
  }

  /** `rest`: what came beside the helper's input goes on with whatever it asks for: answers to a server's questions, too. */
  #helperContext(tool: string, rest: JsonObject, context: CallerContext): HelperContext {
    const { sessionId, app, signal } = context;
    return {
      ...this.#view(),
      mode: this.mode,
      callTool: (request) => this.#call({ ...request, rest: { ...rest, ...request.rest } }, context),
      readResource: (uri) => this.readResource({ ...rest, uri }, context),
      getPrompt: (name, args) => this.getPrompt({ ...rest, name, ...(args && { arguments: args }) }, context),
      refresh: (server) => this.#refresh(server),
      resultFiles: this.#options.resultFiles,
      toolFilter: this.#options.toolFilter(),
      admin: this.#options.admin,
      descriptions: this.#options.descriptions,
      author: { app, sessionId, tool },
      memory: this.#memory,
      sandbox: this.#options.sandbox,
      signal,
    };
  }

  async #refresh(only: string | undefined): Promise<ModeView> {
    const { servers, settleMs } = this.#options;
    const asked = servers.all.filter(({ config }) => only === undefined || config.name === only);
    await refreshListings(asked, settleMs);
    return this.#view();
  }

  /** A server's tool goes before a helper that is named after a server. */
  #helper(name: string): HelperTool | undefined {
    const { helpers, catalog } = this.#options;
    const mode = this.#mode();
    const own = helpers.get(name) ?? mode.find?.(name, this.#view());
    if (own !== undefined || catalog.current.tools.some((tool) => tool.listedName === name)) return own;
    return findDynamicHelper(name, this.#view());
  }

  #call(request: CallRequest, context: CallerContext): Promise<Result> {
    return callTool(request, context, this.#options.steps);
  }

  #rememberTask(tool: string, result: Result): void {
    const task = fact(result, 'task');
    if (!isObject(task) || typeof task['taskId'] !== 'string') return;
    const { server } = this.#options.steps.resolve({ tool, arguments: undefined });
    this.#taskServers.set(task['taskId'], server);
    const oldest = this.#taskServers.keys().next();
    if (this.#taskServers.size > maxTasks && oldest.done !== true) this.#taskServers.delete(oldest.value);
  }
}

function uriOf(params: JsonObject): string {
  if (typeof params['uri'] === 'string') return params['uri'];
  throw new RpcError(rpcCode.invalidParams, 'The uri of a resource is missing.');
}

/** -32002 until 2025-11-25, -32602 in 2026-07-28; some servers say it in words only. */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return (
    error.code === -32002 || error.code === rpcCode.invalidParams || /not found|unknown resource/i.test(error.message)
  );
}

function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}
