/**
 * The core's side of the activity record: posts events to the thread that owns the database, and queries it, without
 * waiting for the disk. Events are sent within a tenth of a second, and written within another half second, so a
 * killed core loses at most the last second. A core that is closed loses nothing.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Emitter } from '../base/emitter.ts';
import { isObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Masker } from '../base/mask.ts';
import { settleWithin } from '../base/settle-within.ts';
import { sampleBytes, sampleText } from '../spills/sample-text.ts';
import type { ResultMeasurer } from '../spills/result-measurer.ts';
import type { StoreHealth } from '../health/store-health.ts';
import { RawJson } from '../wire/raw-json.ts';
import {
  type ActivityEvent,
  type ActivityFile,
  type CallTexts,
  type CallTokens,
  type PayloadLimits,
  type SharedText,
  toError,
} from './activity-messages.ts';
import { ActivityThread, type ActivityNotice } from './activity-thread.ts';
import type { Questions } from './activity-worker/questions.ts';
import type { AnnotationKind } from './annotations.ts';
import type { CallRecord, TokenCount } from './call-record.ts';
import { RecentTools } from './recent-tools.ts';

export interface PayloadSettings extends PayloadLimits {
  readonly keep: boolean;
  /** Deletes all payloads when Tooltray stops. */
  readonly deleteAtExit: boolean;
}

export interface ActivityLogOptions {
  readonly file: string;
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly payloads: () => PayloadSettings;
  readonly masker: Pick<Masker, 'matchers'>;
  readonly log: Log;
  /** A thread shared with other cores of the process, which its owner closes. */
  readonly thread?: ActivityThread | undefined;
  /** Measures results that are held as bytes; without it, all their bytes count. */
  readonly measurer?: Pick<ResultMeasurer, 'measure'> | undefined;
  /** Is notified whether records can be written. */
  readonly health?: StoreHealth | undefined;
}

type Answer<Name extends keyof Questions> = ReturnType<Questions[Name]>;
type Arguments<Name extends keyof Questions> =
  Parameters<Questions[Name]> extends readonly [unknown, ...infer Rest] ? Rest : never;

const sendIntervalMs = 100;
/** Delayed, so that the thread does not start while the core starts. In ms. */
const annotationDelayMs = 1000;
/** A batch is sent at once when it has this many events, whose copy takes a third of a millisecond, or bytes of text. */
const batchEvents = 100;
const batchBytes = 1024 * 1024;
/** Events that are not on disk yet; further ones are dropped and counted. A call makes about four. */
export const maxPendingEvents = 20_000;
/** Texts that are not on disk or not counted yet, in bytes; further ones are not stored, and their tokens are estimated. */
const maxPendingBytes = 32 * 1024 * 1024;
/** Maximum size of one stored payload, in bytes. A longer one is nearly always stored as a spill. */
const maxPayloadBytes = 8 * 1024 * 1024;
const sampleLength = 512 * 1024;
/** Smallest limit of the file. */
const minBytes = 256 * 1024;
/** Longest time without a turn of the event loop while deferred work runs, in ms. */
const sliceMs = 8;
/** How long closing waits for token counts, and for the thread, in ms. */
const countTimeoutMs = 1500;
const closeTimeoutMs = 10_000;
const initialPruneDelayMs = 10_000;
const pruneIntervalMs = 60 * 60_000;

