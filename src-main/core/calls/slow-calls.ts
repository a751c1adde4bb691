/**
 * Calls that take longer than their client app waits. The app receives a handle in time, the call continues, and its
 * result is fetched with the handle. One instance per view: a handle is unknown to other sessions, and to other apps
 * on the same connection.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, toPlainNumber } from '../base/json.ts';
import { formatBytes } from '../base/text-format.ts';
import { canAccess } from '../security/principal.ts';
import { resultBytes } from '../spills/spill.ts';
import type { Result } from '../wire/message.ts';
import { CallTask, supportsTasks } from './call-task.ts';
import type { CallerContext } from './call-tool.ts';
import { errorResult } from './error-result.ts';
import { nameKeys } from './read-arguments.ts';
import { SlowCall, type StartCall } from './slow-call.ts';

export interface SlowCallsOptions {
  /** Returns how long this client app may wait for a response, in ms; undefined for no limit. */
  readonly limitMs: (app: string) => number | undefined;
  readonly quota: ResultMemoryQuota;
  /**
   * How a caller waits for the result, as a model writes it; undefined if the client app could not wait, so that it
   * gets no handle.
   */
  readonly awaitLine: (args: JsonObject, context: CallerContext) => string | undefined;
  /**
   * Spills a result that exceeds the memory quota and returns its replacement. Rejects if the disk fails; then the
   * result is lost and the model is told.
   */
  readonly putAside: (result: Result, tool: string, context: CallerContext) => Promise<Result>;
}

