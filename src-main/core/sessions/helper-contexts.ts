/** What a helper tool is given to work with: made anew for each call of one, from the core's parts and its session's view. */
import type { ToolActivity } from '../activity/call-record.ts';
import type { ServerAdmin } from '../admin/server-admin.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { CallerContext, CallRequest } from '../calls/call-tool.ts';
import type { AwaitWish } from '../calls/slow-calls.ts';
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import type { DescriptionStore } from '../condense/description-store.ts';
import type { CodeSettings, CondenseLevel, RetrieveSettings, ToolFilter } from '../config/app-config.ts';
import { longestTextFor } from '../modes/client-app-facts.ts';
import type { HelperContext, HelperTool, ModeView } from '../modes/mode.ts';
import { SessionMemory } from '../modes/session-memory.ts';
import { SchemaShapes } from '../modes/shown-tool.ts';
import type { ResultFiles } from '../results/result-files.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { refreshListings } from '../servers/refresh-listings.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import type { Result } from '../wire/message.ts';

/** Parts of the core that helpers work with. */
export interface HelperParts {
  readonly helpers: ReadonlyMap<string, HelperTool>;
  readonly catalog: LiveCatalog;
  readonly servers: ServerManager;
  readonly admin: ServerAdmin;
  readonly sandbox: Sandbox;
  readonly descriptions: DescriptionStore;
  readonly resultFiles: ResultFiles;
  readonly toolActivity: () => readonly ToolActivity[];
  /** Read at each use: the config may change under a session. */
  readonly level: () => CondenseLevel;
  readonly toolFilter: () => ToolFilter;
  readonly retrieve: () => RetrieveSettings;
  readonly code: () => CodeSettings;
  readonly spills: () => boolean;
  readonly handles: () => boolean;
  /** How long servers are waited for, in ms. */
  readonly settleMs: number;
}

/** What the view that a helper runs in does for it. */
export interface HelperView {
  mode(): string;
  call(request: CallRequest, context: CallerContext): Promise<Result>;
  readResource(params: JsonObject, context: CallerContext): Promise<Result>;
  getPrompt(params: JsonObject, context: CallerContext): Promise<Result>;
  /** `rest`: what came beside the wish. */
  awaitCall(wish: AwaitWish, rest: JsonObject, context: CallerContext): Promise<Result>;
}

export class HelperContexts {
  readonly #parts: HelperParts;
  readonly #view: HelperView;
  readonly #memory = new SessionMemory();
  readonly #shapes = new SchemaShapes();
  /** Answers as the pipeline gave them. */
  readonly #given = new WeakSet<Result>();

  constructor(parts: HelperParts, view: HelperView) {
    this.#parts = parts;
    this.#view = view;
  }

  /** What a mode sees now. */
  modeView(): ModeView {
    const { catalog, level, spills, handles, descriptions } = this.#parts;
    const texts = { level: level(), shapes: this.#shapes, spills: spills(), handles: handles(), descriptions };
    return { catalog: catalog.current, index: catalog.index, ...texts };
  }

  /** Whether a helper's answer is one that it was given and hands on as it is. */
  handedOn(result: Result): boolean {
    return this.#given.has(result);
  }

  /** `rest`: what came beside the helper's input goes on with whatever it asks for: answers to a server's questions, too. */
  make(tool: string, rest: JsonObject, context: CallerContext): HelperContext {
    const { admin, code, catalog, descriptions, resultFiles, sandbox, settleMs, toolActivity, toolFilter } =
      this.#parts;
    const { sessionId, app, signal } = context;
    const view = this.#view;
    return {
      ...this.modeView(),
      get catalog() {
        return catalog.current;
      },
      finder: catalog.finder,
      awaitTool: (spelling, server) => catalog.awaitTool(spelling, server, settleMs, context),
      awaitServer: (handle) => catalog.awaitServer(handle, settleMs, context),
      settled: () => catalog.settled(settleMs),
      mode: view.mode(),
      callTool: (request) => this.#noted(this.#call({ ...request, rest: { ...rest, ...request.rest } }, context)),
      readResource: (uri) => view.readResource({ ...rest, uri }, context),
      getPrompt: (name, args) => view.getPrompt({ ...rest, name, ...(args && { arguments: args }) }, context),
      awaitCall: (wish) => this.#noted(view.awaitCall(wish, rest, context)),
      refresh: (server) => this.#refresh(server),
      resultFiles,
      longestText: longestTextFor(app),
      toolActivity,
      toolFilter: toolFilter(),
      retrieve: this.#parts.retrieve(),
      code: code(),
      admin,
      descriptions,
      author: { app, sessionId, tool, mode: view.mode() },
      memory: this.#memory,
      sandbox,
      signal,
      canSample: isObject(context.clientCapabilities['sampling']),
      askClient: context.askClient,
    };
  }

  async #noted(answer: Promise<Result>): Promise<Result> {
    const result = await answer;
    this.#given.add(result);
    return result;
  }

  /** A model that knows only a helper that calls tools gets at its own long answers through that one. */
  #call(request: CallRequest, context: CallerContext): Promise<Result> {
    const { helpers, catalog } = this.#parts;
    const own = helpers.get(request.tool);
    const isTaken = catalog.current.lookup.tools.listedAs(request.tool) !== undefined;
    if (own?.reachable !== true || isTaken) return this.#view.call(request, context);
    return own.run(request.arguments ?? {}, this.make(request.tool, request.rest ?? {}, context));
  }

  async #refresh(only: string | undefined): Promise<ModeView> {
    const { servers, settleMs } = this.#parts;
    const asked = servers.all.filter(({ config }) => only === undefined || config.name === only);
    await refreshListings(asked, settleMs);
    return this.modeView();
  }
}
