/**
 * Worker threads and processes from their start to their end. They get a minimal environment and a memory limit, and
 * never keep the core from exiting.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** How a worker ended. `error`: the cause, if it failed by itself; `signal`: for a process that was killed. */
export interface WorkerEnd {
  readonly error: Error | undefined;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface WorkerEvents<Out> {
  onMessage(message: Out): void;
  /** Called once. */
  onEnd(end: WorkerEnd): void;
}

/** `In` and `Out`: messages to the worker and from it, in structured clones. */
export class WorkerHandle<In, Out> {
  readonly #worker: Worker | ChildProcess;
  readonly #events: WorkerEvents<Out>;
  readonly #ended = Promise.withResolvers<void>();
  #error: Error | undefined;
  #isAlive = true;

  private constructor(worker: Worker | ChildProcess, events: WorkerEvents<Out>) {
    this.#worker = worker;
    this.#events = events;
    const emitter: EventEmitter = worker;
    emitter.on('message', (message: Out) => events.onMessage(message));
    emitter.on('error', (error: Error) => {
      this.#error ??= error;
      // A process that could not be started reports no exit.
      if ('pid' in worker && worker.pid === undefined) this.#leave(null, null);
    });
    emitter.on('exit', (code: number | null, signal: NodeJS.Signals | null = null) => this.#leave(code, signal));
  }

  static thread<In, Out>(entry: URL, options: ThreadOptions, events: WorkerEvents<Out>): WorkerHandle<In, Out> {
    return new WorkerHandle<In, Out>(startWorkerThread(entry, options), events);
  }

  static process<In, Out>(entry: URL, options: ProcessOptions, events: WorkerEvents<Out>): WorkerHandle<In, Out> {
    return new WorkerHandle<In, Out>(startWorkerProcess(entry, options), events);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Undefined for a thread, and for a process that could not be started. */
  get pid(): number | undefined {
    return 'pid' in this.#worker ? this.#worker.pid : undefined;
  }

  /** Does nothing if the worker has ended. Throws if the message cannot be cloned. */
  post(message: In, transferred: readonly ArrayBuffer[] = []): void {
    if (!this.#isAlive) return;
    if ('postMessage' in this.#worker) this.#worker.postMessage(message, transferred);
    // A process that has just ended reports that by its exit.
    else this.#worker.send(message as object, () => undefined);
  }

  /** Ends the worker whatever it is doing. Resolves when it has ended, after `onEnd`. */
  async end(): Promise<void> {
    if ('postMessage' in this.#worker) await this.#worker.terminate();
    else this.#worker.kill('SIGKILL');
    await this.#ended.promise;
  }

  #leave(code: number | null, signal: NodeJS.Signals | null): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#events.onEnd({ error: this.#error, code, signal });
    this.#ended.resolve();
  }
}

interface ThreadOptions {
  /** Memory for its objects, in MB; beyond it the thread ends, not the core. */
  readonly memory: number;
  /** Stack size in MB (default: 4). */
  readonly stack?: number;
  readonly data?: unknown;
}

/** It cannot write to our stdout, which may carry MCP frames. */
function startWorkerThread(entry: URL, { memory, stack = 4, data }: ThreadOptions): Worker {
  // It receives no other variable; with the compile cache it starts in a quarter of the time.
  const { NODE_COMPILE_CACHE } = process.env;
  const worker = new Worker(entry, {
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: memory, stackSizeMb: stack },
  });
  worker.unref();
  return worker;
}

interface ProcessOptions {
  /** Memory for its objects, in MB. */
  readonly memory: number;
  readonly flags?: readonly string[];
  /** Open files that it may read, from `inheritedFileDescriptor` on. */
  readonly files?: readonly number[];
  /** Variables it needs in addition to the base environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The first descriptor after stdin, stdout, stderr and the IPC channel. */
export const inheritedFileDescriptor = 4;

/** Messages use structured clones. */
function startWorkerProcess(entry: URL, { memory, flags = [], files = [], env = {} }: ProcessOptions): ChildProcess {
  // The environment contains only what Windows needs to start a process, and Electron to run as Node.
  const { SystemRoot } = process.env;
  const child = fork(fileURLToPath(entry), [], {
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', ...(SystemRoot !== undefined && { SystemRoot }) },
    execArgv: [`--max-old-space-size=${memory}`, ...flags],
    cwd: parse(process.execPath).root,
    // A group of its own, so that an interrupt at the terminal reaches only the core, which then ends it.
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...files],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

/**
 * The URL of a worker with the source `<path>.ts`, relative to the module with `moduleUrl` (its `import.meta.url`). In
 * the bundle all workers are in one folder: `<name>.js` next to the chunk or one folder up (dist/chunks/).
 */
export function resolveWorkerUrl(path: string, moduleUrl: string): URL {
  if (new URL(moduleUrl).pathname.endsWith('.ts')) return new URL(`./${path}.ts`, moduleUrl);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const beside = new URL(`./${name}.js`, moduleUrl);
  return existsSync(beside) ? beside : new URL(`../${name}.js`, moduleUrl);
}