export class ActivityLog {
  /** Records were written. */
  readonly changed = new Emitter();
  /** Steps were written. */
  readonly stepsChanged = new Emitter();
  /** Emits each finished call, and again its tokens when they are counted. */
  readonly recorded = new Emitter<CallRecord>();
  readonly counted = new Emitter<CallTokens>();
  readonly #options: ActivityLogOptions;
  readonly #thread: ActivityThread;
  readonly #run = randomUUID();
  readonly #used = new RecentTools();
  readonly #stopListening: () => void;
  /** Texts of the next batch, by payload. Their buffers are transferred with it. */
  #shared = new Map<unknown, SharedText>();
  /** Results of the next batch that are being measured. */
  #measuring: Promise<void>[] = [];
  /** Settles when everything that waits for a measurement was sent; undefined if nothing does. */
  #queued: Promise<unknown> | undefined;
  #deferred: (() => void)[] = [];
  #immediate: NodeJS.Immediate | undefined;
  #outbox: ActivityEvent[] = [];
  #outboxBytes = 0;
  #known: Masker['matchers'];
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by `performance.now()`. */
  #due = 0;
  #pruneTimers: readonly NodeJS.Timeout[] = [];
  #events = 0;
  #bytes = 0;
  #lastRef = 0;
  #dropped = 0;
  #isFailing = false;
  #isUsed = false;
  #closed = false;

  /** Opens nothing yet: the thread starts with the first batch. */
  constructor(options: ActivityLogOptions) {
    this.#options = options;
    this.#thread = options.thread ?? new ActivityThread();
    this.#known = options.masker.matchers;
    this.#stopListening = this.#thread.listen(options.file, (notice) => this.#onNotice(notice));
  }

  /** Path of the database. */
  get file(): string {
    return this.#options.file;
  }

  /** Records a call. Returns at once. `labels`: resolves to the labels of its result. */
  record(call: CallRecord, texts?: CallTexts, labels?: Promise<readonly string[]>): void {
    if (this.#closed) return;
    this.recorded.emit(call);
    if (call.outcome === 'ok') this.#used.note(call.server, call.tool);
    const { trace: _trace, ...stored } = call;
    const ref = labels === undefined ? undefined : ++this.#lastRef;
    this.post({ kind: 'call', call: stored, ...(texts && { texts }), ...(ref !== undefined && { ref }) });
    if (ref === undefined) return;
    void labels?.then((found) => {
      if (found.length > 0) this.post({ kind: 'labels', ref, labels: found.join(' ') });
    });
  }

  /** Records an event that explains a change in the figures. */
  annotate(type: AnnotationKind, what: string): void {
    this.post({ kind: 'annotation', at: Date.now(), type, what }, annotationDelayMs);
  }

