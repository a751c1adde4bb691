/** What there is to tell of a call when it is over. */
import { AppError } from '../base/errors.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Result } from '../wire/message.ts';
import { fact } from '../wire/raw-json.ts';
import type { CallerContext, CallRequest } from './call-tool.ts';

const callStages = ['resolve', 'allow', 'call', 'shape'] as const;

export type CallStage = (typeof callStages)[number];
export type CallOutcome = 'ok' | 'tool_error' | 'failed' | 'cancelled' | 'blocked';

export interface FinishedCall {
  readonly request: CallRequest;
  readonly context: CallerContext;
  readonly times: CallTimes;
  readonly tool: CatalogEntry | undefined;
  /** What the server answered. */
  readonly result: Result | undefined;
  /** What the model was given. */
  readonly given: Result | undefined;
  readonly failure: unknown;
  readonly outcome: CallOutcome;
}

export function finishCall(call: Omit<FinishedCall, 'outcome'>): FinishedCall {
  return { ...call, outcome: outcomeOf(call) };
}

function outcomeOf({ given, failure }: Omit<FinishedCall, 'outcome'>): CallOutcome {
  if (given !== undefined) return fact(given, 'isError') === true ? 'tool_error' : 'ok';
  if (!(failure instanceof AppError)) return 'failed';
  if (failure.code === 'cancelled') return 'cancelled';
  return failure.code === 'not_allowed' ? 'blocked' : 'failed';
}

/** Time spent in each stage, in ms. */
export class CallTimes {
  readonly startedAt = Date.now();
  readonly stages: Record<CallStage, number> = { resolve: 0, allow: 0, call: 0, shape: 0 };
  readonly #begun = performance.now();
  #last = this.#begun;
  #passed = 0;

  /** The stage that ends now. */
  mark(stage: CallStage): void {
    const now = performance.now();
    this.stages[stage] = now - this.#last;
    this.#last = now;
    this.#passed++;
  }

  /** The call failed: the stage it was in ends now. */
  fail(): void {
    const stage = callStages[this.#passed];
    if (stage !== undefined) this.mark(stage);
  }

  get total(): number {
    return performance.now() - this.#begun;
  }
}
