/** All servers together, shown in a mode. */
import { isObject, type JsonObject } from '../base/json.ts';
import type { CallerContext } from '../calls/call-tool.ts';
import type { CatalogChange } from '../catalog/live-catalog.ts';
import type { ModeChooser } from '../modes/choose-mode.ts';
import type { Mode, ModeView } from '../modes/mode.ts';
import type { ListKey } from '../servers/listing.ts';
import type { Era } from '../wire/eras.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { HelperContexts, type HelperParts } from './helper-contexts.ts';
import { LookUp } from './look-up.ts';
import { MergedCalls, type MergedCallsOptions } from './merged-calls.ts';
import { MergedPrompts } from './merged-prompts.ts';
import { MergedResources } from './merged-resources.ts';
import { MergedTools } from './merged-tools.ts';
import type { Introduction, SessionView } from './session-view.ts';

export interface MergedViewOptions extends HelperParts, MergedCallsOptions {
  /** Asked whenever the mode matters: settings and catalog may change under a session. */
  readonly chooseMode: ModeChooser;
  readonly serverInfo: JsonObject;
  /** Read at each use, as `level` is. */
  readonly extraTools: () => readonly string[];
  /** The client app reads lists anew when it is told that they have changed. */
  readonly followsLists: boolean;
}

export class MergedView implements SessionView {
  readonly #options: MergedViewOptions;
  readonly #contexts: HelperContexts;
  readonly #lookUp: LookUp;
  readonly #tools: MergedTools;
  readonly #prompts: MergedPrompts;
  readonly #resources: MergedResources;
  readonly #calls: MergedCalls;

  constructor(options: MergedViewOptions) {
    const { catalog, servers, settleMs } = options;
    this.#options = options;
    this.#lookUp = new LookUp(catalog, settleMs);
    this.#contexts = new HelperContexts(options, {
      mode: () => this.mode,
      call: (request, context) => this.#calls.pass(request, context),
      readResource: (params, context) => this.readResource(params, context),
      getPrompt: (params, context) => this.getPrompt(params, context),
      awaitCall: (wish, rest, context) => this.#calls.take(wish, rest, context),
    });
    const parts = { catalog, servers, lookUp: this.#lookUp, contexts: this.#contexts, mode: () => this.#mode() };
    this.#prompts = new MergedPrompts(parts);
    this.#resources = new MergedResources(parts);
    this.#tools = new MergedTools({
      ...options,
      mode: () => this.#mode(),
      view: () => this.#view(),
      awaits: () => this.#calls.gaveHandles,
    });
    this.#calls = new MergedCalls(options, parts, (tool) => this.#tools.lists(tool, 'modern'));
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
    const { catalog, settleMs } = this.#options;
    // Names are those of the config, whatever is up; only right after the start of the core is that not read.
    await catalog.configured(settleMs);
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
    const { catalog, chooseMode, settleMs } = this.#options;
    const { mode, reason } = chooseMode(this.#view());
    // Where Tooltray chose the mode, it may choose another one once it knows what there is.
    const isFixed = key === 'tools' && mode.fixedList === true && reason === undefined;
    if (!isFixed) await catalog.settled(settleMs);
    if (key === 'tools') return this.#tools.list(era);
    return key === 'prompts' ? this.#prompts.list(era) : this.#resources.list(key, era);
  }

  toolWithHeaders(name: string): JsonObject | undefined {
    return this.#tools.withHeaders(name);
  }

  callTool(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#calls.answer(params, context);
  }

  readResource(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#resources.read(params, context);
  }

  getPrompt(params: JsonObject, context: CallerContext): Promise<Result> {
    return this.#prompts.get(params, context);
  }

  async complete(params: JsonObject, context: CallerContext): Promise<Result> {
    const ref = isObject(params['ref']) ? params['ref'] : {};
    if (ref['type'] === 'ref/prompt' && this.#prompts.own(ref['name']) !== undefined)
      return { completion: { values: [] } };
    const target = await this.#lookUp.completion(ref);
    const asked = { ...params, ref: target.ref };
    return this.#options.servers.get(target.server).request('completion/complete', asked, context);
  }

  subscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#resources.subscribe(uri, context);
  }

  unsubscribe(uri: string, context: CallerContext): Promise<Result> {
    return this.#resources.unsubscribe(uri, context);
  }

  async setLogLevel(level: string, context: CallerContext): Promise<void> {
    await Promise.allSettled(this.#options.servers.all.map((server) => server.setLogLevel(level, context)));
  }

  async other(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const server = this.#calls.serverOfTask(params);
    if (server !== undefined) return this.#options.servers.get(server).request(method, params, context);
    throw new RpcError(rpcCode.methodNotFound, `Method not found: ${method}`);
  }

  end(): void {
    this.#calls.end();
  }

  heard(method: string, params: JsonObject, sessionId: string): void {
    for (const server of this.#options.servers.all) server.notify(method, params, sessionId);
  }

  changedLists(change: CatalogChange): CatalogChange {
    return { ...change, tools: change.tools && this.#tools.differs() };
  }

  listedUri(server: string, uri: string): string {
    return this.#resources.listedUri(server, uri);
  }

  #mode(): Mode {
    return this.#options.chooseMode(this.#view()).mode;
  }

  #view(): ModeView {
    return this.#contexts.modeView();
  }
}
