/**
 * The savings ledger: what client apps were sent against what they would have loaded without us, counted off the way of
 * calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import type { Masker } from '../../base/mask.ts';
import type { DeferredQueue } from '../../base/scheduling/deferred-queue.ts';
import type { Result } from '../../wire/message.ts';
import type { TokenCount, TokenCounter } from '../token-counter.ts';
import { type ResultIntake, countOnce } from './ingested-tokens.ts';
import { type ListedServer, ListTokenCounter } from './baseline.ts';
import type { LedgerEntry, KindOfHelper } from './ledger-entry.ts';
import type { StepRef, StepRecorder } from './client-request.ts';
import { type LedgerOwner, LedgerBuffer, type LedgerDatabase } from './ledger-buffer.ts';
import { LedgerSession, type LedgerSessionOptions } from './ledger-session.ts';
import {
  totalSavings,
  computeBreakEven,
  type CauseSum,
  type SavingsKey,
  type SavingsQuery,
  type SavingsReport,
  sumLedger,
  toRows,
} from './ledger-table.ts';
import { PayloadCounter } from './payload-counter.ts';

export interface LedgerOptions {
  /** Shared with the record of calls, whose bound on the file's size it keeps to. */
  readonly store: LedgerDatabase;
  readonly maxBytes: number;
  readonly masker: Masker;
  readonly log: Log;
  /** Its creator closes it after this ledger. */
  readonly tokenCounter: Pick<TokenCounter, 'count'>;
  /** The servers that apps would have without us, as they are now. */
  readonly servers: () => readonly ListedServer[];
  /** Whether the app keeps tools out of the context until it needs them. */
  readonly defersTools: (app: string) => boolean;
  /** Whether a model reads what the app is sent; nothing is booked where none does. */
  readonly hasModel: (app: string) => boolean;
  readonly acceptsResults: (app: string) => ResultIntake;
  readonly now: () => number;
  /** Records every request and response, and their sizes. */
  readonly steps: StepRecorder;
  /** Queue that counts tokens once calls have finished. */
  readonly putOff: DeferredQueue;
  readonly kindOf: KindOfHelper;
}

/** How long a question waits for tokens still being counted, and how long the end does, in ms. */
const countTimeoutMs = 10_000;
const closeTimeoutMs = 1500;
/** About what a row takes in the file. */
const rowBytes = 250;

