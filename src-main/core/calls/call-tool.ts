/**
 * THE pipeline: every call a model makes goes through here.
 *
 *   resolve → allow? → check → call → shape → record
 */
import type { Exchange } from '../activity/ledger/exchange.ts';
import type { JsonObject } from '../base/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { CallContext } from '../servers/call-context.ts';
import type { Result } from '../wire/message.ts';
import type { Intent } from './check-intent.ts';
import { CallTimes, type FinishedCall, finishCall } from './finished-call.ts';

export interface CallRequest {
  /** The tool in any spelling. */
  readonly tool: string;
  /** The server named beside it, if it was. */
  readonly server?: string | undefined;
  readonly arguments: JsonObject | undefined;
  /** Other members of the request's params (`_meta`, `task`, unknown ones), passed on untouched. */
  readonly rest?: JsonObject | undefined;
  /** The helper tool that the call came through. */
  readonly via?: string | undefined;
  /** What else stood in the helper's input: taken for arguments where the tool's schema has such names. */
  readonly beside?: JsonObject | undefined;
  /** What the call was declared to do; undefined: nothing was declared. */
  readonly intent?: Intent | undefined;
  /** What the model said it calls for. */
  readonly why?: string | undefined;
  /** How sensitive the model said the data is: `public`, `internal`, `private` or `unknown`. */
  readonly sensitivity?: string | undefined;
  /** What becomes of a long answer; undefined: what the settings and the client app say. */
  readonly spill?: SpillWish | 'never' | undefined;
}

export interface SpillWish {
  /** Keep it on disk whatever its size. */
  readonly toFile?: boolean;
  /** Keep it on disk from more bytes (UTF-8) of payload than this; 0: never. Goes before every setting. */
  readonly threshold?: number;
}

/** A call's context says besides whom to ask also who is calling, for the record. */
export interface CallerContext extends CallContext {
  readonly app: string;
  readonly mode: string;
  /** The request that it runs for, in the ledger. */
  readonly exchange?: Pick<Exchange, 'called'> | undefined;
}

export interface CallSteps {
  /** Waits for the server that is meant where it is on its way. Rejects with AppError: what stands in the way of a call. */
  resolve(request: CallRequest, context: CallerContext): Promise<CatalogEntry> | CatalogEntry;
  /** Throws AppError not_allowed. Policy, quarantine and intent have their place here. */
  allow(tool: CatalogEntry, request: CallRequest, context: CallerContext): void;
  /** The arguments to call with. Rejects with AppError arguments_invalid. */
  check(tool: CatalogEntry, request: CallRequest): Promise<JsonObject | undefined>;
  call(tool: CatalogEntry, params: JsonObject, context: CallerContext): Promise<Result>;
  /** What the model gets of it: as it is, as TOON, or a summary with the whole on disk. Never rejects for want of a disk. */
  shape(result: Result, tool: CatalogEntry, request: CallRequest, context: CallerContext): Promise<Result> | Result;
  record(call: FinishedCall): void;
}

export async function callTool(request: CallRequest, context: CallerContext, steps: CallSteps): Promise<Result> {
  const times = new CallTimes();
  let tool: CatalogEntry | undefined;
  let result: Result | undefined;
  let given: Result | undefined;
  let failure: unknown;
  try {
    tool = await steps.resolve(request, context);
    times.mark('resolve');
    steps.allow(tool, request, context);
    // What a client app calls by name goes out as it came; what a model writes into a helper tool is checked.
    const args = request.via === undefined ? request.arguments : await steps.check(tool, request);
    times.mark('allow');
    result = await steps.call(tool, callParams(tool, args, request.rest), context);
    times.mark('call');
    given = await steps.shape(result, tool, request, context);
    times.mark('shape');
    return given;
  } catch (error) {
    failure = error;
    times.fail();
    throw error;
  } finally {
    steps.record(finishCall({ request, context, times, tool, result, given, failure }));
  }
}

function callParams(tool: CatalogEntry, args: JsonObject | undefined, rest: JsonObject | undefined): JsonObject {
  return { ...rest, name: tool.name, ...(args !== undefined && { arguments: args }) };
}
