/** Runs of Python: a fresh process for each, killed afterwards; none where the interpreter cannot be loaded. */
import { SandboxProcess } from './sandbox-process.ts';
import { SandboxRun } from './sandbox-run.ts';
import { withDefaults } from './sandbox-limits.ts';
import type { SandboxOutcome, SandboxRequest } from './sandbox-request.ts';

export class PythonRuns {
  readonly #entry: URL;
  readonly #processes = new Set<SandboxProcess>();

  constructor(entry: URL) {
    this.#entry = entry;
  }

  /** Processes that exist now. */
  get processes(): number {
    return this.#processes.size;
  }

  /** Never rejects. */
  async run(request: SandboxRequest, input: string): Promise<SandboxOutcome> {
    const process = new SandboxProcess(this.#entry);
    this.#processes.add(process);
    void process.ended.then(() => this.#processes.delete(process));
    const cancelled = Promise.withResolvers<void>();
    request.signal?.addEventListener('abort', () => cancelled.resolve(), { once: true });
    if (request.signal?.aborted === true) cancelled.resolve();
    // Its time begins when it can: loading the interpreter is not the code's fault.
    await Promise.race([process.ready, cancelled.promise]);
    const { absence } = process;
    const outcome =
      absence === undefined
        ? await new SandboxRun(process, request, withDefaults(request.limits)).outcome(input)
        : unavailable;
    void process.terminate();
    return outcome;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes].map((process) => process.terminate()));
  }
}

const unavailable: SandboxOutcome = {
  ok: false,
  error: { code: 'LANGUAGE_UNAVAILABLE', message: 'This is Python, which is not available on this computer.' },
  ...{ console: [], calls: 0, ms: 0 },
};
