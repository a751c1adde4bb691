/**
 * What was said in calls, kept on disk beside their records: what the model asked, what the server sent, what the model was given.
 * A thread masks, compresses and writes it in batches, and reads it again; nobody else has the file open. What could not be kept
 * says why: here and in the call's record.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Log } from '../base/log.ts';
import type { Masker } from '../base/mask.ts';
import type { StoreHealth } from '../health/store-health.ts';
import { within } from '../base/within.ts';
import { hurryUp, noHurry, startThread, workerLocation } from '../base/worker-line.ts';
import type { NotTaken } from './call-record.ts';
import { CrashedRuns } from './crashed-runs.ts';
import type { SaidFound } from './texts/said-index.ts';
import { TextsDesk } from './texts/texts-desk.ts';
import {
  type CallSide,
  callSides,
  type CallToKeep,
  type NoText,
  type SideRead,
  type SideToKeep,
  type TextLimits,
  type TextRange,
  type TextsAnswer,
  type TextsFailure,
  type TextsQuestion,
  type TextsWork,
} from './texts/texts-messages.ts';

/** A text as it was said. */
export interface SaidText {
  /** In UTF-8. */
  readonly bytes: number;
  /** The text, or the bytes as they came. */
  readonly text: string | readonly Uint8Array[];
}

export type SaidSide = SaidText | NoText;

export interface TextSettings extends TextLimits {
  readonly keep: boolean;
  /** Delete all of it when Tooltray stops. */
  readonly deleteAtExit: boolean;
}

export interface CallTextsOptions {
  readonly file: string;
  readonly masker: Pick<Masker, 'known'>;
  readonly settings: () => TextSettings;
  readonly log: Log;
  /** Is told whether texts can be written. */
  readonly health?: StoreHealth | undefined;
  /** The thread ends after so long without work, in ms (30 000 by default). */
  readonly idleMs?: number;
}

/** Texts that wait for their call's record: it is told the record's id, or undefined where there will be none. */
export type HeldTexts = (id: number | undefined) => void;

/**
 * `gone`: too old, or there was no more room; or from before texts were kept. `crashed`: the core was killed before it had written it.
 */
export type NotKept = NoText | NotTaken | 'gone' | 'crashed';

/** A part of a text, or why there is none. */
export type TextFound = Exclude<SideRead, { readonly none: NoText }> | { readonly none: NotKept };

export interface WantedTexts extends TextRange {
  readonly id: number;
  /** The call's, in ms since the epoch. */
  readonly startedAt: number;
  /** As its record says. */
  readonly unkept: NotTaken | undefined;
}

/** Of one text, in bytes. What is longer than this is nearly always an answer kept on disk as a whole. */
const longestText = 8 * 1024 * 1024;
/** Texts in memory that wait to be written, in bytes. */
const mostWaiting = 32 * 1024 * 1024;
const firstPruneMs = 10_000;
const pruneEveryMs = 60 * 60_000;
/** In one message: calls, and bytes of their texts. */
const mostInBatch = 500;
const mostBatchBytes = 4 * 1024 * 1024;
/** Of ids whose texts could not be written. */
const mostLost = 10_000;
/** A thread is worth while for so many bytes, or when something has waited for so long, in ms: many a core ends before. */
const worthAThread = 64 * 1024;
const longestWaitMs = 2000;
/** How long closing waits for the thread, in ms. */
const closeMs = 3000;
/** After so many threads that died without an answer none is started any more. */
const mostFailures = 3;

interface Outgoing {
  readonly call: CallToKeep;
  readonly bytes: number;
  /** What was secret when it was said. */
  readonly known: Masker['known'];
}

/** What goes over in one message, and is on disk at once or not at all: the core may end before all of them are. */
interface Batch {
  readonly calls: CallToKeep[];
  readonly known: Masker['known'];
  bytes: number;
}

type Asked = TextsQuestion extends infer Each ? (Each extends unknown ? Omit<Each, 'number'> : never) : never;

export class CallTexts {
  readonly #options: CallTextsOptions;
  readonly #waiting = new Map<number, (answer: TextsAnswer) => void>();
  readonly #lost = new Set<number>();
  readonly #crashed: CrashedRuns;
  readonly #hurry = noHurry();
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

  constructor(options: CallTextsOptions) {
    this.#options = options;
    this.#crashed = new CrashedRuns(`${options.file}.runs`);
  }

