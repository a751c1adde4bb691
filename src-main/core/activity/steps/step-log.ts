/**
 * Records what client apps request and receive, one step each: running steps, which the user may see and cancel, and
 * finished ones, on disk beside the calls that ran for them. It is written in batches after the responses, limited in
 * size, and never a reason for a response to fail.
 */
import type { DatabaseSync } from 'node:sqlite';
import { Emitter } from '../../base/emitter.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { type Masker, CachingMasker } from '../../base/mask.ts';
import { isFailure, type Result } from '../../wire/message.ts';
import { scalarOf, RawJson } from '../../wire/raw-json.ts';
import type { ActivityLog, BatchParticipant } from '../activity-log.ts';
import type { CallOutcome, CallRecord } from '../call-record.ts';
import type { PayloadStore, PayloadInput } from '../call-payloads.ts';
import { type LedgerEntry, netContextTokens } from '../ledger/ledger-entry.ts';
import type { ClientRequest, StepRecorder, StepEnd, StepOwner } from '../ledger/client-request.ts';
import { RunningStepStore } from './running-steps.ts';
import type { KindOfHelper } from '../ledger/ledger-entry.ts';
import { isStep, type StepKind, type StepRecord, type StepWords, describeStep } from './step.ts';
import { StepTable, type StepTokens, updateStepTokens } from './step-table.ts';

interface StepLogOptions {
  readonly activity: Pick<ActivityLog, 'query' | 'deferRecord' | 'joinBatches' | 'scheduleFlush' | 'flush'>;
  readonly texts: Pick<PayloadStore, 'stage'>;
  readonly masker: Pick<Masker, 'maskText' | 'matchers'>;
  readonly log: Log;
  readonly maxRows: number;
  readonly kindOf: KindOfHelper;
}

/** A step that is not over. */
export interface RunningStep {
  readonly exchange: ClientRequest;
  readonly owner: () => StepOwner;
}

/** How often it is looked whether something runs for long, in ms. */
const pollIntervalMs = 500;
/** Steps in memory while the database cannot be written. */
const maxPendingSteps = 5000;
/** Maximum size of an error result, in bytes; a larger one is not searched for its text. */
const maxErrorResultBytes = 64 * 1024;

/** A batch that is not on disk yet. */
interface Given {
  readonly steps: StepRecord[];
  readonly counted: StepTokens[];
  hasLeft: boolean;
}

const nothingGiven = (): Given => ({ steps: [], counted: [], hasLeft: false });

export class StepLog implements StepRecorder, BatchParticipant {
  /** Steps were written, or something has run for a while. */
  readonly changed = new Emitter();
  readonly #options: StepLogOptions;
  readonly #masker: CachingMasker;
  readonly #table = new StepTable();
  readonly #open = new Map<number, RunningStep>();
  readonly #told = new RunningStepStore();
  #pending: StepRecord[] = [];
  #counted: StepTokens[] = [];
  #given = nothingGiven();
  #hasEndedLeft = false;
  #checkTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #revision = 0;
  #closed = false;

  constructor(options: StepLogOptions) {
    this.#options = options;
    this.#masker = new CachingMasker(options.masker);
    options.activity.joinBatches(this);
  }

  /** Moves when steps were written. */
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

