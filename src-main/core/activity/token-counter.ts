/** Counts tokens in a worker thread that is started when there is something to count and ended when there is not. */
import { hash } from 'node:crypto';
import { resolveWorkerUrl } from '../base/workers.ts';
import { WorkerThread } from '../base/worker-thread.ts';
import type { CountRequest } from './token-worker.ts';

export interface TokenCount {
  readonly tokens: number;
  /** Whether it is an estimate: the text was too large, the queue too long, or the thread unavailable. */
  readonly estimated: boolean;
}

export interface TokenCounterOptions {
  /** URL of the worker: `workerLocation('token-worker', import.meta.url)`. */
  readonly workerUrl: URL;
  /** Longer texts are estimated from a sample of 1/8 of this length; in characters (4 Mi by default). */
  readonly maxTextLength?: number;
  /** While this much waits, further texts are estimated by their length; in characters (32 Mi by default). */
  readonly maxQueueLength?: number;
  /**
   * The thread ends after this long without work, in ms (30 000 by default): it holds some 100 MB, and starts in half a
   * second.
   */
  readonly idleMs?: number;
}

interface Waiting {
  readonly question: CountRequest;
  readonly length: number;
  readonly scale: number;
  readonly textLength: number;
  readonly resolve: (count: TokenCount) => void;
}

/**
 * So much is with the thread at once, in characters, or one text: what waits beyond lies in this thread's heap, which
 * gives its memory back. What is sent over lies meanwhile in memory of the system's that a thread keeps even after its
 * end.
 */
const maxInFlightLength = 256 * 1024;

export class TokenCounter {
  readonly #maxTextLength: number;
  readonly #maxQueueLength: number;
  readonly #outbox: Waiting[] = [];
  /** With the thread, which answers in this order. */
  readonly #asked: Waiting[] = [];
  readonly #thread: WorkerThread<readonly CountRequest[], readonly number[]>;
  /** Batches the requests of one turn into one message, because each message wakes two threads. */
  #sending: NodeJS.Immediate | undefined;
  #queued = 0;
  #sent = 0;

  constructor(options: TokenCounterOptions) {
    this.#maxTextLength = options.maxTextLength ?? 4 * 1024 * 1024;
    this.#maxQueueLength = options.maxQueueLength ?? 32 * 1024 * 1024;
    this.#thread = new WorkerThread({
      entry: options.workerUrl,
      memory: 512,
      idleTimeoutMs: options.idleMs ?? 30_000,
      onMessage: (answers) => this.#receive(answers),
      onLost: () => this.#abandon(),
    });
  }

  /** Is a thread running now? */
  get running(): boolean {
    return this.#thread.isRunning;
  }

  /** Never rejects: what cannot be counted is estimated. */
  count(text: string): Promise<TokenCount> {
    if (text === '') return Promise.resolve({ tokens: 0, estimated: false });
    const large = text.length > this.#maxTextLength;
    const { texts, scale } = sampleText(text, large ? Math.ceil(this.#maxTextLength / 8) : text.length);
    const length = Math.round(text.length / scale);
    if (!this.#thread.isUsable || this.#queued + length > this.#maxQueueLength)
      return Promise.resolve(byLength(text.length));
    const [only = '', ...others] = texts;
    const question = others.length === 0 ? only : texts;
    return new Promise((resolve) => {
      this.#queued += length;
      this.#post({ question, length, scale, textLength: text.length, resolve });
    });
  }

  /** Ends the thread. What still waits is estimated. */
  async close(): Promise<void> {
    this.#abandon();
    await this.#thread.close();
  }

  #post(waiting: Waiting): void {
    this.#outbox.push(waiting);
    this.#sending ??= setImmediate(() => this.#send());
  }

  #send(): void {
    this.#sending = undefined;
    const next = this.#takeNext();
    if (next.length === 0) return;
    this.#asked.push(...next);
    try {
      this.#thread.post(next.map(({ question }) => question));
    } catch {
      this.#abandon();
      void this.#thread.end();
    }
  }

  #takeNext(): readonly Waiting[] {
    let end = 0;
    for (; end < this.#outbox.length && (this.#sent === 0 || this.#sent < maxInFlightLength); end++) {
      this.#sent += this.#outbox[end]?.length ?? 0;
    }
    return this.#outbox.splice(0, end);
  }

  #receive(answers: readonly number[]): void {
    this.#asked.splice(0, answers.length).forEach((waiting, at) => this.#settle(waiting, answers[at] ?? 0));
    if (this.#asked.length + this.#outbox.length === 0) this.#thread.rest();
    // Sends the texts that were held back. Texts that arrive in this turn are sent at its end.
    if (this.#sending === undefined && this.#sent <= maxInFlightLength / 2) this.#send();
  }

  #settle({ length, scale, resolve }: Waiting, tokens: number): void {
    this.#sent -= length;
    this.#queued -= length;
    resolve({ tokens: Math.round(tokens * scale), estimated: scale !== 1 });
  }

  /** Estimates all pending texts. */
  #abandon(): void {
    clearImmediate(this.#sending);
    this.#sending = undefined;
    this.#sent = 0;
    this.#queued = 0;
    const left = [...this.#asked.splice(0), ...this.#outbox.splice(0)];
    for (const { textLength, resolve } of left) resolve(byLength(textLength));
  }
}

