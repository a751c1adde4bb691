/** All servers together, shown in a mode. */
import { isObject, type JsonObject } from '../base/json.ts';
import { callTool, type CallerContext, type CallRequest, type CallSteps } from '../calls/call-tool.ts';
import { errorResult } from '../calls/error-result.ts';
import type { AnswerRoom } from '../calls/answer-room.ts';
import { readArguments } from '../calls/read-arguments.ts';
import type { ResultShaper } from '../calls/shape-result.ts';
import { calledTool } from '../calls/slow-call-answers.ts';
import { furtherTry, SlowCalls } from '../calls/slow-calls.ts';
import { wrapUri } from '../catalog/catalog.ts';
import type { CatalogChange } from '../catalog/live-catalog.ts';
import { resourceNotFound } from '../catalog/resolve-resource.ts';
import { awaitLine, awaitResult, isCalledByName } from '../modes/await-result.ts';
import type { ModeChooser } from '../modes/choose-mode.ts';
import { findDynamicHelper, ownPrompts, ownResources } from '../modes/index.ts';
import type { HelperTool, Mode, ModeView } from '../modes/mode.ts';
import { type OwnPrompt, usablePrompts } from '../modes/own-prompt.ts';
import { readOwnResource } from '../modes/own-resource.ts';
import type { ListKey } from '../servers/listing.ts';
import type { Era } from '../wire/eras.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { acceptableEntry } from './acceptable-entry.ts';
import { HelperContexts, type HelperParts } from './helper-contexts.ts';
import { LookUp } from './look-up.ts';
import { MergedTools } from './merged-tools.ts';
import type { Introduction, SessionView } from './session-view.ts';
import { TaskServers } from './task-servers.ts';
import { isCancelled, isNotFound } from './view-errors.ts';

export interface MergedViewOptions extends HelperParts {
  /** Asked whenever the mode matters: settings and catalog may change under a session. */
  readonly chooseMode: ModeChooser;
  readonly steps: CallSteps;
  /** What becomes of a helper's own long answer. */
  readonly shapeOwn: ResultShaper['shapeOwn'];
  /** What becomes of a slow call's answer that there is no room for. */
  readonly putAside: ResultShaper['putAside'];
  readonly serverInfo: JsonObject;
  /** Read at each use, as `raw` is. */
  readonly extraTools: () => readonly string[];
  /** How long a client app may be left without an answer, in ms; undefined: as long as it takes. */
  readonly callLimitMs: (app: string) => number | undefined;
  readonly answerRoom: AnswerRoom;
  /** The client app reads lists anew when it is told that they have changed. */
  readonly followsLists: boolean;
}

export class MergedView implements SessionView {
  readonly #options: MergedViewOptions;
  readonly #contexts: HelperContexts;
  readonly #lookUp: LookUp;
  readonly #slowCalls: SlowCalls;
  readonly #tools: MergedTools;
  readonly #tasks = new TaskServers();

