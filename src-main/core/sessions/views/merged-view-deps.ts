/** Dependencies shared by the parts of a merged view. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CallerContext, CallRequest } from '../../calls/call-tool.ts';
import type { AwaitRequest } from '../../calls/slow-calls.ts';
import { type CatalogEntry, resolveEntry } from '../../catalog/catalog.ts';
import { isTooltrayUri } from '../../catalog/resource-uris.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import { resourceNotFoundError, type ResourceTarget, resolveResource } from '../../catalog/resolve-resource.ts';
import type { ConfiguredServer } from '../../catalog/tool-finder.ts';
import { maxTextBytesFor } from '../../client-apps/app-traits.ts';
import { type HelperContext, type ModeView, ShownItems } from '../../modes/mode.ts';
import type { CallContext } from '../../servers/in-flight-calls.ts';
import { refreshListings } from '../../servers/server-manager.ts';
import { TrackedSpillFiles } from '../../spills/tracked-spill-files.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import type { SessionServices, SessionSettingsCache } from '../session-settings.ts';
import type { SeenResources } from './seen-resources.ts';

/** Dependencies shared by the parts of a merged view. */
export interface MergedViewDeps {
  readonly core: SessionServices;
  readonly settings: SessionSettingsCache;
  readonly lookUp: EntryResolver;
  /** Resources that servers linked in their results. */
  readonly links: SeenResources;
  readonly contexts: HelperContexts;
}

// Creates the context of a helper tool for each call, from the core's parts and the session's view.

/** The functions of its view that a helper tool may use. */
interface HelperView {
  call(request: CallRequest, context: CallerContext): Promise<Result>;
  readResource(params: JsonObject, context: CallerContext): Promise<Result>;
  getPrompt(params: JsonObject, context: CallerContext): Promise<Result>;
  /** `rest`: params in addition to the request. */
  awaitCall(wish: AwaitRequest, rest: JsonObject, context: CallerContext): Promise<Result>;
}

export class HelperContexts {
  readonly #core: SessionServices;
  readonly #settings: SessionSettingsCache;
  readonly #view: HelperView;
  /** Items that the session has been shown. */
  readonly memory = new ShownItems();
  /** Results of calls made by helper tools, which are recognized if a helper returns them unchanged. */
  readonly #pipelineResults = new WeakSet<Result>();

  constructor(core: SessionServices, settings: SessionSettingsCache, view: HelperView) {
    this.#core = core;
    this.#settings = settings;
    this.#view = view;
  }

  /** Whether a helper tool returns a pipeline result unchanged. */
  isPassedThrough(result: Result): boolean {
    return this.#pipelineResults.has(result);
  }

  /**
   * `rest` holds the params next to the helper's input, such as replies to server-initiated requests; they are
   * forwarded with its calls.
   */
  make(tool: string, rest: JsonObject, context: CallerContext): HelperContext {
    const { activity, admin, catalog, descriptions, spillFiles, sandbox, settleMs } = this.#core;
    const { sessionId, app, signal } = context;
    const { mode, view: shown, code, retrieve, toolFilter, fullResults } = this.#settings.current;
    const view = this.#view;
    return {
      ...shown,
      get catalog() {
        return catalog.current;
      },
      finder: catalog.finder,
      awaitTool: (spelling, server) => catalog.awaitTool(spelling, server, settleMs, context),
      awaitServer: (handle) => catalog.awaitServer(handle, settleMs, context),
      settled: () => catalog.settled(settleMs),
      mode: mode.name,
      callLine: mode.callLine,
      callTool: (request) => this.#noted(this.#call({ ...request, rest: { ...rest, ...request.rest } }, context)),
      readResource: (uri) => view.readResource({ ...rest, uri }, context),
      getPrompt: (name, args) => view.getPrompt({ ...rest, name, ...(args && { arguments: args }) }, context),
      awaitCall: (wish) => this.#noted(view.awaitCall(wish, rest, context)),
      refresh: (server) => this.#refresh(server),
      spillFiles: new TrackedSpillFiles(spillFiles(context.principal), (ref, text) =>
        this.#noteStored(ref, text, context),
      ),
      maxTextLength: maxTextBytesFor(app),
      usedTools: () => activity.usedTools(),
      toolFilter,
      fullResults,
      retrieve,
      code,
      admin,
      descriptions,
      author: { app, sessionId, tool, mode: mode.name },
      memory: this.memory,
      sandbox,
      programTools: this.#core.modes.programTools,
      signal,
    };
  }

