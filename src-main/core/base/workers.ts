/**
 * How threads and processes of Tooltray begin: bare of the core's surroundings, with a limit on memory, and holding up
 * nobody's end.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

interface ThreadOptions {
  /** Room for its objects, in MB: when it runs out, the thread ends and not the core. */
  readonly memory: number;
  /** Stack size, in MB; 4 by default. */
  readonly stack?: number;
  readonly data?: unknown;
}

/** It has no way onto our stdout, which may carry frames of MCP. */
export function startWorkerThread(entry: URL, { memory, stack = 4, data }: ThreadOptions): Worker {
  // The compile cache is the only variable that it gets: with it a thread starts in a quarter of the time.
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
  /** Room for its objects, in MB. */
  readonly memory: number;
  readonly flags?: readonly string[];
  /** Open files that it may read, from its `givenFile` on. */
  readonly files?: readonly number[];
  /** Variables it needs in addition to the base environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Behind the three usual descriptors and its line to us. */
export const inheritedFileDescriptor = 4;

/** It and we talk in structured clones. */
export function startWorkerProcess(
  entry: URL,
  { memory, flags = [], files = [], env = {} }: ProcessOptions,
): ChildProcess {
  // Nothing of our environment besides what Windows needs to start a process and Electron to be Node.
  const { SystemRoot } = process.env;
  return fork(fileURLToPath(entry), [], {
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', ...(SystemRoot !== undefined && { SystemRoot }) },
    execArgv: [`--max-old-space-size=${memory}`, ...flags],
    cwd: parse(process.execPath).root,
    // A group of its own: an interrupt at the terminal is for the core, which then ends it.
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...files],
  });
}

/**
 * The URL of the worker whose source is `<path>.ts` as seen from the module that starts it, given the `import.meta.url`
 * of that. The bundle has all workers side by side: `<name>.js` next to the chunk or one folder up (dist/chunks/).
 */
export function resolveWorkerUrl(path: string, moduleUrl: string): URL {
  if (new URL(moduleUrl).pathname.endsWith('.ts')) return new URL(`./${path}.ts`, moduleUrl);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const beside = new URL(`./${name}.js`, moduleUrl);
  return existsSync(beside) ? beside : new URL(`../${name}.js`, moduleUrl);
}
