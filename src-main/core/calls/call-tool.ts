/**
 * The pipeline that every call of a model passes.
 *
 * resolve → allow → check → admit → release → call → shape → record
 */
import type { ClientRequest } from '../activity/ledger/client-request.ts';
import type { CallOutcome, DeclaredIntent } from '../activity/call-record.ts';
import { AppError } from '../base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../base/json.ts';
import { startTrace, type CallTrace, formatTraceparent } from '../base/trace-context.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { NamedQuota, ResultSettings } from '../config/app-config.ts';
import type { Principal } from '../security/principal.ts';
import type { CallContext } from '../servers/in-flight-calls.ts';
import type { DataFlowVerdict, ReleasedCall } from '../trust/data-flow/data-flow-guard.ts';
import { resultBytes } from '../spills/spill.ts';
import type { Result } from '../wire/message.ts';
import { scalarOf } from '../wire/raw-json.ts';
import type { CallSpillLimit } from './unspilled-reason.ts';

export interface CallRequest {
  /** The tool in any spelling. */
  readonly tool: string;
  /** The server that the caller named separately. */
  readonly server?: string | undefined;
  readonly arguments: JsonObject | undefined;
  /**
   * Other members of the request's params (`_meta`, `task`, unknown ones), passed on unchanged except for the trace
   * context.
   */
  readonly rest?: JsonObject | undefined;
  /** The helper tool that the call came through. */
  readonly via?: string | undefined;
  /** Other members of the helper tool's input: treated as arguments if the tool's schema defines them. */
  readonly beside?: JsonObject | undefined;
  /** The declared effect of the call; undefined if none was declared. */
  readonly intent?: Intent | undefined;
  readonly declared?: DeclaredIntent | undefined;
  readonly errors?: CallErrorOptions | undefined;
  /** How to treat a large result; undefined: by the settings and the client app. */
  readonly spill?: SpillOptions | 'never' | undefined;
  /**
   * The caller, if it is not the model: a program, so that the model may never read the result, or the user interface of
   * a tool.
   */
  readonly source?: 'program' | 'view' | undefined;
}

/** How errors are explained to the caller. */
interface CallErrorOptions {
  /** The tool's name as the caller wrote it. */
  readonly spelling?: string;
  /** Whether the helper tool itself adds the schema to each rejected call. */
  readonly helperAddsSchema?: boolean;
  /** Whether a tool may be suggested instead of this one; undefined: all may. */
  readonly maySuggest?: (tool: CatalogEntry) => boolean;
}

export interface SpillOptions {
  /** Spill the result whatever its size. */
  readonly toFile?: boolean;
  /** Spill results whose payload is larger than this, in bytes (UTF-8); 0: never. Overrides every setting. */
  readonly threshold?: number;
}

/** Adds to the call context who is calling, for the activity log. */
export interface CallerContext extends CallContext {
  /** The owner of the results. `app` is only a name: over HTTP it is unverified. */
  readonly principal: Principal;
  readonly app: string;
  readonly mode: string;
  /** Whether the client app is shown a tool of that name; absent if unknown. */
  readonly lists?: ((tool: string) => boolean) | undefined;
  /** Absent if it is unknown which schemas the client has seen. */
  readonly shownSchemas?: ShownSchemas | undefined;
  /** The client request that the call belongs to, in the ledger. */
  readonly exchange?: Pick<ClientRequest, 'addCall' | 'id'> | undefined;
  /** Key of the data-flow memory where a session has only one request; absent: the session. */
  readonly memoryId?: string | undefined;
  /** Whether the call may run without a time limit because its client app will receive a handle. */
  readonly mayGoOn?: (() => boolean) | undefined;
  /** The user's settings for large results; absent for the defaults. */
  readonly results?: ResultSettings;
  /** Quotas that the call counts against, if any. */
  readonly quotas?: readonly NamedQuota[];
  /** Whether the client app renders user interfaces of tools. */
  readonly showsViews?: boolean;
  /** Collects the addresses of user interfaces of the tools called for this request; absent if not needed. */
  readonly openedViews?: Set<string> | undefined;
}

/** The tools whose schemas the model has read in its session. */
export interface ShownSchemas {
  has(tool: CatalogEntry): boolean;
  note(tool: CatalogEntry): void;
}

/** A reservation in all quotas that a call counts against. */
export interface Admission {
  /** Releases the reservation of a call that does not run. */
  giveBack(): void;
  /** `bytes`: size of the returned result. Resolves when it is counted; never rejects. */
  ended(bytes: number): Promise<void>;
}

/** Rejects with AppError `not_allowed` if a quota is exhausted, or with `store_unreachable`. */
export type AdmitCall = (tool: CatalogEntry, context: CallerContext) => Promise<Admission>;

/**
 * The result for the model and the limit that applied; undefined if it is an input request or a task instead of a
 * result.
 */