  /**
   * A spill that is read has the same data-flow labels as the original result; its reader may be another session of
   * the app.
   */
  #noteStored(ref: string, text: string, context: CallerContext): void {
    const { spillOf, flow } = this.#core;
    const { server, tool } = spillOf(ref) ?? { server: 'tooltray', tool: 'a file' };
    flow.recordText(`${server}:${tool}`, server, text, context);
  }

  async #noted(answer: Promise<Result>): Promise<Result> {
    const result = await answer;
    this.#pipelineResults.add(result);
    return result;
  }

  /** A model that only knows a helper that calls tools must be able to read spills through it. */
  #call(request: CallRequest, context: CallerContext): Promise<Result> {
    const { modes, catalog } = this.#core;
    const own = modes.helpers.get(request.tool);
    const isTaken = catalog.current.lookup.tools.byListedName(request.tool) !== undefined;
    if (own?.reachable !== true || isTaken) return this.#view.call(request, context);
    return own.run(request.arguments ?? {}, this.make(request.tool, request.rest ?? {}, context));
  }

  async #refresh(only: string | undefined): Promise<ModeView> {
    const { servers, settleMs } = this.#core;
    const chosen = servers.all.filter(({ config }) => only === undefined || config.name === only);
    await refreshListings(chosen, settleMs);
    return this.#settings.current.view;
  }
}

type WaitContext = Pick<CallContext, 'signal' | 'onProgress'>;

/**
 * Resolves names and URIs of the merged catalog. Waits for a starting server that is named or known to have
 * it, because a client app that was connected to an earlier core calls tools without listing first.
 */
export class EntryResolver {
  readonly #catalog: LiveCatalog;
  readonly #settleMs: number;

  readonly #links: Pick<SeenResources, 'serversOf'>;

  /**
   * `settleMs`: how long to wait for servers if an address does not identify one; `links`: links that results
   * contained.
   */
  constructor(catalog: LiveCatalog, settleMs: number, links: Pick<SeenResources, 'serversOf'>) {
    this.#catalog = catalog;
    this.#settleMs = settleMs;
    this.#links = links;
  }

  /** Rejects with RpcError. */
  async prompt(name: unknown, context: WaitContext): Promise<CatalogEntry> {
    const spelling = String(name);
    await this.#catalog.configLoaded(this.#settleMs);
    const look = (): CatalogEntry => resolveEntry(this.#catalog.current, 'prompts', spelling);
    try {
      return look();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const holder = this.#catalog.finder.promptOwner(spelling);
      if (holder === undefined) throw new RpcError(rpcCode.invalidParams, `${error.text}${this.#notListed()}`);
      await this.#waitUntilReady(holder, context);
    }
    try {
      return look();
    } catch (error) {
      throw error instanceof AppError ? new RpcError(rpcCode.invalidParams, error.text) : error;
    }
  }

  /** The server that completes an argument, and the reference in that server's terms. Rejects with RpcError. */
  async completion(
    ref: JsonObject,
    context: WaitContext,
  ): Promise<{ readonly server: string; readonly ref: JsonObject }> {
    if (ref['type'] === 'ref/prompt') {
      const prompt = await this.prompt(ref['name'], context);
      return { server: prompt.server, ref: { ...ref, name: prompt.name } };
    }
    const uri = String(ref['uri']);
    const template = (): ResourceTarget | undefined =>
      this.#catalog.current.resourceTemplates.find((one) => one.listedUri === uri);
    const target = template() ?? (await this.resource(uri, context, () => template() !== undefined));
    const { server, uri: own } = template() ?? target;
    return { server, ref: { ...ref, uri: own } };
  }

  /**
   * The server of a resource. Servers that were never listed may have it, or a better matching template, so they are
   * waited for until `isFound`. Rejects with RpcError if no server has it or its server is unavailable, with AppError
   * if several have it.
   */
  async resource(
    uri: string,
    context: WaitContext,
    isFound: () => boolean = () => {
      const { resources, views } = this.#catalog.current;
      return [resources, views].some((known) => known.some(({ listedUri }) => listedUri === uri));
    },
  ): Promise<ResourceTarget> {
    await this.#catalog.configLoaded(this.#settleMs);
    const shownBy = this.#links.serversOf(uri);
    if (!isFound() && shownBy.length === 0) {
      const holder = this.#catalog.finder.resourceOwner(uri);
      if (holder !== undefined) await this.#waitUntilReady(holder, context, { uri });
      else if (!isTooltrayUri(uri)) await this.#catalog.settled(this.#settleMs, undefined, isFound);
    }
    const target = resolveResource(this.#catalog.current, uri, shownBy);
    if (target === undefined) throw this.noResource(uri);
    return target;
  }

  /** Error for a resource that no server lists; includes the servers that could not be asked. */
  noResource(uri: string): RpcError {
    return new RpcError(
      rpcCode.invalidParams,
      `${resourceNotFoundError(uri, this.#catalog.current).text}${this.#notListed()}`,
      { uri },
    );
  }

  /** Rejects with RpcError if the server does not become ready, with its state, the cause, and a fix. */
  async #waitUntilReady(
    { config: { name } }: ConfiguredServer,
    context: WaitContext,
    facts: JsonObject = {},
  ): Promise<void> {
    try {
      await this.#catalog.awaitServer(name, this.#settleMs, context);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
      throw new RpcError(rpcCode.invalidParams, error.text, { ...facts, server: name, code: error.code });
    }
  }

  #notListed(): string {
    const missing = this.#catalog.finder.missingServers();
    return missing === undefined ? '' : ` Not listed: ${missing}.`;
  }
}
