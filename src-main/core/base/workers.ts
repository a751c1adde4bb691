/**
 * Starts worker threads and processes. They get a minimal environment and a memory limit, and never keep the core from
 * exiting.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

interface ThreadOptions {
  /** Memory for its objects, in MB; beyond it the thread ends, not the core. */
  readonly memory: number;
  /** Stack size in MB (default: 4). */
  readonly stack?: number;
  readonly data?: unknown;
}

/** It cannot write to our stdout, which may carry MCP frames. */
export function startWorkerThread(entry: URL, { memory, stack = 4, data }: ThreadOptions): Worker {
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
export function startWorkerProcess(
  entry: URL,
  { memory, flags = [], files = [], env = {} }: ProcessOptions,
): ChildProcess {
  // The environment contains only what Windows needs to start a process, and Electron to run as Node.
  const { SystemRoot } = process.env;
  return fork(fileURLToPath(entry), [], {
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', ...(SystemRoot !== undefined && { SystemRoot }) },
    execArgv: [`--max-old-space-size=${memory}`, ...flags],
    cwd: parse(process.execPath).root,
    // A group of its own, so that an interrupt at the terminal reaches only the core, which then ends it.
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...files],
  });
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