export interface ShapedResult {
  readonly result: Result;
  readonly limit: CallSpillLimit | undefined;
  /** Number of equal calls with equal results in a row, if the result says so. */
  readonly repeats?: number | undefined;
}

export interface CallStages {
  /**
   * Returns the id of a trace that starts with a call; undefined if traces are not collected. Otherwise each call has a
   * span, and its server receives the trace context.
   */
  readonly newTraceId?: (() => string) | undefined;
  /** Waits for the named server while it starts. Rejects with AppError if the tool cannot be called. */
  resolve(request: CallRequest, context: CallerContext): Promise<CatalogEntry> | CatalogEntry;
  /** Checks policy, quarantine and intent. Throws AppError `not_allowed`. */
  allow(tool: CatalogEntry, request: CallRequest, context: CallerContext): void;
  /** Returns the arguments for the call. Rejects with AppError `arguments_invalid`. */
  check(tool: CatalogEntry, request: CallRequest, context: CallerContext): Promise<JsonObject | undefined>;
  /** Absent if there are no quotas. Runs before any approval is requested, so that no approval is given in vain. */
  readonly admit?: AdmitCall | undefined;
  /**
   * Decides whether the arguments may be sent, and returns the arguments to send and the decision. Waits for the
   * user's approval if needed. Throws or rejects with AppError `not_allowed`.
   */
  release(
    tool: CatalogEntry,
    args: JsonObject | undefined,
    context: CallerContext,
  ): Promise<ReleasedCall> | ReleasedCall;
  /**
   * Returns the server's result. Rejects with AppError, or with the server's RpcError, with the schema if it rejected
   * the arguments.
   */
  call(tool: CatalogEntry, params: JsonObject, request: CallRequest, context: CallerContext): Promise<Result>;
  /**
   * Returns the result for the model: unchanged, as TOON, or a summary of the spilled result; with the schema if the
   * arguments were rejected. Never rejects when the disk cannot be written.
   */
  shape(
    result: Result,
    tool: CatalogEntry,
    request: CallRequest,
    context: CallerContext,
  ): Promise<ShapedResult> | ShapedResult;
  /** A promise delays the response. Rejects with AppError `store_unreachable` if the result must not be returned. */
  record(call: FinishedCall, exchange: CallerContext['exchange']): Promise<void> | void;
}

export async function callTool(request: CallRequest, context: CallerContext, steps: CallStages): Promise<Result> {
  const times = new CallTimes();
  const trace = steps.newTraceId && startTrace(objectOrEmpty(request.rest?.['_meta'])['traceparent'], steps.newTraceId);
  let tool: CatalogEntry | undefined;
  let result: Result | undefined;
  let shaped: ShapedResult | undefined;
  let verdict: DataFlowVerdict | undefined;
  let failure: unknown;
  let admission: Admission | undefined;
  let isSent = false;
  try {
    // An `await` would let the response to another call run first, so available results are used synchronously.
    const found = steps.resolve(request, context);
    tool = found instanceof Promise ? await found : found;
    times.mark('resolve');
    steps.allow(tool, request, context);
    // Arguments of a direct call are passed unchanged; arguments that came through a helper tool are validated.
    const args = request.via === undefined ? request.arguments : await steps.check(tool, request, context);
    if (context.quotas !== undefined) admission = await steps.admit?.(tool, context);
    const releasing = steps.release(tool, args, context);
    const released = releasing instanceof Promise ? await releasing : releasing;
    ({ verdict } = released);
    times.mark('allow');
    isSent = true;
    result = await steps.call(tool, callParams(tool, released.args, placed(request.rest, trace)), request, context);
    times.mark('call');
    const shaping = steps.shape(result, tool, request, context);
    shaped = shaping instanceof Promise ? await shaping : shaping;
    times.mark('shape');
    return shaped.result;
  } catch (error) {
    failure = error;
    times.fail();
    throw error;
  } finally {
    const given = shaped?.result;
    if (admission !== undefined) {
      if (isSent) await admission.ended(given === undefined ? 0 : resultBytes(given));
      else admission.giveBack();
    }
    const { limit, repeats } = shaped ?? {};
    const caller = onRecord(context);
    const recording = steps.record(
      finishCall({ request, caller, times, trace, tool, verdict, result, given, limit, repeats, failure }),
      context.exchange,
    );
    if (recording instanceof Promise) await recording;
  }
}

function callParams(tool: CatalogEntry, args: JsonObject | undefined, rest: JsonObject | undefined): JsonObject {
  return { ...rest, name: tool.name, ...(args !== undefined && { arguments: args }) };
}

/** Replaces the client app's trace context with the one of this call. */
function placed(rest: JsonObject | undefined, trace: CallTrace | undefined): JsonObject | undefined {
  if (trace?.isSampled !== true) return rest;
  return { ...rest, _meta: { ...objectOrEmpty(rest?.['_meta']), traceparent: formatTraceparent(trace) } };
}

