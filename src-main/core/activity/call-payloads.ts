/**
 * Stores the payloads of calls next to their records: the request, the server's result, and the result returned to the
 * model.
 * A worker thread masks, compresses, writes and reads them; no other process opens the file. When a payload cannot be
 * stored, both
 * the payload and the call record say why.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Log } from '../base/log.ts';
import type { Masker } from '../base/mask.ts';
import type { StoreHealth } from '../health/store-health.ts';
import { settleWithin } from '../base/settle-within.ts';
import { raiseUrgency, createUrgencyFlag, startWorkerThread, resolveWorkerUrl } from '../base/workers.ts';
import type { PayloadDropReason } from './call-record.ts';
import { CrashedRuns } from './crashed-runs.ts';
import type { PayloadMatches } from './payloads/payload-index.ts';
import { PayloadHandlers } from './payloads/payload-handlers.ts';
import {
  type PayloadSide,
  payloadSides,
  type PayloadRow,
  type PayloadGap,
  type PayloadSideRead,
  type PayloadSideInput,
  type PayloadLimits,
  type PayloadRange,
  type PayloadResponse,
  type TextsFailure,
  type PayloadRequest,
  type PayloadWorkerData,
} from './payloads/payload-messages.ts';

/** A text as it was said. */
export interface PayloadText {
  /** In UTF-8. */
  readonly bytes: number;
  /** The text, or the bytes as they came. */
  readonly text: string | readonly Uint8Array[];
}

export type PayloadInput = PayloadText | PayloadGap;

export interface PayloadSettings extends PayloadLimits {
  readonly keep: boolean;
  /** Delete all of it when Tooltray stops. */
  readonly deleteAtExit: boolean;
}

export interface PayloadStoreOptions {
  readonly file: string;
  readonly masker: Pick<Masker, 'matchers'>;
  readonly settings: () => PayloadSettings;
  readonly log: Log;
  /** Notified whether texts can be written. */
  readonly health?: StoreHealth | undefined;
  /** The thread ends after so long without work, in ms (30 000 by default). */
  readonly idleMs?: number;
}

/** Commits staged texts with their call's record id; undefined if there is no record. */
export type CommitPayload = (id: number | undefined) => void;

/**
 * `gone`: too old, or there was no more room; or from before texts were kept. `crashed`: the core was killed before it
 * had written it.
 */
export type PayloadAbsence = PayloadGap | PayloadDropReason | 'gone' | 'crashed';

/** A part of a text, or why there is none. */
export type PayloadExcerpt =
  | Exclude<PayloadSideRead, { readonly none: PayloadGap }>
  | { readonly none: PayloadAbsence };

export interface PayloadQuery extends PayloadRange {
  readonly id: number;
  /** The call's, in ms since the epoch. */
  readonly startedAt: number;
  /** Reason given in the call's record. */
  readonly unkept: PayloadDropReason | undefined;
}

/** Maximum size of one payload, in bytes. A longer one is nearly always stored as a spill. */
const maxPayloadBytes = 8 * 1024 * 1024;
/** Texts in memory that wait to be written, in bytes. */
const maxPendingBytes = 32 * 1024 * 1024;
const initialPruneDelayMs = 10_000;
const pruneIntervalMs = 60 * 60_000;
/** In one message: calls, and bytes of their texts. */
const maxInBatch = 500;
const maxBatchBytes = 4 * 1024 * 1024;
/** Maximum number of ids remembered whose payloads could not be written. */
const maxDroppedIds = 10_000;
/**
 * A thread is worth while for so many bytes, or when something has waited for so long, in ms: many a core ends before.
 */
const workerThresholdBytes = 64 * 1024;
const maxBatchDelayMs = 2000;
/** How long closing waits for the thread, in ms. */
const closeTimeoutMs = 3000;
/** After so many threads that died without an answer none is started any more. */
const maxFailures = 3;

interface Outgoing {
  readonly call: PayloadRow;
  readonly bytes: number;
  /** Secrets known at the time of the call. */
  readonly known: Masker['matchers'];
}

