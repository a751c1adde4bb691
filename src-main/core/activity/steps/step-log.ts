/**
 * Records the requests of client apps and their results, one step each: running ones, which the user can see and
 * cancel, and finished ones, which are posted to the activity log.
 */
import { Emitter } from '../../base/emitter.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { isFailure, type Result } from '../../wire/message.ts';
import { scalarOf, RawJson } from '../../wire/raw-json.ts';
import { payloadBytes } from '../../spills/payload.ts';
import type { ActivityLog } from '../activity-log.ts';
import type { SharedText } from '../activity-messages.ts';
import type { CallOutcome, CallRecord } from '../call-record.ts';
import type { ClientRequest, StepRecorder, StepEnd, StepOwner } from '../ledger/client-request.ts';
import type { KindOfHelper } from '../ledger/ledger-entry.ts';
import { isStep, type StepKind, type StepRecord, type StepWords, describeStep } from './step.ts';

interface StepLogOptions {
  readonly activity: Pick<ActivityLog, 'defer' | 'post' | 'share' | 'shareText' | 'stepsChanged'>;
  readonly kindOf: KindOfHelper;
}

/** A step that has not ended. */
export interface RunningStep {
  readonly exchange: ClientRequest;
  readonly owner: () => StepOwner;
}

/** Interval of checks for long-running steps, in ms. */
const pollIntervalMs = 500;
/** Maximum size of an error result, in bytes; a larger one is not searched for its text. */
const maxErrorResultBytes = 64 * 1024;

export class StepLog implements StepRecorder {
  /** Emits when steps were written, or have been running for a while. */
  readonly changed = new Emitter();
  readonly #options: StepLogOptions;
  readonly #open = new Map<number, RunningStep>();
  #checkTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #revision = 0;
  #closed = false;

  constructor(options: StepLogOptions) {
    this.#options = options;
    options.activity.stepsChanged.on(() => {
      this.#revision++;
      this.changed.emit();
    });
  }

  /** Increases when steps were written. */
  get revision(): number {
    return this.#revision;
  }