// The stages of a call, for its record.

const callStages = ['resolve', 'allow', 'call', 'shape'] as const;

type CallStage = (typeof callStages)[number];

/**
 * The caller's fields for call records. Records are made later, so this does not retain the connection and the signal.
 */
export type RecordedCaller = Pick<CallerContext, 'principal' | 'sessionId' | 'app' | 'mode'> & {
  /** The session step that the call belongs to; undefined: none. */
  readonly step: number | undefined;
};

function onRecord({ principal, sessionId, app, mode, exchange }: CallerContext): RecordedCaller {
  return { principal, sessionId, app, mode, step: exchange?.id };
}

export interface FinishedCall {
  readonly request: CallRequest;
  readonly caller: RecordedCaller;
  readonly times: CallTimes;
  /** Undefined if traces are not collected. */
  readonly trace: CallTrace | undefined;
  readonly tool: CatalogEntry | undefined;
  /** The decision made before sending; undefined if there was none, or nothing was sent. */
  readonly verdict: DataFlowVerdict | undefined;
  /** The result from the server. */
  readonly result: Result | undefined;
  /** The result returned to the model. */
  readonly given: Result | undefined;
  /** The spill limit that applied to the result. */
  readonly limit: CallSpillLimit | undefined;
  /** Number of equal calls with equal results in a row, if the model was told. */
  readonly repeats: number | undefined;
  readonly failure: unknown;
  readonly outcome: CallOutcome;
}

function finishCall(call: Omit<FinishedCall, 'outcome'>): FinishedCall {
  return { ...call, outcome: outcomeOf(call) };
}

function outcomeOf({ given, failure }: Omit<FinishedCall, 'outcome'>): CallOutcome {
  if (given !== undefined) return scalarOf(given, 'isError') === true ? 'tool_error' : 'ok';
  return outcomeOfFailure(failure);
}

/** A call that the client or the user ended, also by stopping the server, is no problem of the server. */
export function outcomeOfFailure(failure: unknown): 'cancelled' | 'blocked' | 'failed' {
  if (!(failure instanceof AppError)) return 'failed';
  const { code, data } = failure;
  if (code === 'cancelled' || code === 'paused' || data?.['stopped'] === true) return 'cancelled';
  return code === 'not_allowed' ? 'blocked' : 'failed';
}

/** Time spent in each stage, in ms. */
class CallTimes {
  readonly startedAt = Date.now();
  readonly stages: Record<CallStage, number> = { resolve: 0, allow: 0, call: 0, shape: 0 };
  readonly #startedAt = performance.now();
  #last = this.#startedAt;
  #passed = 0;

  /** The stage that ends now. */
  mark(stage: CallStage): void {
    const now = performance.now();
    this.stages[stage] = now - this.#last;
    this.#last = now;
    this.#passed++;
  }

  /** Ends the stage in which the call failed. */
  fail(): void {
    const stage = callStages[this.#passed];
    if (stage !== undefined) this.mark(stage);
  }

  get total(): number {
    return performance.now() - this.#startedAt;
  }
}

/** Compares the declared intent of a call (read, write, destructive) with the annotations of its tool. */
export const intents = ['read', 'write', 'destructive'] as const;

/** The declared intent of a call, given by the variant of the tool that the model calls. */
export type Intent = (typeof intents)[number];

/** Returns the least intent that a call of the tool needs by its annotations; without annotations it is `read`. */
export function requiredIntent({ definition }: Pick<CatalogEntry, 'definition'>): Intent {
  const hints = objectOrEmpty(definition['annotations']);
  if (hints['destructiveHint'] === true) return 'destructive';
  return hints['readOnlyHint'] === false ? 'write' : 'read';
}

/**
 * Throws AppError not_allowed with `data` `{code: "SERVER_MISMATCH", use}` if the tool needs more than the intent:
 * `use` names the tool to call instead, or for a program the value of `allow`.
 */
export function checkIntent(
  tool: Pick<CatalogEntry, 'id' | 'definition'>,
  intent: Intent,
  inProgram: boolean = false,
): void {
  const required = requiredIntent(tool);
  if (intents.indexOf(required) <= intents.indexOf(intent)) return;
  const says = required === 'destructive' ? 'is destructive' : 'does not only read';
  const instead = inProgram ? `Run the program again with allow: "${required}"` : `Use call_tool_${required}`;
  throw new AppError(
    'not_allowed',
    `${tool.id} ${says}, according to its server, but was called to ${verbs[intent]}.`,
    {
      fix: `${instead} if you intend this.`,
      data: { code: 'SERVER_MISMATCH', use: inProgram ? required : `call_tool_${required}` },
    },
  );
}

const verbs: Readonly<Record<Intent, string>> = { read: 'read', write: 'write', destructive: 'destroy' };