/** About four characters to a token, as in English and in JSON. */
function byLength(characters: number): TokenCount {
  return { tokens: Math.ceil(characters / 4), estimated: true };
}

// Remembers the tokens of texts that come again: one list goes to many sessions, one answer is counted by record and
// ledger.

/** Shorter ones cost less to count than to remember. */
const minCachedLength = 40;

export class TokenCache {
  readonly #counter: Pick<TokenCounter, 'count'>;
  readonly #most: number;
  readonly #known = new Map<string, Promise<TokenCount>>();

  /** `most`: how many texts are remembered, those used last. */
  constructor(counter: Pick<TokenCounter, 'count'>, most = 2000) {
    this.#counter = counter;
    this.#most = most;
  }

  count(text: string): Promise<TokenCount> {
    if (text.length < minCachedLength) return this.#counter.count(text);
    const key = hash('sha256', text, 'base64');
    const count = this.#known.get(key) ?? this.#count(key, text);
    // Maps keep the order of insertion: the one used last stands last.
    this.#known.delete(key);
    this.#known.set(key, count);
    return count;
  }

  #count(key: string, text: string): Promise<TokenCount> {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= this.#most && oldest !== undefined) this.#known.delete(oldest);
    const count = this.#counter.count(text);
    void count.then(({ estimated }) => {
      // There may be time to count it when it comes again.
      if (estimated && this.#known.get(key) === count) this.#known.delete(key);
    });
    return count;
  }
}

// Pieces of a huge text that stand for the whole of it.

interface TextSample {
  readonly texts: readonly string[];
  /** Factor from a count over the samples to the whole text. */
  readonly scale: number;
}

const sampleCount = 32;

/** The text itself up to `longest` characters, else pieces of that length in all, spread evenly from first to last. */
export function sampleText(text: string, longest: number): TextSample {
  if (text.length <= longest) return { texts: [text], scale: 1 };
  const length = Math.max(1, Math.floor(longest / sampleCount));
  const step = (text.length - length) / (sampleCount - 1);
  const texts = Array.from({ length: sampleCount }, (_, index) => {
    const start = Math.floor(index * step);
    return text.slice(start, start + length);
  });
  return { texts, scale: text.length / (length * sampleCount) };
}

/** Returns the URL of the worker that counts tokens, in the sources or in the build. */
export function tokenWorkerUrl(): URL {
  return resolveWorkerUrl('token-worker', import.meta.url);
}