/** Payloads sent in one message and written atomically: the core may exit before all batches are written. */
interface Batch {
  readonly calls: PayloadRow[];
  readonly known: Masker['matchers'];
  bytes: number;
}

type Asked = PayloadRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'number'> : never) : never;

export class PayloadStore {
  readonly #options: PayloadStoreOptions;
  readonly #waiting = new Map<number, (answer: PayloadResponse) => void>();
  readonly #lost = new Set<number>();
  readonly #crashed: CrashedRuns;
  readonly #hurry = createUrgencyFlag();
  /** Calls that it keeps texts of began later. */
  readonly #madeAt = Date.now();
  #outbox: Outgoing[] = [];
  #bytes = 0;
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lateTimer: NodeJS.Timeout | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #lastNumber = 0;
  #threadFailures = 0;
  #isFailing = false;
  #closed = false;

  constructor(options: PayloadStoreOptions) {
    this.#options = options;
    this.#crashed = new CrashedRuns(`${options.file}.runs`);
  }

  /** Deletes what is too old or may not be there: soon, when servers have started, and every hour. */
  start(): void {
    if (this.#closed || this.#timers.length > 0) return;
    const settle = (): void => void this.pruneNow();
    this.#timers = [setTimeout(settle, initialPruneDelayMs).unref(), setInterval(settle, pruneIntervalMs).unref()];
  }

  /** The same at once. Never rejects. */
  async pruneNow(): Promise<void> {
    if (this.#closed || (!existsSync(this.#options.file) && this.#worker === undefined)) return;
    const settings = this.#options.settings();
    if (!settings.keep) this.#crashed.forget();
    await this.#do(settings.keep ? { kind: 'prune', limits: limitsOf(settings) } : { kind: 'forget' });
  }

  /** Holds the payload texts until the call's record is written, or returns why they are not kept. */
  stage(sides: Readonly<Record<PayloadSide, PayloadInput>>, startedAt: number): CommitPayload | PayloadDropReason {
    if (!this.#options.settings().keep) return 'off';
    if (this.#closed || this.#threadFailures >= maxFailures) return 'failed';
    const bytes = payloadSides.reduce((sum, side) => sum + heldBytes(sides[side]), 0);
    if (this.#bytes > 0 && this.#bytes + bytes > maxPendingBytes) return 'busy';
    this.#bytes += bytes;
    this.#crashed.markStarted(this.#madeAt);
    const known = this.#options.masker.matchers;
    const kept = { asked: toKeep(sides.asked), sent: toKeep(sides.sent), given: toKeep(sides.given) };
    return (id) => {
      if (id === undefined) this.#bytes -= bytes;
      else this.#outbox.push({ call: { id, startedAt, sides: kept }, bytes, known });
      // Records are written in batches: theirs go over in one message.
      if (this.#outbox.length === 1) queueMicrotask(() => this.#sendSoon());
      else if (this.#worker === undefined && this.#bytes >= workerThresholdBytes) this.#send();
    };
  }

  /** Never rejects. What was held before is on disk when this answers. */
  async find({ id, startedAt, unkept, ...range }: PayloadQuery): Promise<Partial<Record<PayloadSide, PayloadExcerpt>>> {
    this.#send();
    const settings = this.#options.settings();
    const none = (why: PayloadAbsence): Partial<Record<PayloadSide, PayloadExcerpt>> =>
      Object.fromEntries(range.sides.map((side) => [side, { none: why }]));
    if (unkept !== undefined) return none(unkept);
    if (!settings.keep) return none('off');
    if (this.#lost.has(id)) return none('failed');
    const known = this.#options.masker.matchers;
    const { found, failure, neverWritten } = await this.#ask({
      kind: 'find',
      known,
      id,
      startedAt,
      range,
      limits: limitsOf(settings),
    });
    if (failure !== undefined) this.#options.log.warn('The texts of a call could not be read.', { failure });
    if (found !== undefined || failure !== undefined) return found ?? none('failed');
    return none(neverWritten === true && this.#crashed.wasRunningAt(startedAt, Date.now()) ? 'crashed' : 'gone');
  }

  /**
   * Ids of calls and steps in whose texts (the first 16 000 characters of each side) every word of `text` begins a
   * word, the newest first. What was held before is looked through as well. Never rejects: what cannot be read is not
   * found, and the log says why.
   */
  async search(text: string, limit: number): Promise<PayloadMatches> {
    const settings = this.#options.settings();
    this.#send();
    if (!settings.keep || (!existsSync(this.#options.file) && this.#worker === undefined)) return nothingFound;
    const { ids, more = false, failure } = await this.#ask({ kind: 'search', text, limit, limits: limitsOf(settings) });
    if (failure !== undefined) this.#options.log.warn('The texts of calls could not be searched.', { failure });
    return ids === undefined ? nothingFound : { ids, more };
  }

  /** Writes what is held by records that are written, and ends the thread. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const { deleteAtExit } = this.#options.settings();
    // From now on somebody waits for it.
    raiseUrgency(this.#hurry);
    if (deleteAtExit) this.#crashed.forget();
    if (deleteAtExit) this.#takeOut();
    else if (this.#worker === undefined) this.#putHere();
    else this.#send();
    this.#closed = true;
    if (deleteAtExit && existsSync(this.#options.file))
      await settleWithin(this.#do({ kind: 'forget' }), closeTimeoutMs);
    await this.#endInOrder();
    this.#crashed.markFinished();
  }

  #sendSoon(): void {
    if (this.#worker !== undefined || this.#bytes >= workerThresholdBytes) this.#send();
    else this.#lateTimer ??= setTimeout(() => this.#send(), maxBatchDelayMs).unref();
  }

  #send(): void {
    for (const batch of this.#takeOut()) void this.#put(batch);
  }

  /** Takes the pending payloads in order, batched by the secrets known at the time. */
  #takeOut(): readonly Batch[] {
    clearTimeout(this.#lateTimer);
    this.#lateTimer = undefined;
    const batches: Batch[] = [];
    for (const { call, bytes, known } of this.#outbox) {
      let batch = batches.at(-1);
      if (batch === undefined || batch.known !== known || isFull(batch))
        batches.push((batch = { calls: [], known, bytes: 0 }));
      batch.calls.push(call);
      batch.bytes += bytes;
    }
    this.#outbox = [];
    return batches;
  }

  /** In this thread: it is little, and to start another at the end would take ten times as long. */
  #putHere(): void {
    const batches = this.#takeOut();
    if (batches.length === 0) return;
    const desk = new PayloadHandlers(this.#options.file);
    const limits = limitsOf(this.#options.settings());
    for (const { calls, known } of batches) {
      const { failure, aside } = desk.handle({ number: ++this.#lastNumber, kind: 'put', known, calls, limits });
      this.#noteAside(aside);
      if (failure !== undefined) this.#options.log.warn('The texts of calls cannot be kept.', { failure });
    }
    desk.handle({ number: ++this.#lastNumber, kind: 'close' });
  }

  async #put({ calls, known, bytes }: Batch): Promise<void> {
    const failure = await this.#do({ kind: 'put', known, calls, limits: limitsOf(this.#options.settings()) });
    this.#bytes -= bytes;
    if (failure === undefined) return;
    for (const { id } of calls) this.#lost.add(id);
    for (const id of this.#lost) {
      if (this.#lost.size <= maxDroppedIds) break;
      this.#lost.delete(id);
    }
  }

  /** Resolves to what went wrong, which is in the log: once until it goes well again. */
  async #do(question: Asked): Promise<TextsFailure | undefined> {
    const { failure } = await this.#ask(question);
    const { file, health, log } = this.#options;
    if (failure !== undefined && !this.#isFailing) log.warn('The texts of calls cannot be kept.', { failure });
    if (failure === undefined && this.#isFailing) log.info('The texts of calls are kept again.');
    this.#isFailing = failure !== undefined;
    if (failure === undefined) health?.wrote('payloads');
    else health?.failed('payloads', Object.assign(new Error(failure.message), failure), dirname(file));
    return failure;
  }

  #ask(question: Asked): Promise<PayloadResponse> {
    clearTimeout(this.#idleTimer);
    const number = ++this.#lastNumber;
    if (this.#threadFailures >= maxFailures)
      return Promise.resolve({ number, failure: { message: 'Its thread died three times.' } });
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      try {
        this.#worker ??= this.#start();
        this.#worker.postMessage({ ...question, number }, buffersIn(question));
      } catch (error) {
        this.#threadEnded(String(error));
      }
    });
  }

  #start(): Worker {
    const worker = startWorkerThread(resolveWorkerUrl('payload-worker', import.meta.url), {
      memory: 512,
      data: { file: this.#options.file, hurry: this.#hurry } satisfies PayloadWorkerData,
    });
    let reason = 'It ended.';
    worker.on('message', (answer: PayloadResponse) => this.#hear(answer));
    worker.on('error', (error: Error) => (reason = error.message));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#threadEnded(reason);
    });
    return worker;
  }

  #hear({ aside, ...answer }: PayloadResponse): void {
    const { idleMs = 30_000 } = this.#options;
    this.#noteAside(aside);
    this.#threadFailures = 0;
    this.#waiting.get(answer.number)?.(answer);
    this.#waiting.delete(answer.number);
    if (this.#waiting.size === 0 && !this.#closed) {
      this.#idleTimer = setTimeout(() => void this.#endInOrder(), idleMs).unref();
    }
  }

  #noteAside(aside: string | undefined): void {
    if (aside === undefined) return;
    this.#options.log.warn('The texts of calls could not be read; they were set aside and begun anew.', { aside });
  }

  #threadEnded(failure: string): void {
    this.#worker = undefined;
    this.#threadFailures++;
    this.#giveUp(failure);
  }

  /** Finishes earlier requests, then closes the file. Requests made meanwhile get another thread. */
  async #endInOrder(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const ended = once(worker, 'exit');
    worker.postMessage({ kind: 'close', number: ++this.#lastNumber } satisfies PayloadRequest);
    await settleWithin(ended, closeTimeoutMs);
    await worker.terminate();
    if (this.#closed) this.#giveUp('Tooltray stops.');
  }

  #giveUp(failure: string): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [number, resolve] of waiting) resolve({ number, failure: { message: failure } });
  }
}

const nothingFound: PayloadMatches = { ids: [], more: false };

function isFull({ calls, bytes }: Batch): boolean {
  return calls.length >= maxInBatch || bytes >= maxBatchBytes;
}

function limitsOf({ keepDays, maxBytes, maxRows }: PayloadSettings): PayloadLimits {
  return { keepDays, maxBytes, maxRows };
}

function heldBytes(side: PayloadInput): number {
  return typeof side === 'string' || side.bytes > maxPayloadBytes ? 0 : side.bytes;
}

/** Bytes are copied: those of the answer go on to the client app. */
function toKeep(side: PayloadInput): PayloadSideInput {
  if (typeof side === 'string') return { none: side };
  if (side.bytes > maxPayloadBytes) return { none: 'too-long' };
  if (typeof side.text === 'string') return { text: side.text };
  const copy = new Uint8Array(side.bytes);
  let at = 0;
  for (const chunk of side.text) {
    copy.set(chunk, at);
    at += chunk.length;
  }
  return { text: copy };
}

/** They are handed over, not copied once more. */
function buffersIn(question: Asked): ArrayBuffer[] {
  if (question.kind !== 'put') return [];
  const texts = question.calls.flatMap(({ sides }) => payloadSides.map((side) => sides[side]));
  return texts.flatMap((side) => ('text' in side && typeof side.text !== 'string' ? [side.text.buffer] : []));
}
