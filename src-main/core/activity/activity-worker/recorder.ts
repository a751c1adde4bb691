/**
 * One activity database: turns events into rows, writes them in batches, counts tokens between messages, and keeps the
 * file within its limits. Runs in the thread that owns the file.
 */
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { CachingMasker, Masker } from '../../base/mask.ts';
import { runInTransaction } from '../../base/private-database.ts';
import type { RecoveringDatabase } from '../../base/recovering-database.ts';
import { settleWithin } from '../../base/settle-within.ts';
import { createActivityDatabase } from './activity-database.ts';
import {
  type ActivityEvent,
  type ActivityFile,
  type ActivityReply,
  type CallTexts,
  type CallTokens,
  type LedgerOwner,
  type SharedText,
  type StoredCall,
  toFailure,
} from '../activity-messages.ts';
import { insertAnnotation } from '../annotations.ts';
import { type PayloadDropReason, rowBytes, toRow } from '../call-record.ts';
import type { PayloadSide } from '../payload.ts';
import { insertCall, trimCalls, updateLabels, updateTokens } from './call-table.ts';
import { type LedgerEntry, netContextTokens } from '../ledger/ledger-entry.ts';
import { addRows, ledgerBounds, type LedgerRow, trimLedger } from '../ledger/ledger-table.ts';
import { startOfHour } from '../local-time.ts';
import { packPayloads, type PayloadTexts } from './pack-payloads.ts';
import { PayloadTable } from './payload-table.ts';
import { trimToSize } from './size-limit.ts';
import { RunningStepStore } from './running-steps.ts';
import { insertStep, toValues, trimSteps, updateStepTokens } from './step-table.ts';
import { LedgerBooks } from './ledger-books.ts';
import type { TokenCounts } from './token-counts.ts';

type Notice = Exclude<ActivityReply, { readonly number: number }>;

/**
 * A database change. It may run more than once: after a rollback, and again on a new file if the old one is damaged.
 */
interface Write {
  /** Approximate growth of the file, in bytes. */
  readonly bytes: number;
  readonly run: (database: DatabaseSync) => void;
  /** Called when it is on disk. */
  readonly done?: () => void;
}

/** The row of a call; ids belong to one file. */
interface CallRowRef {
  id: number;
  generation: number;
}

const writeIntervalMs = 250;
const batchRows = 200;
const retryDelayMs = 2000;
/** Maximum time spent counting tokens before messages are checked, in ms. */
const sliceMs = 10;
const pruneIntervalMs = 60 * 60_000;
const writesPerTrim = 50;
/** Maximum number of calls whose labels may still arrive. */
const maxUnlabelled = 10_000;
const maxNameLength = 300;

export class Recorder {
  readonly #notify: (notice: Notice) => void;
  readonly #counts: TokenCounts;
  readonly #store: RecoveringDatabase;
  readonly #payloads = new PayloadTable();
  readonly #ledger: LedgerBooks;
  readonly #running: RunningStepStore;
  readonly #unlabelled = new Map<number, CallRowRef>();
  readonly #idle: (() => void)[] = [];
  #file: ActivityFile;
  #masker: CachingMasker;
  #pending: Write[] = [];
  #jobs: (() => void)[] = [];
  #isPumping = false;
  #counted: CallTokens[] = [];
  #hasSteps = false;
  #hasEndedOrphans = false;
  #timer: NodeJS.Timeout | undefined;
  #writes = 0;
  #bytesSinceTrim = Infinity;
  #prunedAt = 0;
  /** Time of the newest ledger entry, in ms since the epoch. */
  #ledgerAt = 0;

