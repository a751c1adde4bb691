/**
 * Tool calls in a merged view: helper tools run here, tools of servers go through the pipeline; slow calls get a
 * handle.
 */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { neutralizeControlCharacters, truncateName } from '../../base/visible-text.ts';
import { withoutTasks } from '../../calls/call-task.ts';
import {
  type CallerContext,
  type CallRequest,
  type CallStages,
  callTool,
  type ShapedResult,
  type ShownSchemas,
} from '../../calls/call-tool.ts';
import { errorResult } from '../../calls/error-result.ts';
import { checkNameLengths, isCancelled, namedArguments } from '../../calls/read-arguments.ts';
import { repeatedCallText } from '../../calls/repeated-calls.ts';
import { type AwaitRequest, calledTool, retryParams, SlowCalls } from '../../calls/slow-calls.ts';
import { completeContent } from '../../calls/complete-content.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ViewTool } from '../../catalog/view-tools.ts';
import { awaitInstruction, awaitResult, isCalledByName } from '../../modes/await-result-tool.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';
import { withLinkReader } from '../../modes/read-resource.ts';
import { shownSchemas } from '../../modes/render-tools.ts';
import { isVisibleTo, viewUriOf, withViewUri } from '../../servers/ui-metadata.ts';
import { recordedUser } from '../../security/principal.ts';
import type { ProtocolKind } from '../../wire/protocol-kind.ts';
import { type Result, rpcCode, RpcError } from '../../wire/message.ts';
import { scalarOf, RawJson } from '../../wire/raw-json.ts';
import type { SessionSettings } from '../session-settings.ts';
import { TaskSubscriptions } from './task-subscriptions.ts';
import type { MergedViewDeps } from './merged-view-deps.ts';
import { taskNotFoundError, ServerTasks, withTaskId } from './server-tasks.ts';

export class MergedCalls {
  readonly #parts: MergedViewDeps;
  readonly #steps: CallStages;
  readonly #lists: (tool: string, era: ProtocolKind) => boolean;
  readonly #shownSchemas: ShownSchemas;
  readonly #slow: SlowCalls;
  readonly #tasks: ServerTasks;
  readonly taskSubscriptions: TaskSubscriptions;
  readonly #views: ViewCalls;

