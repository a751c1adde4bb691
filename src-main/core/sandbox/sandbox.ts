/** Runs model-written code with limits: JavaScript in threads, Python in processes, a fresh VM per run, tools as the only way out. */
import { Slots } from '../base/slots.ts';
import { PythonRuns } from './python-runs.ts';
import { withDefaults } from './sandbox-limits.ts';
import { SandboxRun } from './sandbox-run.ts';
import { pythonWorkerUrl, sandboxWorkerUrl } from './sandbox-location.ts';
import {
  longestCode,
  longestValue,
  type SandboxError,
  type SandboxOutcome,
  type SandboxRequest,
} from './sandbox-request.ts';
import { SandboxThread } from './sandbox-thread.ts';
import { namesPython, readsLikePython } from './speaks-python.ts';

export interface SandboxOptions {
  /** Where the worker lies; found by itself by default. */
  readonly workerUrl?: URL;
  /** Where the entry of the process for Python lies; found by itself by default. */
  readonly pythonUrl?: URL;
  /** Runs at the same time; others wait in line (2 by default). */
  readonly threads?: number;
  /** The thread kept ready ends after this long without a run, in ms (300 000 by default). */
  readonly idleMs?: number;
}

/** Longest line of runs that wait for a thread. */
const mostWaiting = 50;

export class Sandbox {
  readonly #workerUrl: URL;
  readonly #idleMs: number;
  readonly #slots: Slots;
  readonly #python: PythonRuns;
  readonly #threads = new Set<SandboxThread>();
  readonly #closing = new AbortController();
  /** Ready for a run: one, and one more for each run that waits in line. */
  readonly #spares = new Set<SandboxThread>();
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: SandboxOptions = {}) {
    this.#workerUrl = options.workerUrl ?? sandboxWorkerUrl();
    this.#python = new PythonRuns(options.pythonUrl ?? pythonWorkerUrl());
    this.#slots = new Slots(options.threads ?? 2);
    this.#idleMs = options.idleMs ?? 300_000;
  }

  /** Threads that exist now. */
  get threads(): number {
    return this.#threads.size;
  }

  /** Processes for Python that exist now. */
  get processes(): number {
    return this.#python.processes;
  }

  /** Starts the thread that is kept ready, so that the first run need not wait for it. */
  warm(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#spares.size === 0) this.#spares.add(this.#startThread());
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#endSpares(), this.#idleMs).unref();
  }

  /** Never rejects: what goes wrong, in the code or here, is in the outcome. */
  async run(request: SandboxRequest): Promise<SandboxOutcome> {
    const { language, globals, code } = request;
    const isOpen = language === undefined && globals === 'execute' && code.length <= longestCode;
    const python: SandboxRequest = { ...request, language: 'python' };
    if (isOpen && namesPython(code)) return this.#runOnce(python);
    const outcome = await this.#runOnce(request);
    // Nothing of it has run.
    const isNoJavaScript = !outcome.ok && outcome.error.code === 'SYNTAX_ERROR';
    return isOpen && isNoJavaScript && readsLikePython(code) ? this.#runOnce(python) : outcome;
  }

  async #runOnce(request: SandboxRequest): Promise<SandboxOutcome> {
    const input = inputText(request.input);
    const refusal = this.#refuse(request, input);
    if (refusal !== undefined) return failed(refusal);
    const signal = AbortSignal.any([this.#closing.signal, ...(request.signal ? [request.signal] : [])]);
    if (signal.aborted || !(await this.#slots.take(signal)))
      return failed({ code: 'CANCELLED', message: 'The run was cancelled.' });
    try {
      const run = { ...request, signal };
      return await (request.language === 'python'
        ? this.#python.run(run, input ?? '{}')
        : this.#runOnThread(run, input ?? '{}'));
    } finally {
      this.#slots.release();
    }
  }

  /** Cancels what runs and ends every thread. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idleTimer);
    this.#spares.clear();
    await Promise.all([this.#python.close(), ...[...this.#threads].map((thread) => thread.terminate())]);
  }

  #refuse({ code }: SandboxRequest, input: string | undefined): SandboxError | undefined {
    if (code.length > longestCode) {
      return { code: 'SYNTAX_ERROR', message: `The code is longer than ${longestCode >> 20} MB.` };
    }
    if (input === undefined || input.length > longestValue) {
      const message = `The input must be JSON of at most ${longestValue >> 20} MB.`;
      return { code: 'SERIALIZATION_ERROR', message };
    }
    if (this.#slots.waiting < mostWaiting) return undefined;
    return { code: 'RUNTIME_ERROR', message: 'Too many runs are waiting already. Try again in a moment.' };
  }

  async #runOnThread(request: SandboxRequest, input: string): Promise<SandboxOutcome> {
    const [spare] = this.#spares;
    const thread = spare ?? this.#startThread();
    this.#spares.delete(thread);
    // Its time begins when it can: starting a thread on a busy machine is not the code's fault.
    await Promise.race([thread.ready, aborted(request.signal)]);
    const run = new SandboxRun(thread, request, withDefaults(request.limits));
    const outcome = await run.outcome(input);
    const isWanted = this.#spares.size <= this.#slots.waiting && !this.#closing.signal.aborted;
    if (run.isReusable && isWanted) this.#spares.add(thread);
    else void thread.terminate();
    this.warm();
    return outcome;
  }

  #startThread(): SandboxThread {
    const thread = new SandboxThread(this.#workerUrl);
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

function failed(error: SandboxError): SandboxOutcome {
  return { ok: false, error, console: [], calls: 0, ms: 0 };
}

function inputText(input: unknown): string | undefined {
  try {
    return JSON.stringify(input ?? {});
  } catch {
    return undefined;
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
