/** One call that may outlive the request it came in: its own signal, its own way to whoever waits, and what came of it. */
import type { JsonObject } from '../base/json.ts';
import type { Deadlines } from '../wire/deadlines.ts';
import type { Result } from '../wire/message.ts';
import { fact } from '../wire/raw-json.ts';
import type { CallerContext } from './call-tool.ts';
import { errorResult } from './error-result.ts';
import { SlowCallWaiters } from './slow-call-waiters.ts';

/** `again`: what a further try carries (2026-07-28: `inputResponses`, `requestState`); empty at first. */
export type StartCall = (context: CallerContext, again: JsonObject) => Promise<Result>;

export class SlowCall {
  readonly context: CallerContext;
  readonly startedAt = Date.now();
  readonly waiters: SlowCallWaiters;
  readonly #tool: () => string;
  readonly #start: StartCall;
  readonly #controller = new AbortController();
  readonly #begun = performance.now();
  #answer: Promise<Result> = Promise.resolve({});
  #result: Result | undefined;

  /** `tool`: what was called, as the model knows it. */
  constructor(tool: () => string, context: CallerContext, start: StartCall, deadlines: Deadlines) {
    this.#tool = tool;
    this.#start = start;
    this.waiters = new SlowCallWaiters(deadlines);
    const { hearProgress, hearLog, ask } = this.waiters;
    this.context = {
      ...context,
      signal: this.#controller.signal,
      // A server is not bothered for progress that the client app did not ask for.
      onProgress: context.onProgress && hearProgress,
      onLog: hearLog,
      askClient: ask,
    };
    this.begin({});
  }

  get tool(): string {
    return this.#tool();
  }

  /** The answer as it comes. Rejects as the call does. */
  get answer(): Promise<Result> {
    return this.#answer;
  }

  /** What came of it, failures too; undefined while it is running. */
  get result(): Result | undefined {
    return this.#result;
  }

  /** Something else stands for it; nothing holds the first one any longer. */
  set result(result: Result) {
    this.#result = result;
    this.#answer = Promise.resolve(result);
  }

  /** The server wants input before it goes on (2026-07-28): whoever waits is asked, and the next try goes on. */
  get wantsInput(): boolean {
    return this.#result !== undefined && fact(this.#result, 'resultType') === 'input_required';
  }

  get elapsedMs(): number {
    return performance.now() - this.#begun;
  }

  begin(again: JsonObject): void {
    this.#result = undefined;
    this.waiters.begin();
    this.#answer = this.#start(this.context, again);
    this.#answer.then(
      (result) => this.#end(result),
      (error: unknown) => this.#end(errorResult(error)),
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
