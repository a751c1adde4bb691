/**
 * Runs code of models with limits: JavaScript in threads, Python in processes, each run in a fresh VM whose only
 * access is tools.
 */
import { cancelledRunError, CodeRun } from './code-run.ts';
import { FairSemaphore } from '../base/semaphore.ts';
import { resolveWorkerUrl } from '../base/workers.ts';
import {
  type CheckedMessage,
  maxCodeLength,
  maxValueLength,
  type CodeRunError,
  type CodeRunOutcome,
  type CodeRunRequest,
  withDefaults,
} from './run-request.ts';
import { GuestWorker } from './guest-worker.ts';

export interface CodeRunnerOptions {
  /** URL of the worker; located automatically by default. */
  readonly workerUrl?: URL;
  /** URL of the entry of the Python process; located automatically by default. */
  readonly pythonUrl?: URL;
  /** Maximum number of concurrent runs, of which one owner uses at most half; others are queued (default: 4). */
  readonly threads?: number;
  /** Idle time after which the idle thread and the idle interpreter end, in ms (default: 300,000). */
  readonly idleMs?: number;
}

/** Maximum number of queued runs of one owner. */
const maxWaiting = 50;

export class CodeRunner {
  readonly #workerUrl: URL;
  readonly #idleMs: number;
  readonly #slots: FairSemaphore<unknown>;
  readonly #python: PythonRuns;
  readonly #threads = new Set<GuestWorker>();
  readonly #closing = new AbortController();
  /** Idle threads: one, plus one per queued run. */
  readonly #spares = new Set<GuestWorker>();
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: CodeRunnerOptions = {}) {
    this.#workerUrl = options.workerUrl ?? codeRunnerWorkerUrl();
    this.#idleMs = options.idleMs ?? 300_000;
    this.#python = new PythonRuns(options.pythonUrl ?? pythonProcessUrl(), this.#idleMs);
    this.#slots = new FairSemaphore(options.threads ?? 4);
  }

  /** Number of existing threads. */
  get threads(): number {
    return this.#threads.size;
  }

  /** Number of existing Python processes, except the idle one. */
  get processes(): number {
    return this.#python.processes;
  }

  /** Process id of the idle Python interpreter; undefined if there is none. */
  get idlePid(): number | undefined {
    return this.#python.idlePid;
  }

  /**
   * Starts the thread for the next run. A Python process takes 200 MB, so it is started by the first Python run only.
   */
  prewarm(): void {
    this.#keepThread();
  }

  /** Never rejects: any failure is part of the outcome. */
  async run(request: CodeRunRequest): Promise<CodeRunOutcome> {
    const input = inputText(request.input);
    const refusal = this.#refuse(request, input);
    if (refusal !== undefined) return failed(refusal);
    const signal = AbortSignal.any([this.#closing.signal, ...(request.signal ? [request.signal] : [])]);
    if (signal.aborted || !(await this.#slots.acquire(request.owner, signal))) return failed(cancelledRunError);
    try {
      const run = { ...request, signal };
      return await (request.language === undefined || request.language === 'python'
        ? this.#runPython(run, input ?? '{}')
        : this.#runOnThread(run, input ?? '{}'));
    } finally {
      this.#slots.release(request.owner);
    }
  }

  /** Cancels all runs and ends every thread. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idleTimer);
    this.#spares.clear();
    await Promise.all([this.#python.close(), ...[...this.#threads].map((thread) => thread.terminate())]);
  }

  #refuse({ code, owner }: CodeRunRequest, input: string | undefined): CodeRunError | undefined {
    if (code.length > maxCodeLength) {
      return { code: 'SYNTAX_ERROR', message: `The code is longer than ${maxCodeLength >> 20} MB.` };
    }
    if (input === undefined || input.length > maxValueLength) {
      const message = `The input must be JSON of at most ${maxValueLength >> 20} MB.`;
      return { code: 'SERIALIZATION_ERROR', message };
    }
    if (this.#slots.waitingFor(owner) < maxWaiting) return undefined;
    return { code: 'RUNTIME_ERROR', message: 'Too many queued runs. Try again later.' };
  }

  /** Python, and code of an unspecified language, which the process checks with both parsers before running it. */
  async #runPython(request: CodeRunRequest & { signal: AbortSignal }, input: string): Promise<CodeRunOutcome> {
    const process = await this.#python.take(request.signal);
    let isFresh = true;
    try {
      if (request.language === undefined) {
        const checked = await Promise.race([process.check(request.code), aborted(request.signal)]);
        if (request.signal.aborted) return failed(cancelledRunError);
        const read = checked === undefined ? decideAlone(request) : decide(checked, request);
        if ('error' in read) return failed(read.error);
        const readAs = read.isSure ? {} : { readAs: read.language };
        if (read.language === 'javascript') return { ...(await this.#runOnThread(request, input)), ...readAs };
        isFresh = false;
        return { ...(await this.#python.run(process, request, input)), ...readAs };
      }
      isFresh = false;
      return await this.#python.run(process, request, input);
    } finally {
      this.#python.giveBack(process, isFresh);
    }
  }

  async #runOnThread(request: CodeRunRequest, input: string): Promise<CodeRunOutcome> {
    const [spare] = this.#spares;
    const thread = spare ?? this.#startThread();
    this.#spares.delete(thread);
    // The time limit starts afterwards, because starting a thread on a busy machine is not the code's fault.
    await Promise.race([thread.ready, aborted(request.signal)]);
    const run = new CodeRun(thread, request, withDefaults(request.limits));
    const outcome = await run.outcome(input);
    const isWanted = this.#spares.size <= this.#slots.waiting && !this.#closing.signal.aborted;
    if (run.isReusable && isWanted) this.#spares.add(thread);
    else void thread.terminate();
    this.#keepThread();
    return outcome;
  }

  /** Keeps a spare thread until there was no run for a long time. */
  #keepThread(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#spares.size === 0) this.#spares.add(this.#startThread());
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#endSpares(), this.#idleMs).unref();
  }

  #startThread(): GuestWorker {
    const thread = GuestWorker.thread(this.#workerUrl);
    this.#threads.add(thread);
    void thread.ended.then(() => {
      this.#threads.delete(thread);
      this.#spares.delete(thread);
    });
    return thread;
  }

  #endSpares(): void {
    for (const thread of this.#spares) void thread.terminate();
    this.#spares.clear();
  }
}

function failed(error: CodeRunError): CodeRunOutcome {
  return { ok: false, error, console: [], calls: 0, ms: 0 };
}

function inputText(input: unknown): string | undefined {
  try {
    return JSON.stringify(input ?? {});
  } catch {
    return undefined;
  }
}

type Read = { readonly language: 'javascript' | 'python'; readonly isSure: boolean } | { readonly error: CodeRunError };
const asJavaScript: Read = { language: 'javascript', isSure: true };

/** Decides without a Python parser: code that looks like Python is refused with an explanation. */
function decideAlone({ code }: CodeRunRequest): Read {
  return readsLikePython(code) ? { language: 'python', isSure: true } : asJavaScript;
}

/**
 * Code that only one parser accepts is in that language; if both do, it is in the tool's usual language, unless it
 * uses names that only exist in JavaScript (`{ name: true }`).
 */
function decide({ error, isJavaScript, isForeign }: CheckedMessage, { code, globals }: CodeRunRequest): Read {
  const isPython = error === undefined && !(isForeign === true && isJavaScript === true);
  if (isPython && isJavaScript === true) {
    return { language: globals === 'execute' ? 'python' : 'javascript', isSure: false };
  }
  if (isPython) return { language: 'python', isSure: true };
  // Invalid code is reported as an error of the language it resembles.
  return error !== undefined && isJavaScript !== true && readsLikePython(code) ? { error } : asJavaScript;
}

// Guesses the language of code that no parser accepts, so that the error is that of the right one. Runs in the core's
// thread: every pattern reads a megabyte in one pass.

/** Strings and comments after a `#` do not indicate the language. */
const strings = /("""|''')[\s\S]*?\1|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|#.*$/gm;

const onlyJavaScript =
  /\b(?:const|let|var)\s+[\w{[]|\bfunction\b|\bnew\s+\w|=>|[!=]==|&&|\|\||`|;[ \t]*$|\)[ \t]*\{[ \t]*$|\b(?:else|try|finally|do)[ \t]*\{|\bconsole\.|^[ \t]*\/[/*]/m;

/** Names that exist in Python and not in the JavaScript VM. */
const pythonNames =
  /\b(?:True|False|None)\b|(?<![.\w])(?:print|len|str|int|float|bool|dict|list|tuple|range|sorted|enumerate|isinstance|zip|sum|any|all|repr)\(/;

const pythonWriting = [
  /^[ \t]*(?:(?:async[ \t]+)?(?:def|for|with)|while|if|elif|else|try|except|finally|class)\b.*:[ \t]*$/m,
  /^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]|import[ \t]+\w[\w., ]*$)/m,
  /^[ \t]*(?:pass|raise|assert|del|global|nonlocal)\b/m,
  /\b(?:not|and|or|lambda|elif)\b|\bis None\b/,
  /\bfor \w+(?:, ?\w+)* in\b/,
  // The string itself has been removed before this match.
  /(?<![\w.])[fr](?=[ \t]*(?:[),\]}]|$))/m,
];

function readsLikePython(code: string): boolean {
  const bare = code.replace(strings, '');
  const marks = [/^[ \t]*#/m, /"""|'''/];
  if (onlyJavaScript.test(bare)) return false;
  return marks.some((mark) => mark.test(code)) || [pythonNames, ...pythonWriting].some((mark) => mark.test(bare));
}

/**
 * Runs of Python: a fresh process each, killed afterwards. After the first run, one idle process is kept ready for the
 * next one, because an interpreter takes half a second of processor time to start. It ends after `idleMs` without a
 * run.
 */
class PythonRuns {
  readonly #entry: URL;
  readonly #idleMs: number;
  readonly #processes = new Set<GuestWorker>();
  #spare: GuestWorker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(entry: URL, idleMs: number) {
    this.#entry = entry;
    this.#idleMs = idleMs;
  }

  /** Number of existing processes, except the idle one. */
  get processes(): number {
    return this.#processes.size - (this.#spare === undefined ? 0 : 1);
  }

  get idlePid(): number | undefined {
    return this.#spare?.pid;
  }

  /**
   * Resolves to a process that is ready, has failed to start, or is no longer waited for; the caller must give it
   * back.
   */
  async take(signal: AbortSignal): Promise<GuestWorker> {
    clearTimeout(this.#idleTimer);
    const process = this.#spare ?? this.#start();
    this.#spare = undefined;
    // The time limit starts afterwards, because loading the interpreter is not the code's fault.
    await Promise.race([process.ready, aborted(signal)]);
    return process;
  }

  /** Never rejects. Meanwhile starts the process for the next run. */
  async run(process: GuestWorker, request: CodeRunRequest, input: string): Promise<CodeRunOutcome> {
    if (process.unavailableReason !== undefined) return unavailable;
    this.#startSpare();
    return new CodeRun(process, request, withDefaults(request.limits)).outcome(input);
  }

  /** `isFresh`: whether it has run no code. */
  giveBack(process: GuestWorker, isFresh: boolean): void {
    if (isFresh && process.isAlive && this.#spare === undefined && !this.#isClosed) this.#spare = process;
    else void process.terminate();
    if (this.#isClosed) return;
    if (process.unavailableReason === undefined) this.#startSpare();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#spare?.terminate(), this.#idleMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await Promise.all([...this.#processes].map((process) => process.terminate()));
  }

  #startSpare(): void {
    if (!this.#isClosed) this.#spare ??= this.#start();
  }

  #start(): GuestWorker {
    const process = GuestWorker.process(this.#entry);
    this.#processes.add(process);
    void process.ended.then(() => {
      this.#processes.delete(process);
      if (this.#spare === process) this.#spare = undefined;
    });
    return process;
  }
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

const unavailable: CodeRunOutcome = {
  ok: false,
  error: { code: 'LANGUAGE_UNAVAILABLE', message: 'This is Python, which is not available on this computer.' },
  console: [],
  calls: 0,
  ms: 0,
};

// Returns where the code runner's worker files are, both in the sources and in the build.

export function codeRunnerWorkerUrl(): URL {
  return resolveWorkerUrl('js-worker/js-runner-worker', import.meta.url);
}

/** The entry of the process for Python. */
function pythonProcessUrl(): URL {
  return resolveWorkerUrl('python-worker/python-process', import.meta.url);
}
