/** Runs of Python: a fresh process for each, killed afterwards, and one kept ready, because it takes a while to start. */
import { SandboxProcess } from './sandbox-process.ts';
import { SandboxRun } from './sandbox-run.ts';
import { withDefaults } from './sandbox-limits.ts';
import type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts';

export class PythonRuns {
  readonly #entry: URL;
  readonly #processes = new Set<SandboxProcess>();
  #spare: SandboxProcess | undefined;
  #isClosed = false;

  constructor(entry: URL) {
    this.#entry = entry;
  }

  /** Processes that exist now, besides the one that is kept ready. */
  get processes(): number {
    return this.#processes.size - (this.#spare === undefined ? 0 : 1);
  }

  /** Starts the process that is kept ready. */
  warm(): void {
    if (!this.#isClosed) this.#spare ??= this.#start();
  }

  /** Ends the process that is kept ready. */
  cool(): void {
    void this.#spare?.terminate();
  }

  /** A process that is ready, or has ended over its start, or is not waited for any more; to be given back. */
  async take(signal: AbortSignal): Promise<SandboxProcess> {
    const process = this.#spare ?? this.#start();
    this.#spare = undefined;
    // Time begins when it can: loading the interpreter is not the code's fault.
    await Promise.race([process.ready, aborted(signal)]);
    return process;
  }

  /** Never rejects. */
  async run(process: SandboxProcess, request: SandboxRequest, input: string): Promise<SandboxOutcome> {
    if (process.absence !== undefined) return unavailable;
    return new SandboxRun(process, request, withDefaults(request.limits)).outcome(input);
  }

  /** `isFresh`: no code has run in it. */
  giveBack(process: SandboxProcess, isFresh: boolean): void {
    if (isFresh && process.isAlive && this.#spare === undefined && !this.#isClosed) this.#spare = process;
    else void process.terminate();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#processes].map((process) => process.terminate()));
  }

  #start(): SandboxProcess {
    const process = new SandboxProcess(this.#entry);
    this.#processes.add(process);
    void process.ended.then(() => {
      this.#processes.delete(process);
      if (this.#spare === process) this.#spare = undefined;
    });
    return process;
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

const unavailable: SandboxOutcome = {
  ok: false,
  error: { code: 'LANGUAGE_UNAVAILABLE', message: 'This is Python, which is not available on this computer.' },
  ...{ console: [], calls: 0, ms: 0 },
};