/** The parameters of a request for a further attempt of the call (2026-07-28). */
export function retryParams({ inputResponses, requestState }: JsonObject): JsonObject {
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

export interface AwaitRequest {
  readonly handle: string;
  /** Maximum wait; never longer than the client app's own limit. In ms. */
  readonly waitMs: number | undefined;
  readonly cancel: boolean;
}

const maxCalls = 32;
const handleBytes = 16;
const minutes = 60_000;
/** How long an unfetched result is retained, in ms. */
const unfetchedRetentionMs = 30 * minutes;
/** How long a fetched result is retained, because an app that lost it may ask again. In ms. */
const fetchedRetentionMs = 5 * minutes;
/** How long a call runs on while nobody waits for it, in ms. */
const abandonedTimeoutMs = 60 * minutes;
/** A wait through a helper tool is itself a call with a limit, so it must end earlier. */
const waitShare = 0.9;

interface HandedOut {
  readonly handle: string;
  readonly call: SlowCall;
  /** Expires the call; undefined while a client waits for it. */
  timer: NodeJS.Timeout | undefined;
  fetched: boolean;
  /** Reserved bytes of the quota. */
  bytes: number;
  /** Resolves when the result was fetched or has been discarded. */
  readonly isOver: PromiseWithResolvers<void>;
  /** The task that represents the call, if the client app received one instead of a handle. */
  readonly task: CallTask | undefined;
}

/** Maximum number of cancelled tasks that are remembered. */
const maxCancelled = 100;

export class SlowCalls {
  readonly #options: SlowCallsOptions;
  readonly #calls = new Map<string, HandedOut>();
  /** Signals of requests that wait for a call by its handle. A helper tool's context is a copy with the same signal. */
  readonly #waiting = new Set<AbortSignal>();
  readonly #cancelledTasks = new Map<string, CallTask>();
  #used = false;

  constructor(options: SlowCallsOptions) {
    this.#options = options;
  }

  /** Whether a handle has been given out. */
  get hasHandles(): boolean {
    return this.#used;
  }

  /** Runs a call. Resolves with its result, or in time with a handle; rejects as the call does. */
  async run(tool: () => string, context: CallerContext, start: StartCall): Promise<Result> {
    const limitMs = this.#options.limitMs(context.app);
    if (limitMs === undefined) return await start(context, {});
    const mayGoOn = (): boolean =>
      supportsTasks(context) || this.#options.awaitLine({ handle: '' }, context) !== undefined;
    const call = new SlowCall(tool, context, mayGoOn, start);
    try {
      if (!(await call.waiters.wait(context, limitMs)) && !(await this.#endsWithWait(call, context, limitMs))) {
        const given = this.#handOut(call, context);
        if (given !== undefined) return given;
        await call.waiters.wait(context);
      }
    } catch (error) {
      call.cancel(context.signal.reason);
      throw error;
    }
    return await call.outcome;
  }

  /** Waits for a call, or ends it. Rejects with AppError `not_found`, or cancelled if only the wait is cancelled. */
  async waitFor({ handle, waitMs, cancel }: AwaitRequest, again: JsonObject, context: CallerContext): Promise<Result> {
    const handed = this.#handed(handle, context);
    if (handed === undefined) throw unknownHandle(handle);
    const { call } = handed;
    if (cancel && call.result === undefined) return this.#cancel(handed);
    if (call.needsInput && Object.keys(again).length > 0) this.#goOn(handed, again);
    const limitMs = this.#options.limitMs(context.app);
    const most = limitMs === undefined ? waitMs : Math.min(waitMs ?? Infinity, limitMs * waitShare);
    this.#forgetIn(handed, undefined);
    this.#waiting.add(context.signal);
    try {
      if (!(await call.waiters.wait(context, most))) return this.#pending(handed, context);
    } finally {
      this.#waiting.delete(context.signal);
      if (call.result === undefined) this.#forgetIn(handed, abandonedTimeoutMs);
    }
    // The result may be discarded at any time, so it is taken first.
    const result = call.result ?? (await call.outcome);
    if (!call.needsInput) {
      handed.fetched = true;
      handed.isOver.resolve();
    }
    this.#forgetIn(handed, call.needsInput ? unfetchedRetentionMs : fetchedRetentionMs);
    return result;
  }

  /** Handles `tasks/get`, `tasks/update` and `tasks/cancel` for calls of this view; undefined for other tasks. */
  async task(method: string, params: JsonObject, context: CallerContext): Promise<JsonObject | undefined> {
    const id = String(params['taskId']);
    const handed = this.#handed(id, context);
    const task = handed?.task ?? this.#cancelledTask(id, context);
    if (task === undefined || !supportsTasks(context)) return undefined;
    if (method === 'tasks/get') {
      const state = task.toStatus();
      if (handed !== undefined)
        this.#forgetIn(handed, handed.call.result === undefined ? abandonedTimeoutMs : unfetchedRetentionMs);
      if (handed?.call.result !== undefined && !handed.call.needsInput) handed.isOver.resolve();
      return state;
    }
    if (method === 'tasks/update') {
      const again = task.answer(objectOrEmpty(params['inputResponses']));
      if (again !== undefined && handed !== undefined) {
        this.#goOn(handed, again);
        task.notifyListeners();
      }
      return {};
    }
    if (method !== 'tasks/cancel') return undefined;
    if (handed !== undefined && handed.call.result === undefined) this.#cancelTask(id, handed, task);
    return {};
  }

  /** The caller's task with this id, to subscribe to; undefined if there is none. */
  findTask(id: string, context: CallerContext): Pick<CallTask, 'subscribe'> | undefined {
    return this.#handed(id, context)?.task ?? this.#cancelledTask(id, context);
  }

  #handed(handle: string, { principal }: CallerContext): HandedOut | undefined {
    const handed = this.#calls.get(handle);
    return handed !== undefined && canAccess(principal, handed.call.context.principal.owner) ? handed : undefined;
  }

  #cancelledTask(id: string, { principal }: CallerContext): CallTask | undefined {
    const task = this.#cancelledTasks.get(id);
    return task !== undefined && canAccess(principal, task.owner) ? task : undefined;
  }

  #cancelTask(id: string, handed: HandedOut, task: CallTask): void {
    task.cancelled();
    this.#cancelledTasks.set(id, task);
    const [oldest] = this.#cancelledTasks.keys();
    if (this.#cancelledTasks.size > maxCancelled && oldest !== undefined) this.#cancelledTasks.delete(oldest);
    this.#forget(handed, 'cancelled as a task');
  }

  /** A call that only waits for another one observes the limit by itself and needs no handle. */
  async #endsWithWait(call: SlowCall, context: CallerContext, limitMs: number): Promise<boolean> {
    return this.#waiting.has(call.context.signal) && (await call.waiters.wait(context, limitMs));
  }

  /** Ends with the session: running calls are cancelled, and unfetched results are discarded. */
  end(): void {
    for (const handed of [...this.#calls.values()]) this.#forget(handed, 'the session ended');
  }

  /** Undefined if the client app cannot use a handle, or if there are too many; the call is then waited for. */
  #handOut(call: SlowCall, context: CallerContext): Result | undefined {
    // Unguessable, because a token alone may identify the caller.
    const handle = randomBytes(handleBytes).toString('base64url');
    const task = supportsTasks(context) ? new CallTask(handle, call, unfetchedRetentionMs) : undefined;
    const line = this.#options.awaitLine({ handle }, context);
    if ((task === undefined && line === undefined) || !this.#hasPlace()) return undefined;
    const isOver = Promise.withResolvers<void>();
    const handed: HandedOut = { handle, call, timer: undefined, fetched: false, bytes: 0, isOver, task };
    this.#calls.set(handle, handed);
    this.#forgetIn(handed, abandonedTimeoutMs);
    this.#follow(handed);
    context.holdSession?.(call.outcome);
    context.awaited?.(isOver.promise);
    if (task !== undefined) return task.toCreateResult();
    if (!this.#used) {
      this.#used = true;
      context.onToolsChanged?.();
    }
    return pendingResult(handle, call, line ?? '');
  }

  #hasPlace(): boolean {
    if (this.#calls.size < maxCalls) return true;
    const oldest = [...this.#calls.values()].find(({ fetched }) => fetched);
    if (oldest !== undefined) this.#forget(oldest, 'fetched');
    return oldest !== undefined;
  }

  #pending({ handle, call }: HandedOut, context: CallerContext): Result {
    return pendingResult(handle, call, this.#options.awaitLine({ handle }, context) ?? '');
  }

  #goOn(handed: HandedOut, again: JsonObject): void {
    this.#giveBack(handed);
    handed.call.start(again);
    this.#follow(handed);
  }

  #cancel(handed: HandedOut): Result {
    this.#forget(handed, 'cancelled by its handle');
    return cancelledResult(handed.call);
  }

  /** Handles the result when it arrives. */
  #follow(handed: HandedOut): void {
    const over = (): void => void this.#ended(handed);
    handed.call.outcome.then(over, over);
  }

  async #ended(handed: HandedOut): Promise<void> {
    const { handle, call, task } = handed;
    if (this.#calls.get(handle) !== handed || call.result === undefined) return;
    const bytes = resultBytes(call.result);
    this.#forgetIn(handed, unfetchedRetentionMs);
    // An input request is kept even beyond the quota, because the call could not continue without it.
    if (this.#options.quota.reserve(bytes)) handed.bytes = bytes;
    else if (!call.needsInput) {
      // A waiter already has the result, and nobody can fetch it again.
      if (call.waiters.wasWaited) return this.#forget(handed, 'fetched');
      call.result = await this.#aside(call, call.result, bytes);
    }
    task?.notifyListeners();
    if (task?.hasListeners === true && !call.needsInput) handed.isOver.resolve();
  }

  #aside(call: SlowCall, result: Result, bytes: number): Promise<Result> {
    return this.#options.putAside(result, call.tool, call.context).catch(() => lostResult(call, bytes));
  }

  #forgetIn(handed: HandedOut, ms: number | undefined): void {
    clearTimeout(handed.timer);
    handed.timer = undefined;
    if (ms === undefined || this.#calls.get(handed.handle) !== handed) return;
    handed.timer = setTimeout(() => {
      if (handed.call.waiters.isWaited || handed.task?.hasListeners === true) this.#forgetIn(handed, ms);
      else this.#forget(handed, 'not polled for an hour');
    }, ms).unref();
  }

  #forget(handed: HandedOut, reason: string): void {
    this.#calls.delete(handed.handle);
    handed.isOver.resolve();
    this.#forgetIn(handed, undefined);
    this.#giveBack(handed);
    handed.call.cancel(reason);
  }

  #giveBack(handed: HandedOut): void {
    this.#options.quota.release(handed.bytes);
    handed.bytes = 0;
  }
}