  /** Runs `work`, which creates events, once the current response has gone out. */
  defer(work: () => void): void {
    if (this.#closed) return;
    this.#deferred.push(work);
    this.#immediate ??= setImmediate(() => this.#runDeferred(sliceMs));
  }

  /** Sends the event to the thread, `delayMs` later at most. Never throws. */
  post(event: ActivityEvent, delayMs = sendIntervalMs): void {
    if (this.#closed) return;
    const known = this.#options.masker.matchers;
    // Earlier events are masked with the secrets that were known then.
    if (known !== this.#known) this.#send();
    this.#known = known;
    if (this.#events >= maxPendingEvents) {
      this.#noteDropped(1);
      return;
    }
    this.#events++;
    this.#outbox.push(event);
    if (this.#outbox.length >= batchEvents || this.#outboxBytes >= batchBytes) this.#send();
    else this.#schedule(delayMs);
  }

  /** The JSON text of a payload, for events. `text`: the same, if it is known already. */
  share(payload: unknown, text?: string): SharedText | undefined {
    if (payload === undefined) return undefined;
    const known = this.#shared.get(payload);
    if (known !== undefined) return known;
    if (payload instanceof RawJson) return this.#shareBytes(payload);
    const isStructured = isObject(payload) && isObject(payload['structuredContent']);
    const shared = this.shareText(text ?? JSON.stringify(payload), isStructured);
    this.#shared.set(payload, shared);
    return shared;
  }

  shareText(text: string, isStructured = false): SharedText {
    const bytes = Buffer.byteLength(text);
    if (bytes > maxPayloadBytes) {
      return { bytes, text: undefined, sample: sampleText(text, sampleLength) };
    }
    if (!this.#reserve(bytes)) return { bytes, text: undefined };
    return { bytes, text, ...(isStructured && { isStructured }) };
  }

  /** Queries the thread, after everything recorded so far. Rejects with the error of SQLite. */
  async ask<Name extends keyof Questions>(name: Name, ...args: Arguments<Name>): Promise<Awaited<Answer<Name>>> {
    if (this.#closed) throw new Error('The activity log is closed.');
    this.#runDeferred();
    this.#send();
    this.#isUsed = true;
    return (await this.#request({ ...this.#target(), kind: 'ask', name, args })) as Awaited<Answer<Name>>;
  }

  /** Counts the tokens of a text that belongs to no record. Never rejects; uses an estimate if counting fails. */
  async countTokens(text: string): Promise<TokenCount> {
    if (text === '') return { tokens: 0, estimated: false };
    const shared = this.shareText(text);
    return this.ask('count', shared).catch(() => ({ tokens: Math.ceil(text.length / 4), estimated: true }));
  }

  /** Resolves when everything recorded so far is on disk, or cannot be written. Never rejects. */
  async flush(): Promise<void> {
    await this.ask('flush').catch(() => undefined);
  }

  /** Ids of the tools that recent calls used successfully; those of earlier runs are loaded after the first use. */
  usedTools(): ReadonlySet<string> {
    this.#loadUsed();
    return this.#used.ids;
  }

  /** Deletes old payloads soon, and every hour. */
  startPruning(): void {
    if (this.#closed || this.#pruneTimers.length > 0) return;
    const prune = (): void => void this.prune();
    this.#pruneTimers = [setTimeout(prune, initialPruneDelayMs).unref(), setInterval(prune, pruneIntervalMs).unref()];
  }

  /** Deletes payloads that are too old, or all if none are to be stored. Never rejects. */
  async prune(): Promise<void> {
    if (this.#closed || (!existsSync(this.#options.file) && !this.#isUsed)) return;
    await this.ask('prune').catch((error: unknown) =>
      this.#options.log.warn('Payloads could not be pruned.', { error }),
    );
  }

  /** Writes everything and closes the file; `last` runs when all rows are written, with the file still open. */
  async close(last?: () => Promise<void> | undefined): Promise<void> {
    for (const timer of this.#pruneTimers) clearInterval(timer);
    const forget = this.#options.payloads().deleteAtExit && existsSync(this.#options.file);
    this.#runDeferred();
    if (this.#isUsed || this.#outbox.length > 0 || forget || last !== undefined) {
      await settleWithin(this.ask('settle', countTimeoutMs), closeTimeoutMs);
      await last?.();
      this.#send();
      this.#closed = true;
      await settleWithin(this.#request({ ...this.#target(), kind: 'close', forget }), closeTimeoutMs);
    }
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    if (this.#options.thread === undefined) await this.#thread.close();
  }

  #target(known = this.#options.masker.matchers): ActivityFile {
    const { file, payloads } = this.#options;
    const maxRows = Math.max(1, this.#options.maxRows);
    const maxBytes = Math.max(minBytes, this.#options.maxBytes);
    const { keep, retentionDays, maxBytes: payloadBytes } = payloads();
    return {
      file,
      maxRows,
      maxBytes,
      payloads: { keep, retentionDays, maxBytes: payloadBytes },
      run: this.#run,
      known,
    };
  }

  #runDeferred(limitMs = Infinity): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    const end = performance.now() + limitMs;
    const work = this.#deferred;
    let done = 0;
    while (done < work.length && performance.now() < end) {
      try {
        work[done++]?.();
      } catch (error) {
        // A missing record must not end the core.
        this.#options.log.warn('Could not create an activity record.', { error });
      }
    }
    this.#deferred = work.slice(done);
    if (this.#deferred.length > 0) this.#immediate = setImmediate(() => this.#runDeferred(sliceMs));
  }

  #schedule(delayMs: number): void {
    const due = performance.now() + delayMs;
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#send(), delayMs).unref();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#outbox.length === 0) return;
    const [events, bytes, shared] = [this.#outbox, this.#outboxBytes, this.#shared];
    [this.#outbox, this.#outboxBytes, this.#shared] = [[], 0, new Map<unknown, SharedText>()];
    this.#isUsed = true;
    const buffers = [...shared.values()].flatMap(({ text }) => (text instanceof Uint8Array ? [text.buffer] : []));
    const measuring = this.#measuring;
    this.#measuring = [];
    if (measuring.length > 0) this.#queue(Promise.all([this.#queued, ...measuring]));
    const sent = this.#request({ ...this.#target(this.#known), kind: 'events', events }, buffers);
    void sent
      .then(
        () => this.#loadUsed(),
        (error: unknown) => this.#noteDropped(events.length, error),
      )
      .finally(() => {
        this.#events -= events.length;
        this.#bytes -= bytes;
      });
  }

  /** Sends a request to the thread, behind everything that waits for a measurement. */
  #request(...request: Parameters<ActivityThread['request']>): Promise<unknown> {
    const send = (): Promise<unknown> => this.#thread.request(...request);
    return this.#queued === undefined ? send() : this.#queued.then(send);
  }

  #queue(work: Promise<unknown>): void {
    this.#queued = work;
    void work.then(() => {
      if (this.#queued === work) this.#queued = undefined;
    });
  }

  #shareBytes(raw: RawJson): SharedText {
    const shared: { -readonly [Key in keyof SharedText]: SharedText[Key] } = this.#copyBytes(raw);
    this.#shared.set(raw, shared);
    const measured = this.#options.measurer?.measure(raw);
    if (measured !== undefined) this.#measuring.push(measured.then((size) => void (size && (shared.size = size))));
    return shared;
  }

  #copyBytes({ byteLength: bytes, chunks }: RawJson): SharedText {
    if (bytes > maxPayloadBytes) return { bytes, text: undefined, sample: sampleBytes(chunks, sampleLength) };
    if (!this.#reserve(bytes)) return { bytes, text: undefined };
    // A copy, because the result's bytes are sent to the client app.
    const text = new Uint8Array(bytes);
    let at = 0;
    for (const chunk of chunks) {
      text.set(chunk, at);
      at += chunk.length;
    }
    return { bytes, text };
  }

  #reserve(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > maxPendingBytes) return false;
    this.#bytes += bytes;
    this.#outboxBytes += bytes;
    return true;
  }

  #loadUsed(): void {
    if (this.#used.isLoaded || this.#closed) return;
    this.#used.load([]);
    this.ask('usedTools').then(
      (ids) => this.#used.load(ids),
      () => undefined,
    );
  }

  #onNotice(notice: ActivityNotice): void {
    const { file, health, log } = this.#options;
    if (notice.notice === 'written') {
      health?.wrote('activity');
      if (this.#isFailing || this.#dropped > 0) log.info('Activity writes have resumed.', { dropped: this.#dropped });
      this.#isFailing = false;
      this.#dropped = 0;
      for (const tokens of notice.counted) this.counted.emit(tokens);
      this.changed.emit();
      if (notice.hasSteps) this.stepsChanged.emit();
      return;
    }
    const error = toError(notice.failure);
    if (notice.notice === 'aside') {
      const { aside } = notice;
      log.warn('The activity database could not be read; it was moved aside and a new one was created.', {
        aside,
        error,
      });
      return;
    }
    if (notice.notice === 'refused') {
      log.warn('An activity row was rejected and skipped.', { error });
      return;
    }
    if (!this.#isFailing) log.warn('Cannot write activity; retrying.', { error });
    this.#isFailing = true;
    health?.failed('activity', error, dirname(file));
  }

  /** `error`: why the thread did not take them; undefined if they came faster than it writes. */
  #noteDropped(events: number, error?: unknown): void {
    const { file, health, log } = this.#options;
    if (error !== undefined) health?.failed('activity', error, dirname(file));
    const reason = error === undefined ? 'it cannot be written as fast as it comes' : 'its thread ended';
    if (this.#dropped === 0) log.warn(`Activity is dropped: ${reason}.`, { error });
    this.#dropped += events;
  }
}
