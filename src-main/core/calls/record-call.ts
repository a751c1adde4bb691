/** Turns a finished call into its activity record. Sizes are measured after the response was sent. */
import type { ChangeAuthor } from '../admin/server-change.ts';
import type { ActivityLog } from '../activity/activity-log.ts';
import type { CallTexts } from '../activity/activity-messages.ts';
import { argumentPreview } from '../activity/argument-preview.ts';
import type { CallRecord } from '../activity/call-record.ts';
import type { StepLog } from '../activity/steps/step-log.ts';
import { errorText } from '../base/errors.ts';
import { payloadBytes } from '../spills/payload.ts';
import { parseSpillInfo, type SpillInfo } from '../spills/spill.ts';
import { recordedUser } from '../security/principal.ts';
import type { ScanThread } from '../trust/scan/scan-thread.ts';
import type { Result } from '../wire/message.ts';
import { RawJson } from '../wire/raw-json.ts';
import type { CallerContext, FinishedCall } from './call-tool.ts';
import { type CallAuditor, errorCodeOf } from './audit-call.ts';
import { resultOfFailure } from './error-result.ts';
import { labelResult } from './label-result.ts';
import { unspilledReason } from './unspilled-reason.ts';

/** Destinations of call records, and the scanner of their results. */
export interface CallRecorders {
  readonly activity: Pick<ActivityLog, 'defer' | 'record' | 'share' | 'shareText'>;
  readonly timeline: Pick<StepLog, 'alone'>;
  readonly scans: Pick<ScanThread, 'result'>;
  /** The audit log. */
  readonly notes: Pick<CallAuditor, 'record' | 'stored' | 'writable'>;
}

/** Returns at once: the record is created once the response has gone out. */
export function recordCall(recorders: CallRecorders, call: FinishedCall): void {
  const durationMs = call.times.total;
  recorders.activity.defer(() => void writeRecord(recorders, call, durationMs));
}

/** Creates the record now. Resolves when the audit log has it. Rejects with AppError `store_unreachable`. */
export async function recordCallNow(recorders: CallRecorders, call: FinishedCall): Promise<void> {
  await writeRecord(recorders, call, call.times.total);
  await recorders.notes.stored();
}

/** Resolves when the audit log has received the call. */
function writeRecord(
  { activity, timeline, scans, notes }: CallRecorders,
  call: FinishedCall,
  durationMs: number,
): Promise<void> {
  const args = JSON.stringify(call.request.arguments ?? {});
  const answer = call.given ?? resultOfFailure(call.failure, call.request.via !== undefined);
  const given = answer && measured(answer);
  const result = call.result === call.given ? call.result && given : call.result && measured(call.result);
  const shared = activity.shareText(args);
  const facts = toRecord(call, { durationMs, argumentBytes: shared.bytes, result, given });
  const labels = call.result && labelResult(call.result, scans);
  const spilled = spillOf(call);
  const texts: CallTexts = {
    arguments: shared,
    // A spilled result is stored and counted already.
    result: spilled === undefined ? activity.share(call.result, result?.text) : undefined,
    given: activity.share(answer, given?.text),
    spilled: spilled && { tokens: spilled.resultTokens, estimated: spilled.tokensEstimated },
  };
  const step = call.caller.step ?? timeline.alone(facts, 'call', texts.given);
  activity.record({ ...facts, step }, texts, labels);
  return notes.record(call, durationMs, { arguments: args, result: result?.text, labels });
}

/** Records a change that was requested or decided as a call of Tooltray itself, with its outcome as text. */
export function recordAdminEvent(
  { activity: log, timeline }: Pick<CallRecorders, 'activity' | 'timeline'>,
  { author, what, failure }: { readonly author: ChangeAuthor; readonly what: string; readonly failure: unknown },
): void {
  const { app, sessionId, tool, mode = 'direct' } = author;
  const change: CallRecord = {
    startedAt: Date.now(),
    app,
    sessionId,
    mode,
    server: ownServer,
    tool,
    declared: { reason: what },
    durationMs: 0,
    stages: { resolve: 0, allow: 0, call: 0, shape: 0 },
    bytes: { request: 0, serverResult: 0, modelResult: 0 },
    outcome: failure === undefined ? 'ok' : 'blocked',
    error: failure === undefined ? undefined : { code: errorCodeOf(failure), text: errorText(failure) },
  };
  log.record({ ...change, step: timeline.alone(change, 'change') });
}

/** The server name for calls that Tooltray handles itself. */
const ownServer = 'tooltray';

interface MeasuredResult {
  /** Size of the content, duplicates counted once (`payloadBytes`); for a result held as bytes, all of them until it is measured. */
  readonly bytes: number;
  /** The JSON text; undefined for a result held as bytes. */
  readonly text?: string;
}

function measured(result: Result): MeasuredResult {
  if (result instanceof RawJson) return { bytes: result.byteLength };
  return { bytes: payloadBytes(result), text: JSON.stringify(result) };
}

function spillOf({ given }: FinishedCall): SpillInfo | undefined {
  return given === undefined || given instanceof RawJson ? undefined : parseSpillInfo(given);
}

interface Measured {
  readonly durationMs: number;
  readonly argumentBytes: number;
  readonly result: MeasuredResult | undefined;
  readonly given: MeasuredResult | undefined;
}

function toRecord(call: FinishedCall, { durationMs, argumentBytes, result, given }: Measured): CallRecord {
  const { request, caller, times, tool, outcome, failure } = call;
  return {
    startedAt: times.startedAt,
    sessionId: caller.sessionId,
    user: recordedUser(caller.principal),
    app: caller.app,
    mode: caller.mode,
    server: tool?.server ?? request.server ?? '',
    tool: tool?.name ?? request.tool,
    via: request.via ?? (request.source === 'view' ? 'view' : undefined),
    declared: request.declared,
    preview: argumentPreview(request.arguments, tool?.definition['inputSchema']),
    spillId: spillOf(call)?.parts[0]?.id,
    durationMs,
    stages: times.stages,
    bytes: {
      request: argumentBytes,
      serverResult: spillOf(call)?.resultBytes ?? result?.bytes ?? 0,
      modelResult: given?.bytes ?? 0,
    },
    unspilled: call.given && call.limit && unspilledReason(call.given, given?.bytes ?? 0, call.limit),
    repeats: call.repeats,
    outcome,
    error: failure === undefined ? undefined : { code: errorCodeOf(failure), text: errorText(failure) },
    trace: call.trace,
  };
}

// Reports a finished call to the ledger, under the client request that it belongs to.

/** A call from the command line belongs to no client request, so the ledger ignores it. */
export function reportToLedger(
  { request, tool, result, given, outcome }: FinishedCall,
  exchange: CallerContext['exchange'],
): void {
  exchange?.addCall({
    server: tool?.server ?? request.server ?? '',
    tool: tool?.name ?? request.tool,
    via: request.via,
    result,
    given,
    outcome,
  });
}