// The text for a model whose call continues without it: nothing is lost, and how to fetch the result.

const pendingKey = 'tooltray/pending';

/** Longest progress message that is repeated, in characters. */
const maxMessageLength = 200;

/** The tool that the model called; through a helper tool, the tool named in its arguments. */
export function calledTool({ name, arguments: args }: JsonObject, isHelper: boolean): string {
  const named = isHelper && isObject(args) ? nameKeys.map((key) => args[key]) : [];
  return String(named.find((one) => typeof one === 'string' && one !== '') ?? name);
}

/** The result while the call is still running; not an error. `line` says how to wait for it. */
function pendingResult(handle: string, call: SlowCall, line: string): JsonObject {
  const since = new Date(call.startedAt).toISOString();
  const seconds = Math.round(call.elapsedMs / 1000);
  const progress = progressText(call.waiters.progress);
  const text = [
    `${call.tool} is still running since ${since} (${seconds} s)${progress === undefined ? '' : `: ${progress}`}.`,
    `Do not call it again. To wait for its result: ${line}`,
  ].join(' ');
  return {
    content: [{ type: 'text', text }],
    _meta: {
      [pendingKey]: { handle, tool: call.tool, since, seconds, ...(progress !== undefined && { progress }) },
    },
  };
}

function cancelledResult({ tool }: SlowCall): JsonObject {
  const text = `${tool} was cancelled. It may have taken partial effect.`;
  return { content: [{ type: 'text', text }] };
}