  /** Opens nothing yet. */
  constructor(file: ActivityFile, counts: TokenCounts, notify: (notice: Notice) => void) {
    this.#file = file;
    this.#masker = new CachingMasker(Masker.fromMatchers(file.known));
    this.#counts = counts;
    this.#notify = notify;
    this.#ledger = new LedgerBooks(counts);
    this.#running = new RunningStepStore(file.run);
    this.#store = createActivityDatabase(file.file, file.maxBytes, (aside, error) => {
      this.#payloads.reset();
      this.#hasEndedOrphans = false;
      notify({ file: file.file, notice: 'aside', aside, failure: toFailure(error) });
    });
  }

  get file(): ActivityFile {
    return this.#file;
  }

  /** Current settings and secrets. */
  set file(file: ActivityFile) {
    // Every message contains a copy of the matchers; masked texts stay cached while the secrets are unchanged.
    if (!isDeepStrictEqual(file.known, this.#file.known))
      this.#masker = new CachingMasker(Masker.fromMatchers(file.known));
    this.#file = file;
  }

  get payloads(): PayloadTable {
    return this.#payloads;
  }

  /** Takes events; `done` is called when all of them are on disk. */
  take(events: readonly ActivityEvent[], done: () => void): void {
    for (const event of events) this.#take(event);
    const end = (): void => this.#push({ bytes: 0, run: () => undefined, done });
    // The tokenizer is loaded only if there is something to count.
    if (this.#jobs.length === 0) end();
    else this.#jobs.push(end);
    this.#schedulePump();
  }

  /** Runs a query after writing everything pending. Throws the error of SQLite. */
  query<T>(ask: (database: DatabaseSync) => T): T {
    this.write();
    return this.#store.use(ask);
  }

  /** Resolves when all tokens are counted; those that are not counted after `limitMs` are estimated. */
  async settle(limitMs: number, isLast = false): Promise<void> {
    if (this.#jobs.length > 0) {
      const counted = new Promise<void>((resolve) => this.#idle.push(resolve));
      await settleWithin(counted, limitMs);
    }
    if (isLast) {
      this.#counts.isEstimating = true;
      this.#runJobs(Infinity);
      this.#counts.isEstimating = false;
    }
    this.write();
  }

  /** Writes everything and closes the file. `forget`: deletes all payloads; throws the error of SQLite. */
  close(forget: boolean): void {
    this.#runJobs(Infinity);
    this.write();
    clearTimeout(this.#timer);
    if (forget) this.#store.use((database) => this.#payloads.forget(database));
    this.#payloads.reset();
    this.#store.close();
  }

  /** Deletes payloads that are too old, or all of them if none are to be stored. */
  prune(now: number): void {
    const { payloads } = this.#file;
    this.#store.use((database) => {
      if (payloads.keep) this.#payloads.pruneByAge(database, payloads, now);
      else this.#payloads.forget(database);
    });
    this.#prunedAt = now;
    this.#bytesSinceTrim = Infinity;
    this.#trim();
  }

  /** Writes pending changes now. Never throws; failed writes are retried. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      if (!this.#hasEndedOrphans) {
        this.#hasSteps ||= this.#store.use((database) => this.#running.endOrphaned(database));
        this.#hasEndedOrphans = true;
      }
      if (this.#pending.length === 0) return;
      while (this.#pending.length > 0) this.#writeBatch();
      this.#notify({ file: this.#file.file, notice: 'written', counted: this.#counted, hasSteps: this.#hasSteps });
      [this.#counted, this.#hasSteps] = [[], false];
    } catch (error) {
      this.#notify({ file: this.#file.file, notice: 'failed', failure: toFailure(error) });
      this.#schedule(retryDelayMs);
    }
  }

  /**
   * A batch is at most a twentieth of the limit, so that the file exceeds it by no more than that before it is
   * trimmed.
   */
  #writeBatch(): void {
    let [length, bytes] = [0, 0];
    for (const write of this.#pending) {
      bytes += write.bytes;
      if (length > 0 && (length >= batchRows || bytes > this.#file.maxBytes / 20)) break;
      length++;
    }
    const batch = this.#pending.slice(0, length);
    try {
      this.#run(batch);
    } catch (error) {
      if (!isRowError(error)) throw error;
      for (const write of batch) this.#runOrDrop(write);
    }
    this.#pending = this.#pending.slice(length);
    for (const { done } of batch) done?.();
    this.#bytesSinceTrim += bytes;
    this.#trim();
  }

  /** Writes all or nothing. Throws the error of SQLite. */
  #run(batch: readonly Write[]): void {
    try {
      this.#store.use((database) => runInTransaction(database, () => batch.forEach((write) => write.run(database))));
    } catch (error) {
      // The index tables that were created for the rows are rolled back with them.
      this.#payloads.reset();
      throw error;
    }
  }

  /** An invalid row must not block the others. */
  #runOrDrop(write: Write): void {
    try {
      this.#run([write]);
    } catch (error) {
      if (!isRowError(error)) throw error;
      this.#notify({ file: this.#file.file, notice: 'refused', failure: toFailure(error) });
    }
  }

  #trim(): void {
    const { maxRows, maxBytes, payloads } = this.#file;
    const now = Date.now();
    this.#store.use((database) => {
      trimCalls(database, maxRows);
      // A call and its step may both have payloads.
      this.#payloads.trim(database, 2 * maxRows);
      if (this.#writes++ % writesPerTrim === 0) {
        trimSteps(database, maxRows);
        runInTransaction(database, () => trimLedger(database, ledgerBounds(maxBytes), this.#ledgerAt));
      }
      // Measuring is slow, so it runs only after enough new bytes.
      if (this.#bytesSinceTrim < Math.min(maxBytes, payloads.maxBytes) / 40) return;
      this.#bytesSinceTrim = 0;
      if (trimToSize(database, { maxBytes, maxPayloadBytes: payloads.maxBytes })) this.#payloads.reconcile(database);
    });
    if (payloads.keep && now - this.#prunedAt >= pruneIntervalMs) this.prune(now);
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.write(), delayMs);
  }

  #push(write: Write): void {
    this.#pending.push(write);
    this.#schedule(writeIntervalMs);
  }

  #take(event: ActivityEvent): void {
    if (event.kind === 'call') this.#takeCall(event);
    else if (event.kind === 'step') this.#takeStep(event);
    else if (event.kind === 'labels') this.#takeLabels(event);
    else if (event.kind === 'running') {
      const { steps, at } = event;
      const masker = this.#masker;
      this.#push({ bytes: 0, run: (database) => this.#running.note(database, steps, masker, at) });
    } else if (event.kind === 'annotation') {
      const { at, type: kind, what } = event;
      this.#push({ bytes: what.length, run: (database) => insertAnnotation(database, { at, kind, what }) });
    } else if (event.kind === 'ledgerCall') this.#jobs.push(() => this.#ledger.addCall(event.request, event.call));
    else if (event.kind === 'lateCall') this.#jobs.push(() => this.#ledger.addLateCall(event.session, event.call));
    else if (event.kind === 'requestEnded') this.#jobs.push(() => this.#ledger.requestEnded(event.request));
    else if (event.kind === 'sessionEnded') this.#jobs.push(() => this.#ledger.sessionEnded(event.session));
    else {
      const masker = this.#masker;
      this.#jobs.push(() => {
        const entries = this.#ledger.book(event);
        if (entries.length > 0) this.#addLedgerEntries(entries, event, masker);
      });
    }
  }

  #takeCall({ call: unmeasured, texts, ref }: Extract<ActivityEvent, { kind: 'call' }>): void {
    const call = withMeasuredSizes(unmeasured, texts);
    const place: CallRowRef = { id: 0, generation: -1 };
    const row = toRow(call, this.#masker);
    const payload = texts && this.#packed(sidesOf(texts));
    const dropReason = typeof payload === 'string' ? payload : undefined;
    const packed = typeof payload === 'object' ? payload : undefined;
    this.#push({
      bytes: rowBytes(row) + (packed?.packed.body.length ?? 0),
      run: (database) => {
        place.id = insertCall(database, row, { unspilled: call.unspilled, repeats: call.repeats, dropReason });
        place.generation = this.#store.generation;
        const key = { id: place.id, startedAt: call.startedAt };
        if (packed !== undefined) this.#payloads.insert(database, key, packed.texts, packed.packed);
      },
    });
    if (ref !== undefined) this.#expectLabels(ref, place);
    if (texts !== undefined) this.#jobs.push(() => this.#countCall(texts, place));
  }

  #countCall({ arguments: args, result, given, spilled }: CallTexts, place: CallRowRef): void {
    const [request, modelResult] = [this.#counts.count(args), this.#counts.countOnce(given)];
    const serverResult = spilled ?? (result === given ? modelResult : this.#counts.countOnce(result));
    const tokens: CallTokens = {
      request: request.tokens,
      serverResult: serverResult.tokens,
      modelResult: modelResult.tokens,
      estimated: request.estimated || serverResult.estimated || modelResult.estimated,
    };
    this.#counted.push(tokens);
    this.#push({
      bytes: 0,
      run: (database) => {
        if (place.generation === this.#store.generation) updateTokens(database, place.id, tokens);
      },
    });
  }

  #expectLabels(ref: number, place: CallRowRef): void {
    this.#unlabelled.set(ref, place);
    const [oldest] = this.#unlabelled.keys();
    if (this.#unlabelled.size > maxUnlabelled && oldest !== undefined) this.#unlabelled.delete(oldest);
  }

  #takeLabels({ ref, labels }: Extract<ActivityEvent, { kind: 'labels' }>): void {
    const place = this.#unlabelled.get(ref);
    this.#unlabelled.delete(ref);
    if (place === undefined) return;
    this.#push({
      bytes: labels.length,
      run: (database) => {
        if (place.generation === this.#store.generation) updateLabels(database, place.id, labels);
      },
    });
  }

  #takeStep({ step, request, given }: Extract<ActivityEvent, { kind: 'step' }>): void {
    const payload = request && this.#packed({ request, serverResult: 'nothing', modelResult: given ?? 'nothing' });
    const dropReason = request === undefined ? 'call' : typeof payload === 'string' ? payload : undefined;
    const packed = typeof payload === 'object' ? payload : undefined;
    const modelResultBytes = given?.size?.payloadBytes ?? step.modelResultBytes;
    const values = toValues({ ...step, modelResultBytes, dropReason: step.dropReason ?? dropReason }, this.#masker);
    this.#hasSteps = true;
    this.#push({
      bytes: rowBytes(values) + (packed?.packed.body.length ?? 0),
      run: (database) => {
        insertStep(database, values);
        if (packed !== undefined) this.#payloads.insert(database, step, packed.texts, packed.packed);
      },
      done: () => this.#running.forget(step.id),
    });
  }

  #addLedgerEntries(
    entries: readonly LedgerEntry[],
    { owner, at, step }: { readonly owner: LedgerOwner; readonly at: number; readonly step: number | undefined },
    masker: Pick<Masker, 'maskText'>,
  ): void {
    const rows = entries.map((entry) => ledgerRow(entry, owner, startOfHour(at), masker));
    const sum = (of: (entry: LedgerEntry) => number): number => entries.reduce((total, entry) => total + of(entry), 0);
    this.#hasSteps ||= step !== undefined;
    this.#ledgerAt = Math.max(this.#ledgerAt, at);
    this.#push({
      bytes: 250 * rows.length,
      run: (database) => {
        addRows(database, rows);
        if (step === undefined) return;
        updateStepTokens(database, {
          id: step,
          given: sum(({ sent }) => sent),
          raw: sum(({ raw }) => raw),
          baseline: sum(({ baseline }) => baseline),
          loaded: netContextTokens(entries),
        });
      },
    });
  }

  /** Masked and compressed; or the reason why the payload is not stored. */
  #packed(
    sides: PayloadSides,
  ): PayloadDropReason | { readonly texts: PayloadTexts; readonly packed: ReturnType<typeof packPayloads> } {
    if (!this.#file.payloads.keep) return 'off';
    const masked = (side: SharedText | string): PayloadTexts['request'] | undefined => {
      if (typeof side === 'string') return { none: side } as PayloadTexts['request'];
      if (side.sample !== undefined) return { none: 'too-long' };
      return side.text === undefined ? undefined : { text: this.#masker.maskText(textOf(side.text)) };
    };
    const [request, serverResult, modelResult] = [
      masked(sides.request),
      masked(sides.serverResult),
      masked(sides.modelResult),
    ];
    if (request === undefined || serverResult === undefined || modelResult === undefined) return 'busy';
    const texts = { request, serverResult, modelResult };
    return { texts, packed: packPayloads(texts) };
  }

  #schedulePump(): void {
    if (this.#isPumping || this.#jobs.length === 0) return;
    this.#isPumping = true;
    const ready = this.#counts.isReady ? undefined : this.#counts.load();
    const pump = (): void => {
      this.#isPumping = false;
      this.#runJobs(sliceMs);
      this.#schedulePump();
    };
    if (ready === undefined) setImmediate(pump);
    else void ready.then(pump);
  }

  #runJobs(limitMs: number): void {
    const end = performance.now() + limitMs;
    let done = 0;
    while (done < this.#jobs.length && performance.now() < end) {
      try {
        this.#jobs[done++]?.();
      } catch (error) {
        this.#notify({ file: this.#file.file, notice: 'failed', failure: toFailure(error) });
      }
    }
    this.#jobs = this.#jobs.slice(done);
    if (this.#jobs.length === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** Replaces recorded result sizes with those measured later. */
function withMeasuredSizes(call: StoredCall, texts: CallTexts | undefined): StoredCall {
  const [serverResult, modelResult] = [texts?.result?.size?.payloadBytes, texts?.given?.size?.payloadBytes];
  const { bytes, unspilled } = call;
  const isBelow = modelResult !== undefined && modelResult <= (unspilled?.limitBytes ?? 0);
  return {
    ...call,
    bytes: {
      ...bytes,
      serverResult: serverResult ?? bytes.serverResult,
      modelResult: modelResult ?? bytes.modelResult,
    },
    unspilled: unspilled && isBelow ? { ...unspilled, reason: 'below' } : unspilled,
  };
}

/** Whether the row is at fault instead of the disk: a constraint, or an unsupported value. */
function isRowError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!('errcode' in error) || typeof error.errcode !== 'number') return error instanceof TypeError;
  // The low byte is the primary code: SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH.
  return [18, 19, 20].includes(error.errcode & 0xff);
}

type PayloadSides = Readonly<Record<PayloadSide, SharedText | string>>;

function sidesOf({ arguments: input, result, given, spilled }: CallTexts): PayloadSides {
  return {
    request: input,
    // A spilled result is on disk already.
    serverResult: spilled === undefined ? (result ?? 'nothing') : 'spilled',
    modelResult: result !== undefined && result === given ? 'same' : (given ?? 'nothing'),
  };
}

function textOf(text: string | Uint8Array<ArrayBuffer>): string {
  return typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8');
}

/** Names come from servers and apps: they may contain a secret, be very long, or contain half of a surrogate pair. */
function ledgerRow(
  entry: LedgerEntry,
  { id, user, app, mode }: LedgerOwner,
  hour: number,
  masker: Pick<Masker, 'maskText'>,
): LedgerRow {
  const clean = (text: string): string => masker.maskText(text).slice(0, maxNameLength).toWellFormed();
  return {
    ...entry,
    hour,
    session: clean(id),
    user: user === undefined ? undefined : clean(user),
    app: clean(app),
    mode: clean(mode),
    server: clean(entry.server),
    tool: clean(entry.tool),
  };
}