  constructor(options: MergedViewOptions) {
    this.#options = options;
    this.#lookUp = new LookUp(options.catalog, options.settleMs);
    this.#contexts = new HelperContexts(options, {
      mode: () => this.mode,
      call: (request, context) => this.#call(request, context),
      readResource: (params, context) => this.readResource(params, context),
      getPrompt: (params, context) => this.getPrompt(params, context),
      awaitCall: (wish, rest, context) => this.#slowCalls.take(wish, furtherTry(rest), context),
    });
    this.#tools = new MergedTools({
      ...options,
      mode: () => this.#mode(),
      view: () => this.#view(),
      awaits: () => this.#slowCalls.used,
    });
    this.#slowCalls = new SlowCalls({
      limitMs: options.callLimitMs,
      room: options.answerRoom,
      awaitLine: (args, context) => this.#awaitLine(args, context),
      putAside: async (result, tool, context) => options.putAside(result, this.#originOf(tool), context),
    });
  }

  get mode(): string {
    return this.#mode().name;
  }

  get reason(): string | undefined {
    return this.#options.chooseMode(this.#view()).reason;
  }

  get ownTools(): readonly string[] {
    return this.#mode().helpers.map(({ definition }) => definition.name);
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
    if (key === 'tools') return this.#tools.list(era);
    if (key === 'prompts') return this.#listPrompts(era);
    const acceptable = (entry: JsonObject): JsonObject => acceptableEntry(key, entry, era);
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
    const { name } = params;
    if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'tools/call needs the name of a tool.');
    // It keeps to the limit by itself.
    if (name === awaitResult.definition.name) return this.#runTool(name, params, context);
    const label = (): string => calledTool(params, this.#helper(name) !== undefined);
    return this.#slowCalls.run(label, context, (own, again) => this.#runTool(name, { ...params, ...again }, own));
  }

  async #runTool(name: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const { name: _name, arguments: args, ...rest } = params;
    const input = readArguments({ arguments: args });
    const helper = this.#helper(name);
    if (helper !== undefined) return this.#runHelper(helper, input ?? {}, rest, context);
    await this.#lookUp.known(() => this.#options.steps.resolve({ tool: name, arguments: input }));
    const result = await this.#call({ tool: name, arguments: input, rest }, context);
    this.#tasks.note(result, () => this.#options.steps.resolve({ tool: name, arguments: undefined }).server);
    return result;
  }

  async readResource(params: JsonObject, context: CallerContext): Promise<Result> {
    const uri = uriOf(params);
    const own = await readOwnResource(ownResources, uri, this.#contexts.make('resources/read', {}, context));
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
    const own = this.#ownPrompt(params['name']);
    if (own !== undefined) {
      const args = isObject(params['arguments']) ? params['arguments'] : {};
      return own.get(args, this.#contexts.make('prompts/get', {}, context));
    }
    const prompt = await this.#lookUp.prompt(params['name']);
    return this.#options.servers.get(prompt.server).request('prompts/get', { ...params, name: prompt.name }, context);
  }

  async complete(params: JsonObject, context: CallerContext): Promise<Result> {
    const ref = isObject(params['ref']) ? params['ref'] : {};
    if (ref['type'] === 'ref/prompt' && this.#ownPrompt(ref['name']) !== undefined)
      return { completion: { values: [] } };
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
    const server = this.#tasks.find(params);
    if (server !== undefined) return this.#options.servers.get(server).request(method, params, context);
    throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
  }

  end(): void {
    this.#slowCalls.end();
  }

  heard(method: string, params: JsonObject, sessionId: string): void {
    for (const server of this.#options.servers.all) server.notify(method, params, sessionId);
  }

  changedLists(change: CatalogChange): CatalogChange {
    return { ...change, tools: change.tools && this.#tools.differs() };
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
    return this.#contexts.modeView();
  }

  #ownPrompt(name: unknown): OwnPrompt | undefined {
    return usablePrompts(ownPrompts, this.#options.catalog.current).find(({ definition }) => definition.name === name);
  }

  #listPrompts(era: Era): readonly JsonObject[] {
    const { current } = this.#options.catalog;
    const own = usablePrompts(this.#mode().prompts ?? [], current);
    const listed = current.prompts.map((prompt) =>
      acceptableEntry('prompts', { ...prompt.definition, name: prompt.listedName }, era),
    );
    return [...listed, ...own.map(({ definition }) => definition)];
  }

  /** undefined where the client app could not call it: a list of 2026-07-28 stays as it was. */
  #awaitLine(args: JsonObject, { acceptsInputRequired }: CallerContext): string | undefined {
    const mode = this.#mode();
    const isOut =
      acceptsInputRequired && isCalledByName(mode) && !this.#tools.lists(awaitResult.definition.name, 'modern');
    return isOut ? undefined : awaitLine(mode, args);
  }

  /** Whatever goes wrong in a helper is for the model to read. */
  async #runHelper(helper: HelperTool, input: JsonObject, rest: JsonObject, context: CallerContext): Promise<Result> {
    await this.#options.catalog.settled(this.#options.settleMs);
    try {
      const result = await helper.run(input, this.#contexts.make(helper.definition.name, rest, context));
      return helper.spills === true ? await this.#options.shapeOwn(result, helper.definition.name, context) : result;
    } catch (error) {
      if (isCancelled(error)) throw error;
      return errorResult(error);
    }
  }

  /** A server's tool goes before a helper that is named after a server. */
  #helper(name: string): HelperTool | undefined {
    const { helpers, catalog } = this.#options;
    const mode = this.#mode();
    const own = helpers.get(name) ?? mode.find?.(name, this.#view());
    if (own !== undefined || catalog.current.lookup.tools.listedAs(name) !== undefined) return own;
    return findDynamicHelper(name, this.#view());
  }

  /** Whose answer it is that came under this name; a helper's own is ours, and so is what a model misspelt. */
  #originOf(name: string): { server: string; tool: string } {
    try {
      const entry = this.#options.steps.resolve({ tool: name, arguments: undefined });
      return { server: entry.server, tool: entry.name };
    } catch {
      return { server: 'tooltray', tool: name };
    }
  }

  #call(request: CallRequest, context: CallerContext): Promise<Result> {
    return callTool(request, context, this.#options.steps);
  }
}

function uriOf(params: JsonObject): string {
  if (typeof params['uri'] === 'string') return params['uri'];
  throw new RpcError(rpcCode.invalidParams, 'The uri of a resource is missing.');
}