  /** The running steps, oldest first. */
  get running(): readonly RunningStep[] {
    return [...this.#open.values()];
  }

  /** Returns what a request asks for, in a session of that mode. */
  words({ method, params }: Pick<ClientRequest, 'method' | 'params'>, mode: string): StepWords {
    return describeStep(method, params, mode, this.#options.kindOf);
  }

  readonly idAt = (startedAt: number): number => {
    this.#lastId = Math.max(this.#lastId + 1, startedAt * 1000);
    return this.#lastId;
  };

  start(exchange: ClientRequest, owner: () => StepOwner): void {
    if (this.#closed || !isStep(exchange.method)) return;
    this.#open.set(exchange.id, { exchange, owner });
    this.#checkTimer ??= setTimeout(() => this.#look(), pollIntervalMs).unref();
  }

  /** Ends a step; the record is created once the response has gone out. */
  end(exchange: ClientRequest, end: StepEnd, owner: StepOwner): void {
    if (!this.#open.delete(exchange.id)) return;
    const durationMs = performance.now() - exchange.startedTick;
    this.#options.activity.defer(() => this.#record(exchange, owner, end, durationMs));
  }

  /** Records that steps are running before they are reported, so that the next core finds them after a crash. */
  persistRunning(open: readonly RunningStep[]): void {
    if (open.length === 0 || this.#closed) return;
    const steps = open.map(({ exchange: { id, startedAt, method, params }, owner }): StepRecord => {
      const { sessionId, app, mode } = owner();
      const requestBytes = Buffer.byteLength(JSON.stringify(params));
      const soFar = { durationMs: 0, modelResultBytes: 0, calls: 0, outcome: 'ok' } as const;
      return { id, startedAt, sessionId, app, mode, ...this.words({ method, params }, mode), requestBytes, ...soFar };
    });
    this.#options.activity.post({ kind: 'running', steps, at: Date.now() });
  }

  /** Records a call without a request of an app, or a change: the user's, or our own. Returns the id of its step. */
  alone(call: CallRecord, kind: StepKind, given?: SharedText): number {
    const { startedAt, sessionId, user, app, mode, durationMs, bytes, outcome, error } = call;
    const id = this.idAt(startedAt);
    const step: StepRecord = {
      id,
      startedAt,
      sessionId,
      user,
      app,
      mode,
      kind,
      durationMs,
      modelResultBytes: bytes.modelResult,
      outcome,
      errorText: error?.text,
      name: call.via ?? call.tool,
      what: call.via === undefined ? (call.declared?.reason ?? '') : call.tool,
      requestBytes: bytes.request,
      calls: 1,
    };
    this.#options.activity.post({ kind: 'step', step, ...(given && { given }) });
    return id;
  }

  /** Call it before the activity log is closed. */
  close(): void {
    for (const { exchange, owner } of this.running) this.end(exchange, 'cancelled', owner());
    this.#closed = true;
    clearTimeout(this.#checkTimer);
  }

  /** Notifies watchers periodically while a step runs long, because its progress may have changed. */
  #look(): void {
    this.#checkTimer = undefined;
    const [oldest] = this.#open.values();
    if (oldest === undefined || this.#closed) return;
    if (Date.now() - oldest.exchange.startedAt >= pollIntervalMs) this.changed.emit();
    this.#checkTimer = setTimeout(() => this.#look(), pollIntervalMs).unref();
  }

  #record(exchange: ClientRequest, owner: StepOwner, end: StepEnd, durationMs: number): void {
    const { activity } = this.#options;
    const { id, startedAt, params, finishedCalls } = exchange;
    const request = activity.shareText(JSON.stringify(params));
    const payload = payloadOf(end);
    const given = activity.share(payload);
    const words = this.words(exchange, owner.mode);
    const [first] = finishedCalls;
    // The result of a cancelled step differs from that of its call.
    const isItsCall =
      words.kind === 'call' && finishedCalls.length === 1 && first?.via === undefined && first?.outcome !== 'cancelled';
    const { outcome, errorText } = howItEnded(
      end,
      finishedCalls.map((call) => call.outcome),
    );
    const step: StepRecord = {
      id,
      startedAt,
      ...owner,
      ...words,
      durationMs,
      requestBytes: request.bytes,
      modelResultBytes: isToolResult(payload) ? payloadBytes(payload) : (given?.bytes ?? 0),
      calls: finishedCalls.length,
      outcome,
      errorText,
    };
    const isNeeded = !isItsCall || payload instanceof RawJson;
    activity.post({ kind: 'step', step, ...(!isItsCall && { request }), ...(given && isNeeded && { given }) });
  }
}

/** Returns the outgoing payload: the value of `result` or `error`; for a request from Tooltray, the response. */
function payloadOf(end: StepEnd): Result | undefined {
  if (end === 'cancelled' || 'method' in end) return undefined;
  return isFailure(end) ? { ...end.error } : end.result;
}

/** Its size is that of its payload, as in the record of its call. */
function isToolResult(payload: Result | undefined): payload is JsonObject {
  return payload !== undefined && !(payload instanceof RawJson) && Array.isArray(payload['content']);
}

function howItEnded(
  end: StepEnd,
  calls: readonly CallOutcome[],
): { readonly outcome: CallOutcome; readonly errorText?: string } {
  if (end === 'cancelled') return { outcome: 'cancelled' };
  if ('method' in end) return { outcome: 'ok' };
  const blocked = calls.includes('blocked');
  const wasCancelled = calls.length > 0 && calls.every((one) => one === 'cancelled');
  if (isFailure(end)) {
    return { outcome: blocked ? 'blocked' : wasCancelled ? 'cancelled' : 'failed', errorText: end.error.message };
  }
  if (scalarOf(end.result, 'isError') !== true) return { outcome: 'ok' };
  const [only] = calls;
  if (wasCancelled) return { outcome: 'cancelled', errorText: errorIn(end.result) };
  const outcome = blocked ? 'blocked' : calls.length === 1 && only !== undefined && only !== 'ok' ? only : 'tool_error';
  return { outcome, errorText: errorIn(end.result) };
}

function errorIn(result: Result): string {
  if (result instanceof RawJson && result.byteLength > maxErrorResultBytes) return '';
  const { content } = result instanceof RawJson ? result.parse() : result;
  const texts = Array.isArray(content) ? (content as unknown[]).filter((one): one is JsonObject => isObject(one)) : [];
  return texts.flatMap(({ text }) => (typeof text === 'string' ? text : [])).join('\n');
}