  /** `lists`: whether a client app of that protocol is shown a tool of that name. */
  constructor(parts: MergedViewDeps, lists: (tool: string, era: ProtocolKind) => boolean) {
    const { resultCapacity, shaper, steps } = parts.core;
    this.#parts = parts;
    this.#tasks = new ServerTasks();
    this.#views = new ViewCalls();
    this.#steps = {
      ...steps,
      call: async (tool, params, request, context) => {
        // A program cannot fetch a task later.
        const callContext = request.source === 'program' ? withoutTasks(context) : context;
        const answer = await steps.call(tool, params, request, callContext);
        parts.links.note(tool.server, answer);
        if (context.showsViews === true) this.#views.note(tool, context);
        return this.#tasks.note(tool.server, answer, context);
      },
      shape: (result, tool, request, context) => {
        const shaping = steps.shape(result, tool, request, context);
        const call = { result, tool, request, context };
        return shaping instanceof Promise
          ? shaping.then((shaped) => this.#withNotes(shaped, call))
          : this.#withNotes(shaping, call);
      },
    };
    this.#lists = lists;
    this.#shownSchemas = shownSchemas(parts.contexts.memory);
    this.#slow = new SlowCalls({
      limitMs: (app) => parts.settings.callLimitMs(app),
      quota: resultCapacity,
      awaitLine: (args, context) => this.#awaitLine(args, context),
      putAside: async (result, tool, context) => shaper.spill(result, this.#originOf(tool), context),
    });
    const { flow, servers } = parts.core;
    this.taskSubscriptions = new TaskSubscriptions({ tasks: this.#tasks, slow: this.#slow, servers, flow });
  }

  /** Whether a call was answered with a handle. */
  get gaveHandles(): boolean {
    return this.#slow.hasHandles;
  }

  /** Handles `tools/call` of a client app. Rejects as the call does; throws errors of the request itself. */
  handle(params: JsonObject, caller: CallerContext): Promise<Result> {
    const { name } = params;
    const settings = this.#parts.settings.current;
    const era = caller.acceptsInputRequired ? 'modern' : 'legacy';
    const context = {
      ...caller,
      lists: (tool: string) => this.#lists(tool, era),
      shownSchemas: this.#shownSchemas,
      ...(areShown(settings) && { showsViews: true }),
    };
    if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'tools/call requires a tool name.');
    // `await_result` observes the time limit by itself.
    if (name === awaitResult.definition.name) return this.#run(this.#helper(name, settings), params, context);
    const helper = this.#helper(name, settings);
    const own = helper === undefined ? this.#views.find(name, settings) : undefined;
    // A user interface waits for its result and could not use a handle.
    if (own !== undefined) return this.#runForView(own, params, context);
    const label = (): string => calledTool(params, helper !== undefined);
    return this.#slow
      .run(label, context, (own, again) => this.#run(helper, { ...params, ...again }, own))
      .then((result) => this.#withBudgetNotice(result, context));
  }

  /** Calls a tool of a server, for any caller. */
  callServerTool(request: CallRequest, context: CallerContext): Promise<Result> {
    return callTool(request, context, this.#steps);
  }

  /** Waits for the result of a slow call. `rest`: other params. */
  awaitResult(wish: AwaitRequest, rest: JsonObject, context: CallerContext): Promise<Result> {
    return this.#slow.waitFor(wish, retryParams(rest), context);
  }

  /**
   * Handles a request about a task: a slow call of Tooltray, or a task of a server. Rejects with RpcError if it is
   * unknown.
   */
  async task(method: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const own = await this.#slow.task(method, params, context);
    if (own !== undefined) return own;
    const known = this.#tasks.find(params, context.principal);
    if (known === undefined) throw taskNotFoundError(context);
    const { flow, servers } = this.#parts.core;
    const answer = await servers.get(known.server).request(method, known.params, context);
    // The outcome of the task is a tool result.
    flow.recordText(`${known.server}: a task`, known.server, answer, context);
    return withTaskId(answer, params['taskId']);
  }

  /** Implements `SessionView.taskId`. */
  taskId(server: string, taskId: string, sessionId: string): string | undefined {
    return this.#tasks.idFor(server, taskId, sessionId);
  }

  /** Ends calls that continue. */
  end(): void {
    this.#slow.end();
  }

  /** `helper`: the tool with that name; undefined: a server's tool. */
  async #run(helper: HelperTool | undefined, params: JsonObject, context: CallerContext): Promise<Result> {
    const { name, arguments: args, ...rest } = params;
    const input = namedArguments(args);
    if (helper !== undefined) return await this.#runHelper(helper, input ?? {}, rest, context);
    return await this.callServerTool({ tool: String(name), arguments: input, rest }, context);
  }

  #runForView(tool: ViewTool, params: JsonObject, context: CallerContext): Promise<Result> {
    const { name, arguments: args, ...rest } = params;
    const input = namedArguments(args);
    const request = { tool: String(name), arguments: input, rest, source: 'view', spill: 'never' } as const;
    return callTool(request, context, { ...this.#steps, resolve: () => tool });
  }

  /** Errors of a helper tool become results that the model can read. */
  async #runHelper(helper: HelperTool, input: JsonObject, rest: JsonObject, context: CallerContext): Promise<Result> {
    const { contexts, core } = this.#parts;
    const { name } = helper.definition;
    await core.catalog.configLoaded(core.settleMs);
    const openedViews = new Set<string>();
    const own = contexts.make(name, rest, { ...context, openedViews });
    try {
      checkNameLengths(input);
      const answer = await helper.run(input, own);
      if (helper.admin === true) this.#noteLook(own, input);
      const result = contexts.isPassedThrough(answer)
        ? answer
        : completeContent(isQuoted(helper) ? answer : neutralizeControlCharacters(answer));
      const shaped = helper.spills === true ? await core.shaper.shapeHelperResult(result, name, context) : result;
      return this.#views.leading(shaped, openedViews);
    } catch (error) {
      if (isCancelled(error)) throw error;
      return errorResult(error);
    }
  }

  /** Records looking at servers and retrying them, which need no approval, like changes that were requested. */
  #noteLook({ admin, author }: HelperContext, input: JsonObject): void {
    if (admin.hasRequested(author)) return;
    const words = ['operation', 'action', 'name', 'server'].flatMap((key) =>
      typeof input[key] === 'string' ? truncateName(input[key]) : [],
    );
    admin.recorded.emit({ author, what: ['Looked', ...words].join(' '), failure: undefined });
  }

  /** A server's tool takes precedence over a helper tool that is named after a server. */
  #helper(name: string, { mode, view }: SessionSettings): HelperTool | undefined {
    const { helpers } = this.#parts.core.modes;
    const listed = mode.helpers.find(({ definition }) => definition.name === name);
    const own = listed ?? helpers.get(name) ?? mode.find?.(name, view);
    if (own !== undefined || view.catalog.lookup.tools.byListedName(name) !== undefined) return own;
    return this.#parts.core.modes.findDynamic(name, view);
  }

