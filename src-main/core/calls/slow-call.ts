/** One call that may outlive its request, with its own abort signal, its waiters, and its result. */
import type { JsonObject } from '../base/json.ts';
import { cancelledError } from '../wire/peer.ts';
import { type Result, rpcCode, RpcError } from '../wire/message.ts';
import { awaitReply } from '../wire/abortable-reply.ts';
import { scalarOf } from '../wire/raw-json.ts';
import type { CallerContext } from './call-tool.ts';
import { errorResult } from './error-result.ts';

/** `again`: parameters of a further attempt (2026-07-28: `inputResponses`, `requestState`); empty for the first one. */
export type StartCall = (context: CallerContext, again: JsonObject) => Promise<Result>;

export class SlowCall {
  readonly context: CallerContext;
  readonly startedAt = Date.now();
  readonly waiters = new SlowCallWaiters();
  readonly #tool: () => string;
  readonly #start: StartCall;
  readonly #controller = new AbortController();
  readonly #startedAt = performance.now();
  #answer: Promise<Result> = Promise.resolve({});
  #result: Result | undefined;
  #failure: RpcError | undefined;

  /** `tool`: the tool's name as the model knows it. `mayGoOn`: whether the call may outlive its request. */
  constructor(tool: () => string, context: CallerContext, mayGoOn: () => boolean, start: StartCall) {
    this.#tool = tool;
    this.#start = start;
    const { hearProgress, hearLog, ask } = this.waiters;
    this.context = {
      ...context,
      mayGoOn,
      signal: this.#controller.signal,
      // Progress is requested from the server only if the client app requested it.
      onProgress: context.onProgress && hearProgress,
      onLog: hearLog,
      // Its open questions need no answer once the call is cancelled.
      askClient: (method, input, cancelled) =>
        ask(method, input, AbortSignal.any([cancelled, this.#controller.signal])),
    };
    this.start({});
  }

  get tool(): string {
    return this.#tool();
  }

  /** The result when it arrives. Rejects as the call does. */
  get outcome(): Promise<Result> {
    return this.#answer;
  }

  /** The result, also of a failure; undefined while the call is running. */
  get result(): Result | undefined {
    return this.#result;
  }

  /** The protocol error that ended the call. */
  get failure(): RpcError | undefined {
    return this.#failure;
  }

  /** Replaces the result, so that the first one can be freed. */
  set result(result: Result) {
    this.#result = result;
    this.#answer = Promise.resolve(result);
  }

  /**
   * Whether the server requires input before it continues (2026-07-28): the waiters are asked, and the next attempt
   * continues.
   */
  get needsInput(): boolean {
    return this.#result !== undefined && scalarOf(this.#result, 'resultType') === 'input_required';
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  start(again: JsonObject): void {
    this.#result = undefined;
    this.#failure = undefined;
    this.waiters.begin();
    this.#answer = this.#start(this.context, again);
    this.#answer.then(
      (result) => this.#end(result),
      (error: unknown) => {
        this.#failure = error instanceof RpcError ? error : undefined;
        this.#end(errorResult(error));
      },
    );
  }

  cancel(reason: unknown): void {
    this.#controller.abort(reason);
  }

  #end(result: Result): void {
    this.#result = result;
    this.waiters.end();
  }
}

// The waiters of a call: first its own request, later any number of `await_result`. The server's notifications go to
// all of them, its requests to the latest; a request without a waiter is kept for the next one.

/** How long a server-initiated request waits for a client that can answer it, in ms. */
const clientRequestTimeoutMs = 5 * 60_000;

/** One waiter. A class, because every call creates one and few calls are slow. */
class Waiter {
  readonly context: CallerContext;
  /** Resolves with whether the call ended in time. Rejects with AppError cancelled if the wait is cancelled. */
  readonly left: Promise<boolean>;
  readonly #all: Set<Waiter>;
  readonly #ms: number | undefined;
  #resolve!: (isOver: boolean) => void;
  #reject!: (why: Error) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `ms`: how long it waits; undefined: until the call ends. */
  constructor(context: CallerContext, ms: number | undefined, all: Set<Waiter>) {
    this.context = context;
    this.#ms = ms;
    this.#all = all;
    this.left = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    context.signal.addEventListener('abort', this.#giveUp);
    all.add(this);
    this.#begin();
  }

  /** Its timeout pauses while the client app answers a question, and restarts afterwards. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.pause();
    this.#begin();
  }

  leave(isOver: boolean): void {
    this.#end();
    this.#resolve(isOver);
  }

  /** Handles the abort of its signal. */
  readonly #giveUp = (): void => {
    this.#end();
    this.#reject(cancelledError(this.context.signal));
  };

  #begin(): void {
    if (this.#ms !== undefined) this.#timer = setTimeout(leaveLate, this.#ms, this).unref();
  }

  #end(): void {
    this.#all.delete(this);
    clearTimeout(this.#timer);
    this.context.signal.removeEventListener('abort', this.#giveUp);
  }
}

function leaveLate(waiter: Waiter): void {
  waiter.leave(false);
}

class SlowCallWaiters {
  readonly #waiting = new Set<Waiter>();
  readonly #questions = new Set<(waiter: Waiter) => void>();
  #keeper: CallerContext['askClient'] | undefined;
  #isOver = false;
  #wasWaited = false;
  #progress: JsonObject | undefined;

  get isWaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether a client was waiting when the call ended. */
  get wasWaited(): boolean {
    return this.#wasWaited;
  }

  /** The last reported progress. */
  get progress(): JsonObject | undefined {
    return this.#progress;
  }

  /** Resolves with whether the call ended within `ms`. Rejects with AppError cancelled if the wait is cancelled. */
  wait(context: CallerContext, ms?: number): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(true);
    if (context.signal.aborted) return Promise.reject(cancelledError(context.signal));
    const waiter = new Waiter(context, ms, this.#waiting);
    for (const put of [...this.#questions]) put(waiter);
    return waiter.left;
  }

  /** From now on, `keeper` receives the requests that arrive while nobody waits. */
  keepQuestions(keeper: CallerContext['askClient']): void {
    this.#keeper = keeper;
  }

  begin(): void {
    this.#isOver = false;
  }

  end(): void {
    this.#isOver = true;
    this.#wasWaited = this.#waiting.size > 0;
    for (const waiter of [...this.#waiting]) waiter.leave(true);
  }

  readonly hearProgress = (params: JsonObject): void => {
    this.#progress = params;
    for (const { context } of this.#waiting) context.onProgress?.(params);
  };

  readonly hearLog = (params: JsonObject): void => {
    for (const { context } of this.#waiting) context.onLog(params);
  };

  readonly ask = (method: string, params: JsonObject, signal: AbortSignal): Promise<Result> => {
    const latest = [...this.#waiting].at(-1);
    if (latest !== undefined) return askThrough(latest, method, params, signal);
    if (this.#keeper !== undefined) return this.#keeper(method, params, signal);
    return awaitReply(signal, ({ answer, refuse }) => {
      const timer = setTimeout(() => refuse(unasked(method)), clientRequestTimeoutMs).unref();
      const put = (waiter: Waiter): void => answer(askThrough(waiter, method, params, signal));
      this.#questions.add(put);
      return () => {
        this.#questions.delete(put);
        clearTimeout(timer);
      };
    });
  };
}

async function askThrough(waiter: Waiter, method: string, params: JsonObject, signal: AbortSignal): Promise<Result> {
  // The server may have cancelled its request meanwhile.
  if (signal.aborted) throw cancelledError(signal);
  const { context } = waiter;
  // In 2026-07-28 a server-initiated request ends the request that it is returned on; the reply arrives with another
  // request, whose time limit starts then.
  if (!context.acceptsInputRequired) return context.askClient(method, params, signal);
  waiter.pause();
  try {
    return await context.askClient(method, params, signal);
  } finally {
    waiter.resume();
  }
}

function unasked(method: string): RpcError {
  return new RpcError(
    rpcCode.aborted,
    `${method} was not forwarded: the client has not polled the call for 5 minutes.`,
  );
}
