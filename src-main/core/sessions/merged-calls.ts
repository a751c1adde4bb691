/** Calls of tools in a merged view: a helper of ours runs here, a server's tool goes through the pipeline; slow ones get a handle. */
import type { JsonObject } from '../base/json.ts';
import { shortName } from '../base/short-name.ts';
import type { AnswerRoom } from '../calls/answer-room.ts';
import { callTool, type CallerContext, type CallRequest, type CallSteps } from '../calls/call-tool.ts';
import { errorResult } from '../calls/error-result.ts';
import { markSteering } from '../base/mark-hidden.ts';
import { readArguments } from '../calls/read-arguments.ts';
import type { ResultShaper } from '../calls/shape-result.ts';
import { calledTool } from '../calls/slow-call-answers.ts';
import { type AwaitWish, furtherTry, SlowCalls } from '../calls/slow-calls.ts';
import { tellWhole } from '../calls/whole-answer.ts';
import { awaitLine, awaitResult, isCalledByName } from '../modes/await-result.ts';
import { findDynamicHelper } from '../modes/index.ts';
import type { HelperContext, HelperTool } from '../modes/mode.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import type { MergedParts } from './merged-parts.ts';
import { TaskServers } from './task-servers.ts';
import { isCancelled } from './view-errors.ts';

export interface MergedCallsOptions {
  readonly helpers: ReadonlyMap<string, HelperTool>;
  readonly steps: CallSteps;
  /** What becomes of a helper's own long answer. */
  readonly shapeOwn: ResultShaper['shapeOwn'];
  /** What becomes of a slow call's answer that there is no room for. */
  readonly putAside: ResultShaper['putAside'];
  /** How long a client app may be left without an answer, in ms; undefined: as long as it takes. */
  readonly callLimitMs: (app: string) => number | undefined;
  readonly answerRoom: AnswerRoom;
  /** How long servers are waited for, in ms. */
  readonly settleMs: number;
}

export class MergedCalls {
  readonly #options: MergedCallsOptions;
  readonly #parts: MergedParts;
  readonly #lists: (tool: string) => boolean;
  readonly #slow: SlowCalls;
  readonly #tasks = new TaskServers();

  /** `lists`: whether a client app of 2026-07-28 is shown a tool of that name. */
  constructor(options: MergedCallsOptions, parts: MergedParts, lists: (tool: string) => boolean) {
    this.#options = options;
    this.#parts = parts;
    this.#lists = lists;
    this.#slow = new SlowCalls({
      limitMs: options.callLimitMs,
      room: options.answerRoom,
      awaitLine: (args, context) => this.#awaitLine(args, context),
      putAside: async (result, tool, context) => options.putAside(result, this.#originOf(tool), context),
    });
  }

  /** A call was answered with a handle. */
  get gaveHandles(): boolean {
    return this.#slow.used;
  }

  /** `tools/call` of a client app. */
  async answer(params: JsonObject, context: CallerContext): Promise<Result> {
    const { name } = params;
    if (typeof name !== 'string') throw new RpcError(rpcCode.invalidParams, 'tools/call needs the name of a tool.');
    // It keeps to the limit by itself.
    if (name === awaitResult.definition.name) return this.#run(name, params, context);
    const label = (): string => calledTool(params, this.#helper(name) !== undefined);
    return this.#slow.run(label, context, (own, again) => this.#run(name, { ...params, ...again }, own));
  }

  /** A call of a server's tool, from whomever it comes. */
  pass(request: CallRequest, context: CallerContext): Promise<Result> {
    return callTool(request, context, this.#options.steps);
  }

  /** What came of a slow call. `rest`: what came beside the wish. */
  take(wish: AwaitWish, rest: JsonObject, context: CallerContext): Promise<Result> {
    return this.#slow.take(wish, furtherTry(rest), context);
  }

  /** The server of the task that a request is about; undefined where it is about none we know. */
  serverOfTask(params: JsonObject): string | undefined {
    return this.#tasks.find(params);
  }

  /** Calls that go on are ended. */
  end(): void {
    this.#slow.end();
  }

  async #run(name: string, params: JsonObject, context: CallerContext): Promise<Result> {
    const { name: _name, arguments: args, ...rest } = params;
    const input = readArguments({ arguments: args });
    const helper = this.#helper(name);
    if (helper !== undefined) return this.#runHelper(helper, input ?? {}, rest, context);
    const result = await this.pass({ tool: name, arguments: input, rest }, context);
    this.#tasks.note(result, () => this.#parts.catalog.finder.find(name).server);
    return result;
  }

  /** Whatever goes wrong in a helper is for the model to read. */
  async #runHelper(helper: HelperTool, input: JsonObject, rest: JsonObject, context: CallerContext): Promise<Result> {
    const { catalog, contexts } = this.#parts;
    const { name } = helper.definition;
    await catalog.configured(this.#options.settleMs);
    const own = contexts.make(name, rest, context);
    try {
      const answer = await helper.run(input, own);
      if (helper.admin === true) this.#noteLook(own, input);
      const result = contexts.handedOn(answer) ? answer : tellWhole(isQuoted(helper) ? answer : markSteering(answer));
      return helper.spills === true ? await this.#options.shapeOwn(result, name, context) : result;
    } catch (error) {
      if (isCancelled(error)) throw error;
      return errorResult(error);
    }
  }

  /** Looking at servers and trying them again is free, and stands in the record as what was asked for does. */
  #noteLook({ admin, author }: HelperContext, input: JsonObject): void {
    if (admin.hasAsked(author)) return;
    const words = ['operation', 'action', 'name', 'server'].flatMap((key) =>
      typeof input[key] === 'string' ? shortName(input[key]) : [],
    );
    admin.noted.emit({ author, what: ['Looked', ...words].join(' '), failure: undefined });
  }

  /** A server's tool goes before a helper that is named after a server. */
  #helper(name: string): HelperTool | undefined {
    const { catalog, contexts, mode } = this.#parts;
    const view = contexts.modeView();
    const own = this.#options.helpers.get(name) ?? mode().find?.(name, view);
    if (own !== undefined || catalog.current.lookup.tools.listedAs(name) !== undefined) return own;
    return findDynamicHelper(name, view);
  }

  /** Whose answer it is that came under this name; a helper's own is ours, and so is what a model misspelt. */
  #originOf(name: string): { server: string; tool: string } {
    try {
      const entry = this.#parts.catalog.finder.find(name);
      return { server: entry.server, tool: entry.name };
    } catch {
      return { server: 'tooltray', tool: name };
    }
  }

  /** undefined where the client app could not call it: a list of 2026-07-28 stays as it was. */
  #awaitLine(args: JsonObject, { acceptsInputRequired }: CallerContext): string | undefined {
    const mode = this.#parts.mode();
    const isOut = acceptsInputRequired && isCalledByName(mode) && !this.#lists(awaitResult.definition.name);
    return isOut ? undefined : awaitLine(mode, args);
  }
}

/** What it hands out is an answer of a server or of a program, letter by letter, and not our words about servers. */
function isQuoted({ spills, reachable }: HelperTool): boolean {
  return spills === true || reachable === true;
}