export class Ledger {
  readonly #options: LedgerOptions;
  readonly #counter: PayloadCounter;
  readonly #lists: ListTokenCounter;
  readonly #rows: LedgerBuffer;
  readonly #sessions = new Set<LedgerSession>();
  readonly #counting = new Set<Promise<void>>();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#counter = new PayloadCounter(options.tokenCounter, options.putOff);
    this.#lists = new ListTokenCounter(this.#counter);
    // An eighth of the file for each table: the record of calls is there as well.
    const rows = Math.max(200, Math.floor(options.maxBytes / 8 / rowBytes));
    const bounds = { hourRows: Math.min(rows, 50_000), dayRows: Math.min(rows, 100_000) };
    this.#rows = new LedgerBuffer({ ...options, bounds });
  }

  /** Takes down what crosses the line of one client app until its `end`. */
  open(facts: LedgerSessionOptions): LedgerSession {
    const session = new LedgerSession(facts, {
      counter: this.#counter,
      lists: this.#lists,
      servers: this.#options.servers,
      defersTools: this.#options.defersTools,
      hasModel: this.#options.hasModel,
      kindOf: this.#options.kindOf,
      acceptsResults: this.#options.acceptsResults,
      steps: this.#options.steps,
      later: (work) => this.#options.putOff.add(work),
      now: this.#options.now,
      enter: (entries, owner, step) => this.#enter(entries, owner, step),
      ended: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** The tokens of an answer, counted as that of a call on record. Never rejects. */
  count(payload: Result): Promise<TokenCount> {
    return countOnce(payload, this.#counter);
  }

  /** Called when the tools, resources or prompts of the servers have changed. */
  serversChanged(): void {
    for (const session of this.#sessions) session.serversChanged();
  }

  /** Waits a moment for what is still being counted. Rejects with what SQLite throws. */
  async savings(question: SavingsQuery = {}): Promise<SavingsReport> {
    await this.#settle(countTimeoutMs);
    this.#rows.flush();
    const { store, now } = this.#options;
    const { by = 'cause' } = question;
    return buildReport(
      store.use((database) => sumLedger(database, { ...question, by }, now())),
      by,
    );
  }

  /** Waits a moment for what is still being counted, estimates the rest and writes it. The store stays open. */
  async close(): Promise<void> {
    await this.#settle(closeTimeoutMs);
    this.#counter.estimateRemaining();
    await this.#idle();
    this.#rows.close();
  }

  #enter(entries: Promise<readonly LedgerEntry[]>, owner: LedgerOwner, step: StepRef | undefined): void {
    const entered = entries.then(
      (made) => {
        // In the hour of its step, so that sums of a time are those of its steps.
        this.#rows.add(made, owner, step?.startedAt ?? this.#options.now());
        if (step !== undefined) this.#options.steps.addTokens(step.id, made);
      },
      // One entry less must not end the core.
      (error: unknown) => this.#options.log.warn('An entry of the savings ledger was lost.', { error }),
    );
    this.#counting.add(entered);
    void entered.finally(() => this.#counting.delete(entered));
  }

  async #settle(ms: number): Promise<void> {
    const waiting = new AbortController();
    const late = sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.#idle(), late]);
    waiting.abort();
  }

  async #idle(): Promise<void> {
    this.#options.putOff.drain();
    while (this.#counting.size > 0) {
      this.#options.putOff.drain();
      // What is counted may lead to more that waits for the next batch.
      await Promise.race([Promise.all(this.#counting), sleep(10)]);
    }
  }
}

/** Builds a report from sums, wherever they are stored. */
export function buildReport(sums: readonly CauseSum[], by: SavingsKey): SavingsReport {
  const causes = sums.map((sum) => ({ ...sum, key: sum.cause, app: undefined }));
  const total = totalSavings(sums);
  return {
    by,
    rows: toRows(sums, by),
    causes: toRows(causes, 'cause'),
    total,
    breakEven: computeBreakEven(sums, total.net),
    tokenizer,
    assumptions,
  };
}

// What the ledger takes for granted, in sentences for people.

const tokenizer = 'o200k_base';

const assumptions: readonly string[] = [
  `Tokens are those of ${tokenizer}, counted over the JSON text of each result, error and notification; other models count somewhat differently.`,
  'Without Tooltray an app would have loaded the instructions of every server that is switched on once per session, and the whole lists as often as it asks for them by itself; ours are counted each time they are sent.',
  'Pictures, sound and files that were kept on disk count as nothing: what they would have cost depends on the model.',
  'Of an app that loads tools only when it needs them, on both sides the name and the first line of each tool are counted, and the whole definition from its first call on.',
  'A list counts once when it is sent, although an app shows it to its model again with every request.',
  'Answers that a program of the model worked on count as if the model had been given each of them.',
  'An answer counts at most what its app lets in of it: its own cut where one is known, else its context window. What servers sent is told beside it.',
  'What an answer says both as text and as structured content counts once, since apps hand one of them to the model; answers of over 1 MB are not looked through for it.',
  'Resources, prompts, errors and notifications would be the same without Tooltray and are in no net.',
  'A connection to a single server changes nothing: its lists count the same on both sides.',
  'What a person tries by hand (this page, the command line, MCP Inspector, mcporter) is in no sum: no model reads it.',
  'Over HTTP of 2026-07-28, which knows no sessions, a session is what one app asks until it is silent for half an hour.',
  'Answers of over 4 MB, and those for which there was no room to wait, are estimates.',
];