  /** Deletes what is too old or may not be there: soon, when servers have started, and every hour. */
  start(): void {
    if (this.#closed || this.#timers.length > 0) return;
    const settle = (): void => void this.settle();
    this.#timers = [setTimeout(settle, firstPruneMs).unref(), setInterval(settle, pruneEveryMs).unref()];
  }

  /** The same at once. Never rejects. */
  async settle(): Promise<void> {
    if (this.#closed || (!existsSync(this.#options.file) && this.#worker === undefined)) return;
    const settings = this.#options.settings();
    if (!settings.keep) this.#crashed.forget();
    await this.#do(settings.keep ? { kind: 'prune', limits: limitsOf(settings) } : { kind: 'forget' });
  }

  /** Holds what was said until its record is written, or tells why not. */
  hold(sides: Readonly<Record<CallSide, SaidSide>>, startedAt: number): HeldTexts | NotTaken {
    if (!this.#options.settings().keep) return 'off';
    if (this.#closed || this.#threadFailures >= mostFailures) return 'failed';
    const bytes = callSides.reduce((sum, side) => sum + heldBytes(sides[side]), 0);
    if (this.#bytes > 0 && this.#bytes + bytes > mostWaiting) return 'busy';
    this.#bytes += bytes;
    this.#crashed.begin(this.#madeAt);
    const known = this.#options.masker.known;
    const kept = { asked: toKeep(sides.asked), sent: toKeep(sides.sent), given: toKeep(sides.given) };
    return (id) => {
      if (id === undefined) this.#bytes -= bytes;
      else this.#outbox.push({ call: { id, startedAt, sides: kept }, bytes, known });
      // Records are written in batches: theirs go over in one message.
      if (this.#outbox.length === 1) queueMicrotask(() => this.#sendSoon());
      else if (this.#worker === undefined && this.#bytes >= worthAThread) this.#send();
    };
  }

  /** Never rejects. What was held before is on disk when this answers. */
  async find({ id, startedAt, unkept, ...range }: WantedTexts): Promise<Partial<Record<CallSide, TextFound>>> {
    this.#send();
    const settings = this.#options.settings();
    const none = (why: NotKept): Partial<Record<CallSide, TextFound>> =>
      Object.fromEntries(range.sides.map((side) => [side, { none: why }]));
    if (unkept !== undefined) return none(unkept);
    if (!settings.keep) return none('off');
    if (this.#lost.has(id)) return none('failed');
    const known = this.#options.masker.known;
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
    return none(neverWritten === true && this.#crashed.isIn(startedAt, Date.now()) ? 'crashed' : 'gone');
  }

  /**
   * Ids of calls and steps in whose texts (the first 16 000 characters of each side) every word of `text` begins a word, the newest
   * first. What was held before is looked through as well. Never rejects: what cannot be read is not found, and the log says why.
   */
  async search(text: string, limit: number): Promise<SaidFound> {
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
    hurryUp(this.#hurry);
    if (deleteAtExit) this.#crashed.forget();
    if (deleteAtExit) this.#takeOut();
    else if (this.#worker === undefined) this.#putHere();
    else this.#send();
    this.#closed = true;
    if (deleteAtExit && existsSync(this.#options.file)) await within(this.#do({ kind: 'forget' }), closeMs);
    await this.#endInOrder();
    this.#crashed.end();
  }

  #sendSoon(): void {
    if (this.#worker !== undefined || this.#bytes >= worthAThread) this.#send();
    else this.#lateTimer ??= setTimeout(() => this.#send(), longestWaitMs).unref();
  }

  #send(): void {
    for (const batch of this.#takeOut()) void this.#put(batch);
  }

  /** What waits to be written, in order, by what was secret. */
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
    const desk = new TextsDesk(this.#options.file);
    const limits = limitsOf(this.#options.settings());
    for (const { calls, known } of batches) {
      const { failure, aside } = desk.answer({ number: ++this.#lastNumber, kind: 'put', known, calls, limits });
      this.#noteAside(aside);
      if (failure !== undefined) this.#options.log.warn('The texts of calls cannot be kept.', { failure });
    }
    desk.answer({ number: ++this.#lastNumber, kind: 'close' });
  }

  async #put({ calls, known, bytes }: Batch): Promise<void> {
    const failure = await this.#do({ kind: 'put', known, calls, limits: limitsOf(this.#options.settings()) });
    this.#bytes -= bytes;
    if (failure === undefined) return;
    for (const { id } of calls) this.#lost.add(id);
    for (const id of this.#lost) {
      if (this.#lost.size <= mostLost) break;
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

  #ask(question: Asked): Promise<TextsAnswer> {
    clearTimeout(this.#idleTimer);
    const number = ++this.#lastNumber;
    if (this.#threadFailures >= mostFailures)
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
    const worker = startThread(workerLocation('texts-worker', import.meta.url), {
      memory: 512,
      data: { file: this.#options.file, hurry: this.#hurry } satisfies TextsWork,
    });
    let reason = 'It ended.';
    worker.on('message', (answer: TextsAnswer) => this.#hear(answer));
    worker.on('error', (error: Error) => (reason = error.message));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#threadEnded(reason);
    });
    return worker;
  }

  #hear({ aside, ...answer }: TextsAnswer): void {
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

  /** What was asked before is done first, and the file is closed. Whoever asks meanwhile gets another thread. */
  async #endInOrder(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const ended = once(worker, 'exit');
    worker.postMessage({ kind: 'close', number: ++this.#lastNumber } satisfies TextsQuestion);
    await within(ended, closeMs);
    await worker.terminate();
    if (this.#closed) this.#giveUp('Tooltray stops.');
  }

  #giveUp(failure: string): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [number, resolve] of waiting) resolve({ number, failure: { message: failure } });
  }
}

const nothingFound: SaidFound = { ids: [], more: false };

function isFull({ calls, bytes }: Batch): boolean {
  return calls.length >= mostInBatch || bytes >= mostBatchBytes;
}

function limitsOf({ keepDays, maxBytes, maxRows }: TextSettings): TextLimits {
  return { keepDays, maxBytes, maxRows };
}

function heldBytes(side: SaidSide): number {
  return typeof side === 'string' || side.bytes > longestText ? 0 : side.bytes;
}

/** Bytes are copied: those of the answer go on to the client app. */
function toKeep(side: SaidSide): SideToKeep {
  if (typeof side === 'string') return { none: side };
  if (side.bytes > longestText) return { none: 'too-long' };
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
  const texts = question.calls.flatMap(({ sides }) => callSides.map((side) => sides[side]));
  return texts.flatMap((side) => ('text' in side && typeof side.text !== 'string' ? [side.text.buffer] : []));
}
