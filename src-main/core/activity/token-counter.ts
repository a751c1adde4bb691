/** Counts tokens in a worker thread that is started when there is something to count and ended when there is not. */
import { hash } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { startThread, workerLocation } from '../base/worker-line.ts';
import type { CountAnswer, CountQuestion } from './token-worker.ts';

export interface TokenCount {
  readonly tokens: number;
  /** Not counted in full: the text was too large, too much was waiting, or the thread could not be had. */
  readonly estimated: boolean;
}

export interface TokenCounterOptions {
  /** Where the worker lies: `workerLocation('token-worker', import.meta.url)`. */
  readonly workerUrl: URL;
  /** Longer texts are estimated from a sample of 1/8 of this length; in characters (4 Mi by default). */
  readonly longestText?: number;
  /** While this much waits, further texts are estimated by their length; in characters (32 Mi by default). */
  readonly longestQueue?: number;
  /** The thread ends after this long without work, in ms (30 000 by default): it holds some 100 MB, and starts in half a second. */
  readonly idleMs?: number;
}

interface Waiting {
  readonly length: number;
  readonly scale: number;
  readonly textLength: number;
  readonly resolve: (count: TokenCount) => void;
}

/**
 * So much is with the thread at once, in characters, or one text: what waits beyond lies in this thread's heap, which gives its memory
 * back. What is sent over lies meanwhile in memory of the system's that a thread keeps even after its end.
 */
const mostSent = 256 * 1024;
/** What is asked within this time goes over in one message, in ms: nobody waits for a count, and each message wakes two threads. */
const gatherMs = 10;
/** After this many threads that died without an answer none is started any more. */
const mostFailures = 3;

export class TokenCounter {
  readonly #workerUrl: URL;
  readonly #longestText: number;
  readonly #longestQueue: number;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #outbox: CountQuestion[] = [];
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #sendTimer: NodeJS.Timeout | undefined;
  #queued = 0;
  #sent = 0;
  #lastId = 0;
  #failures = 0;
  #closed = false;

  constructor(options: TokenCounterOptions) {
    this.#workerUrl = options.workerUrl;
    this.#longestText = options.longestText ?? 4 * 1024 * 1024;
    this.#longestQueue = options.longestQueue ?? 32 * 1024 * 1024;
    this.#idleMs = options.idleMs ?? 30_000;
  }

  /** Is a thread running now? */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** Never rejects: what cannot be counted is estimated. */
  count(text: string): Promise<TokenCount> {
    if (text === '') return Promise.resolve({ tokens: 0, estimated: false });
    const large = text.length > this.#longestText;
    const { texts, scale } = sampleText(text, large ? Math.ceil(this.#longestText / 8) : text.length);
    const length = Math.round(text.length / scale);
    if (this.#closed || this.#failures >= mostFailures || this.#queued + length > this.#longestQueue) {
      return Promise.resolve(byLength(text.length));
    }
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { length, scale, textLength: text.length, resolve });
      this.#queued += length;
      this.#post({ id, texts });
    });
  }

  /** Ends the thread. What still waits is estimated. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #post(question: CountQuestion): void {
    clearTimeout(this.#idleTimer);
    this.#outbox.push(question);
    this.#sendTimer ??= setTimeout(() => this.#send(), gatherMs);
  }

  #send(): void {
    this.#sendTimer = undefined;
    const questions = this.#nextQuestions();
    if (questions.length === 0) return;
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(questions);
    } catch {
      this.#fail();
    }
  }

  #nextQuestions(): readonly CountQuestion[] {
    let end = 0;
    for (; end < this.#outbox.length && (this.#sent === 0 || this.#sent < mostSent); end++) {
      this.#sent += this.#waiting.get(this.#outbox[end]?.id ?? 0)?.length ?? 0;
    }
    return this.#outbox.splice(0, end);
  }

  #start(): Worker {
    const worker = startThread(this.#workerUrl, { memory: 512 });
    worker.on('message', (answers: readonly CountAnswer[]) => {
      for (const answer of answers) this.#settle(answer);
      // What was held back; what is being gathered still waits for its time.
      if (this.#sendTimer === undefined && this.#sent <= mostSent / 2) this.#send();
    });
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#fail();
    });
    return worker;
  }

  #settle({ id, tokens }: CountAnswer): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    this.#failures = 0;
    this.#sent -= waiting.length;
    waiting.resolve({ tokens: Math.round(tokens * waiting.scale), estimated: waiting.scale !== 1 });
    if (this.#waiting.size === 0) this.#idleTimer = setTimeout(() => void this.#end(), this.#idleMs).unref();
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#queued -= waiting?.length ?? 0;
    return waiting;
  }

  #fail(): void {
    this.#failures++;
    void this.#end();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    const worker = this.#worker;
    this.#worker = undefined;
    this.#outbox.length = 0;
    this.#sent = 0;
    for (const [id, waiting] of this.#waiting) {
      this.#take(id);
      waiting.resolve(byLength(waiting.textLength));
    }
    await worker?.terminate();
  }
}

/** About four characters to a token, as in English and in JSON. */
function byLength(characters: number): TokenCount {
  return { tokens: Math.ceil(characters / 4), estimated: true };
}

// Remembers the tokens of texts that come again: one list goes to many sessions, one answer is counted by record and ledger.

/** Shorter ones cost less to count than to remember. */
const shortest = 40;

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
    if (text.length < shortest) return this.#counter.count(text);
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
  /** What a count over the pieces is multiplied by to speak of the whole text. */
  readonly scale: number;
}

const pieces = 32;

/** The text itself up to `longest` characters, else pieces of that length in all, spread evenly from first to last. */
export function sampleText(text: string, longest: number): TextSample {
  if (text.length <= longest) return { texts: [text], scale: 1 };
  const length = Math.max(1, Math.floor(longest / pieces));
  const step = (text.length - length) / (pieces - 1);
  const texts = Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor(index * step);
    return text.slice(start, start + length);
  });
  return { texts, scale: text.length / (length * pieces) };
}

/** Where the worker that counts tokens lies, among the sources and in the build. */
export function tokenWorkerUrl(): URL {
  return workerLocation('token-worker', import.meta.url);
}
