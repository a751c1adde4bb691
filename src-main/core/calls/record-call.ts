/** Turns a finished call into its activity record; sizes are measured behind the answer's back, not on its way. */
import type { ChangeAuthor } from '../admin/server-change.ts';
import type { ActivityLog } from '../activity/activity-log.ts';
import { argumentPreview } from '../activity/argument-preview.ts';
import type { CallRecord, CountedText, CountedTexts } from '../activity/call-record.ts';
import type { StepLog } from '../activity/steps/step-log.ts';
import type { PayloadStore, PayloadText } from '../activity/call-payloads.ts';
import { withoutDuplicate } from '../activity/ledger/ingested-tokens.ts';
import { errorText } from '../base/errors.ts';
import { isObject, type JsonObject, textOrEmpty } from '../base/json.ts';
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
  readonly activity: ActivityLog;
  readonly texts: PayloadStore;
  readonly timeline: Pick<StepLog, 'alone'>;
  readonly scans: Pick<ScanThread, 'result'>;
  /** For the audit. */
  readonly notes: Pick<CallAuditor, 'record'>;
}

/** Returns at once: most of the work is deferred until the log writes its next batch. */
export function recordCall({ activity: log, texts, timeline, scans, notes }: CallRecorders, call: FinishedCall): void {
  const durationMs = call.times.total;
  const make = (): void => {
    const args = JSON.stringify(call.request.arguments ?? {});
    const answer = call.given ?? resultOfFailure(call.failure, call.request.via !== undefined);
    const given = answer && textOf(answer);
    const result = call.result === call.given ? call.result && given : call.result && textOf(call.result);
    const argumentBytes = Buffer.byteLength(args);
    const facts = toRecord(call, { durationMs, argumentBytes, result, given });
    const asked = { text: args, bytes: argumentBytes };
    // A kept answer lies on disk already, whole.
    const sent = facts.spillId === undefined ? (result?.said ?? 'nothing') : 'kept-answer';
    const told = result !== undefined && result === given ? 'same' : (given?.said ?? 'nothing');
    const held = texts.stage({ asked, sent, given: told }, facts.startedAt);
    const step = call.caller.step ?? timeline.alone(facts, 'call');
    const record = { ...facts, step, ...(typeof held === 'string' && { unkept: held }) };
    const labels = call.result && labelResult(call.result, scans);
    const onWritten = (id: number | undefined): void => {
      if (typeof held === 'function') held(id);
      if (id !== undefined) void labels?.then((found) => log.label(id, found));
    };
    log.record(record, { arguments: args, given: given?.text ?? '', sent: sentText(call, result, given) }, onWritten);
    notes.record(call, durationMs, { arguments: args, result: result?.whole, labels });
  };
  // A big answer is not held any longer than the log has room for; its size is known without work.
  if (call.result instanceof RawJson) make();
  else log.deferRecord(make, heldBytes(call.result));
}

/** Estimated size of a result: the length of its texts and pictures, without a full traversal. */
function heldBytes(result: JsonObject | undefined): number {
  const items: readonly unknown[] = Array.isArray(result?.['content']) ? result['content'] : [];
  const lengths = items.map((item) => (isObject(item) ? textOrEmpty(item['text'] ?? item['data']).length : 0));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Records a change that was requested or decided as a call of our own, with its outcome in words. */
export function recordAdminEvent(
  { activity: log, timeline }: Pick<CallRecorders, 'activity' | 'timeline'>,
  { author, what, failure }: { readonly author: ChangeAuthor; readonly what: string; readonly failure: unknown },
): void {
  const { app, sessionId, tool, mode = 'direct' } = author;
  const times = { durationMs: 0, resolveMs: 0, allowMs: 0, callMs: 0, shapeMs: 0 };
  const sizes = { argumentBytes: 0, resultBytes: 0, givenBytes: 0 };
  const change: CallRecord = {
    startedAt: Date.now(),
    app,
    sessionId,
    mode,
    server: ownServer,
    tool,
    why: what,
    ...times,
    ...sizes,
    outcome: failure === undefined ? 'ok' : 'blocked',
    ...(failure !== undefined && { errorCode: errorCodeOf(failure), errorText: errorText(failure) }),
  };
  log.record({ ...change, step: timeline.alone(change, 'change') });
}

/** The server name for calls that Tooltray handles itself. */
const ownServer = 'tooltray';

interface ResultText {
  /** Size of the content, duplicates counted once (`payloadBytes`); for a result held as bytes, all of them. */
  readonly bytes: number;
  /** Without what it says twice. */
  readonly text: CountedText;
  /** The text as it was sent. */
  readonly whole?: string;
  readonly said: PayloadText;
}

function textOf(result: Result): ResultText {
  if (result instanceof RawJson) {
    const { byteLength: bytes, chunks } = result;
    return { bytes, text: result, said: { bytes, text: chunks } };
  }
  const whole = JSON.stringify(result);
  const once = withoutDuplicate(result, 'text');
  const said = { bytes: Buffer.byteLength(whole), text: whole };
  return { bytes: payloadBytes(result), text: once === result ? whole : JSON.stringify(once), whole, said };
}

function spillOf({ given }: FinishedCall): SpillInfo | undefined {
  return given === undefined || given instanceof RawJson ? undefined : parseSpillInfo(given);
}

/** Takes the figures of a spilled result from its summary, so nothing is counted twice. */
function sentText(
  call: FinishedCall,
  result: ResultText | undefined,
  given: ResultText | undefined,
): CountedTexts['sent'] {
  const facts = spillOf(call);
  if (facts !== undefined) return { tokens: facts.resultTokens, estimated: facts.tokensEstimated };
  if (result === undefined) return { tokens: 0, estimated: false };
  return result === given ? 'same' : { text: result.text, bytes: result.bytes };
}

interface Measured {
  readonly durationMs: number;
  readonly argumentBytes: number;
  readonly result: ResultText | undefined;
  readonly given: ResultText | undefined;
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
    via: request.via ?? (request.byView === true ? 'view' : undefined),
    why: request.why,
    preview: argumentPreview(request.arguments, tool?.definition['inputSchema']),
    sensitivity: request.sensitivity,
    spillId: spillOf(call)?.parts[0]?.id,
    durationMs,
    resolveMs: times.stages.resolve,
    allowMs: times.stages.allow,
    callMs: times.stages.call,
    shapeMs: times.stages.shape,
    argumentBytes,
    resultBytes: spillOf(call)?.resultBytes ?? result?.bytes ?? 0,
    givenBytes: given?.bytes ?? 0,
    ...(call.given && call.limit && unspilledReason(call.given, given?.bytes ?? 0, call.limit)),
    outcome,
    ...(failure !== undefined && { errorCode: errorCodeOf(failure), errorText: errorText(failure) }),
    trace: call.trace,
  };
}

// Hands a finished call to the ledger, under the request that it ran for.

/** A call of the command line runs for no request and is in no ledger. */
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