  /**
   * Adds the call that reads a link, and a notice after equal calls. A program reads the result itself, and a user
   * interface knows how to read a link.
   */
  #withNotes(shaped: ShapedResult, { result, tool, request, context }: ShapedCall): ShapedResult {
    const { mode, view } = this.#parts.settings.current;
    // At level `full` a result is passed verbatim.
    if (request.source !== undefined || view.level === 'full') return shaped;
    const linked = withLinkReader(shaped.result, mode.callLine);
    const repeats = this.#parts.core.repeatedCalls.note(tool, request.arguments ?? {}, result, context);
    if (repeats === undefined) return { ...shaped, result: linked };
    return { ...shaped, result: withText(linked, repeatedCallText(repeats)), repeats };
  }

  /** Adds a notice when the app has used up a share of its tokens for the day. */
  #withBudgetNotice(result: Result, { app, principal }: CallerContext): Result {
    if (this.#parts.settings.current.view.level === 'full' || !hasContent(result)) return result;
    const notice = this.#parts.core.tokenBudgets.notice(app, recordedUser(principal));
    return notice === undefined ? result : withText(result, notice);
  }

  /** Returns the origin of a result by tool name; helper tools and misspelled names belong to Tooltray. */
  #originOf(name: string): { server: string; tool: string } {
    try {
      const entry = this.#parts.core.catalog.finder.find(name);
      return { server: entry.server, tool: entry.name };
    } catch {
      return { server: 'tooltray', tool: name };
    }
  }

  /** Undefined if the client app could not call it, because lists of 2026-07-28 are fixed. */
  #awaitLine(args: JsonObject, { acceptsInputRequired }: CallerContext): string | undefined {
    const { mode } = this.#parts.settings.current;
    const isOut = acceptsInputRequired && isCalledByName(mode) && !this.#lists(awaitResult.definition.name, 'modern');
    return isOut ? undefined : awaitInstruction(mode, args);
  }
}

/** A call with the result of its server. */
interface ShapedCall {
  readonly result: Result;
  readonly tool: CatalogEntry;
  readonly request: CallRequest;
  readonly context: CallerContext;
}

function hasContent(result: Result): result is JsonObject {
  return !(result instanceof RawJson) && Array.isArray(result['content']);
}

/** Appends a text; a result without content, or held as bytes, stays unchanged. */
function withText(result: Result, text: string): Result {
  if (!hasContent(result)) return result;
  return { ...result, content: [...(result['content'] as unknown[]), { type: 'text', text }] };
}

/** Returns whether the helper's output is a verbatim result of a server or program, not text about servers. */
function isQuoted({ spills, reachable }: HelperTool): boolean {
  return spills === true || reachable === true;
}

// Calls made by user interfaces of tools, distinguished from the model's where possible: both arrive as a `tools/call`
// of the app, but an interface uses the names of its own server, which are not listed to models. Source: SEP-1865 (MCP
// Apps, 2026-01-26).

class ViewCalls {
  /** Servers with a called tool that has a user interface, which may be open. */
  readonly #open = new Set<string>();

  /** Records that a user interface of this tool may be open. */
  note({ server, definition }: CatalogEntry, { openedViews }: Pick<CallerContext, 'openedViews'>): void {
    const uri = viewUriOf(definition);
    if (uri === undefined) return;
    this.#open.add(server);
    openedViews?.add(uri);
  }

  /**
   * The tool that a user interface calls by this name; undefined for a name that is listed to models too, or that no
   * interface may call. Throws AppError `not_allowed` for a tool that only models may call, `tool_ambiguous` if
   * several open interfaces could mean it.
   */
  find(name: string, settings: SessionSettings): ViewTool | undefined {
    const { catalog } = settings.view;
    if (!areShown(settings) || catalog.lookup.tools.byListedName(name) !== undefined) return undefined;
    const named = catalog.viewTools.filter((tool) => tool.name === name);
    if (named.length === 0) {
      const [own, ...others] = catalog.lookup.tools.byName(name);
      if (own !== undefined && others.length === 0 && !isVisibleTo('app', own.definition)) throw forModelsOnly(own);
      return undefined;
    }
    const [only, ...others] = named.length === 1 ? named : named.filter(({ server }) => this.#open.has(server));
    if (only === undefined || others.length > 0) throw ambiguous(name, named);
    return only;
  }

  /** Adds to a helper tool's result the link to the user interface of the tool that was called through it. */
  leading(answer: Result, opened: ReadonlySet<string>): Result {
    const [uri, ...others] = opened;
    if (uri === undefined || others.length > 0 || scalarOf(answer, 'isError') === true) return answer;
    return answer instanceof RawJson ? answer.withMembers(withViewUri({}, uri)) : withViewUri(answer, uri);
  }
}

/** Whether the app shows user interfaces and the user permits it. */
function areShown({ ui }: SessionSettings): boolean {
  return ui !== undefined && ui !== 'off';
}

function forModelsOnly({ id }: CatalogEntry): AppError {
  return new AppError('not_allowed', `${id} is only available to models, not to user interfaces.`, {
    fix: 'The user interface can request it in the conversation.',
  });
}

function ambiguous(name: string, tools: readonly ViewTool[]): AppError {
  const servers = tools.map(({ server }) => server);
  return new AppError(
    'tool_ambiguous',
    `${JSON.stringify(truncateName(name))} is a tool of ${servers.join(' and ')}, and it is unclear which user interface calls it.`,
    {
      fix: `Connect the app to each server at its own address: /mcp/server/${encodeURIComponent(servers[0] ?? 'NAME')}.`,
      data: { candidates: tools.map(({ id }) => id) },
    },
  );
}