  /** Ends a step; the record is created off the response path. */
  end(exchange: ClientRequest, end: StepEnd, owner: StepOwner): void {
    if (!this.#open.delete(exchange.id)) return;
    const durationMs = performance.now() - exchange.startedTick;
    this.#options.activity.deferRecord(() => {
      try {
        this.#record(exchange, owner, end, durationMs);
      } catch (error) {
        // A step less must not end the core.
        this.#options.log.warn('A step could not be recorded.', { error });
      }
    });
  }

  /** Written before anyone is notified that they run, so that they are found again if the core crashes. */
  persistRunning(open: readonly RunningStep[]): void {
    const now = Date.now();
    const due = this.#told.dueForWrite(
      open.map(({ exchange }) => exchange.id),
      now,
    );
    if (due.size === 0 || this.#closed) return;
    const steps = open
      .filter(({ exchange }) => due.has(exchange.id))
      .map(({ exchange: { id, startedAt, method, params }, owner }) => {
        const { sessionId, app, mode } = owner();
        const requestBytes = Buffer.byteLength(JSON.stringify(params));
        return { id, startedAt, sessionId, app, mode, ...this.words({ method, params }, mode), requestBytes };
      });
    try {
      this.#options.activity.query((database) => this.#told.note(database, steps, this.#masker, now));
    } catch (error) {
      this.#options.log.debug('What runs could not be written down.', { error });
    }
  }

  /**
   * A call for which no request of an app is behind, or a change: the person's, or our own. Answers the id of its step.
   */
  alone(call: CallRecord, kind: StepKind): number {
    const { startedAt, sessionId, user, app, mode, durationMs, argumentBytes, givenBytes, outcome, errorText } = call;
    const id = this.idAt(startedAt);
    this.#add({
      id,
      startedAt,
      sessionId,
      user,
      app,
      mode,
      kind,
      durationMs,
      givenBytes,
      outcome,
      errorText,
      name: call.via ?? call.tool,
      what: call.via === undefined ? (call.why ?? '') : call.tool,
      requestBytes: argumentBytes,
      calls: 1,
      unkept: 'call',
    });
    return id;
  }

  addTokens(id: number, entries: readonly LedgerEntry[]): void {
    if (this.#closed || entries.length === 0) return;
    const sum = (of: (entry: LedgerEntry) => number): number => entries.reduce((total, entry) => total + of(entry), 0);
    this.#counted.push({
      id,
      given: sum(({ sent }) => sent),
      raw: sum(({ raw }) => raw),
      baseline: sum(({ baseline }) => baseline),
      loaded: netContextTokens(entries),
    });
    if (this.#counted.length > maxPendingSteps) this.#counted.shift();
    this.#options.activity.scheduleFlush();
  }

  /** Writes what waits, now, with its calls. Never throws: what cannot be written is tried again later. */
  flush(): void {
    this.#options.activity.flush();
  }

  /** Rows that wait; what an earlier core left is one until it is looked at. */
  get waiting(): number {
    return this.#pending.length + this.#counted.length + Number(!this.#hasEndedLeft);
  }

  /** A step is never there without its calls. Throws what SQLite throws. */
  write(database: DatabaseSync): void {
    const { steps, counted } = this.#given;
    // Taken before the work, because `written` reports its outcome.
    const [newSteps, newCounted] = [this.#pending, this.#counted];
    [this.#pending, this.#counted] = [[], []];
    steps.push(...newSteps);
    counted.push(...newCounted);
    this.#table.insert(database, newSteps, this.#masker, this.#options.maxRows);
    updateStepTokens(database, newCounted);
    if (!this.#hasEndedLeft) this.#given.hasLeft = this.#told.endOrphaned(database);
    this.#hasEndedLeft = true;
  }

  written(isOnDisk: boolean): void {
    const { steps, counted, hasLeft } = this.#given;
    this.#given = nothingGiven();
    if (!isOnDisk) {
      this.#pending = [...steps, ...this.#pending];
      this.#counted = [...counted, ...this.#counted];
      this.#hasEndedLeft = false;
      return;
    }
    for (const { id } of steps) this.#told.forget(id);
    if (!hasLeft && steps.length + counted.length === 0) return;
    this.#revision++;
    this.changed.emit();
  }

  /** Before the record of calls is closed. */
  close(): void {
    for (const { exchange, owner } of this.running) this.end(exchange, 'cancelled', owner());
    this.flush();
    this.#closed = true;
    clearTimeout(this.#checkTimer);
  }

  /** While a step runs for long, its watchers are notified periodically: its progress may have changed. */
  #look(): void {
    this.#checkTimer = undefined;
    const [oldest] = this.#open.values();
    if (oldest === undefined || this.#closed) return;
    if (Date.now() - oldest.exchange.startedAt >= pollIntervalMs) this.changed.emit();
    this.#checkTimer = setTimeout(() => this.#look(), pollIntervalMs).unref();
  }

  #record(exchange: ClientRequest, owner: StepOwner, end: StepEnd, durationMs: number): void {
    const { id, startedAt, params, finishedCalls } = exchange;
    const asked = JSON.stringify(params);
    const given = payloadOf(end);
    const said = given === undefined ? undefined : textOf(given);
    const words = this.words(exchange, owner.mode);
    const [first] = finishedCalls;
    // For a cancelled step, the app received a different text than its call.
    const isItsCall =
      words.kind === 'call' && finishedCalls.length === 1 && first?.via === undefined && first?.outcome !== 'cancelled';
    const requestBytes = Buffer.byteLength(asked);
    const held = isItsCall
      ? 'call'
      : this.#options.texts.stage(
          { asked: { text: asked, bytes: requestBytes }, sent: 'nothing', given: said ?? 'nothing' },
          startedAt,
        );
    if (typeof held === 'function') held(id);
    const { outcome, errorText } = howItEnded(
      end,
      finishedCalls.map((call) => call.outcome),
    );
    this.#add({
      id,
      startedAt,
      ...owner,
      ...words,
      durationMs,
      requestBytes,
      givenBytes: said === undefined || typeof said === 'string' ? 0 : said.bytes,
      calls: finishedCalls.length,
      outcome,
      errorText,
      ...(typeof held === 'string' && { unkept: held }),
    });
  }

  #add(step: StepRecord): void {
    this.#pending.push(step);
    if (this.#pending.length > maxPendingSteps) this.#pending.shift();
    this.#options.activity.scheduleFlush();
  }
}

/** Returns the outgoing payload: the value of `result` or `error`; for a request from Tooltray, the response. */
function payloadOf(end: StepEnd): Result | undefined {
  if (end === 'cancelled' || 'method' in end) return undefined;
  return isFailure(end) ? { ...end.error } : end.result;
}

function textOf(payload: Result): PayloadInput {
  if (payload instanceof RawJson) return { bytes: payload.byteLength, text: payload.chunks };
  const text = JSON.stringify(payload);
  return { bytes: Buffer.byteLength(text), text };
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