/** Replaces a result that no request waited for and that does not fit in memory. */
function lostResult({ tool }: SlowCall, bytes: number): JsonObject {
  const failure = new AppError(
    'message_too_large',
    `${tool} finished, but its result of ${formatBytes(bytes)} could not be stored.`,
    {
      fix: 'Request less, or ask the user to enable spilling ("results" in the config).',
    },
  );
  return errorResult(failure);
}

function unknownHandle(handle: string): AppError {
  return new AppError('not_found', `Unknown handle ${JSON.stringify(handle.slice(0, 80))}.`, {
    fix: 'Results expire after 30 minutes, or 5 minutes after they are fetched. Call the tool again only if it may run twice.',
  });
}

function progressText(params: JsonObject | undefined): string | undefined {
  if (params === undefined) return undefined;
  const { message } = params;
  const [progress, total] = [toPlainNumber(params['progress']), toPlainNumber(params['total'])];
  const share =
    typeof progress !== 'number' ? [] : [typeof total === 'number' ? `${progress} of ${total}` : `${progress}`];
  const words = typeof message === 'string' && message !== '' ? [message.slice(0, maxMessageLength)] : [];
  return [...share, ...words].join(', ') || undefined;
}

// Memory for results that wait to be fetched, shared by all sessions.

const maxResultBytes = 64 * 1024 * 1024;

export class ResultMemoryQuota {
  readonly #most: number;
  #taken = 0;

  constructor(most = maxResultBytes) {
    this.#most = most;
  }

  /** Returns whether there was room. The caller must release what it reserved. */
  reserve(bytes: number): boolean {
    if (this.#taken + bytes > this.#most) return false;
    this.#taken += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#taken -= bytes;
  }
}
