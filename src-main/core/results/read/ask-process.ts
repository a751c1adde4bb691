/**
 * Puts one question about a lot of data to a process of its own. A process and no thread: JSON.parse looks at no limit while it
 * works, and V8 ends the whole process when it runs out of heap in it (measured in 24.21: a list of 20 million empty objects).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { totalmem } from 'node:os';
import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../base/errors.ts';
import { type ReadDeadlines, tookTooLong } from './read-deadlines.ts';
import type { ReadReply, ReadRequest } from './reader-messages.ts';

/** Where the file is among those that the process is given: behind the three usual ones and its line to us. */
const fileAt = 4;

/** 200 MB of JSON are about 2 GB of objects. */
const usualMemory = 4 * 1024 ** 3;

export interface ReaderProcess {
  readonly entry: URL;
  /** Room for its objects, in bytes: 4 GB by default, and no more than half of what the computer has. */
  readonly memory?: number | undefined;
}

/** Rejects with AppError call_timeout, cancelled or unsupported (out of memory); the process is gone by then. */
export async function askProcess(
  reader: ReaderProcess,
  { target, question, maxBytes, index }: ReadRequest,
  deadlines: ReadDeadlines,
  signal: AbortSignal,
): Promise<ReadReply> {
  const child = start(reader, target.fd);
  const { promise, resolve, reject } = Promise.withResolvers<ReadReply>();
  let reason: AppError | undefined;
  const end = (why: AppError): void => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const abort = (): void => end(new AppError('cancelled', 'The reading was given up.'));
  const limit = setTimeout(() => end(tookTooLong(question, deadlines)), deadlines.wholeMs);
  signal.addEventListener('abort', abort, { once: true });
  child.once('message', (reply) => resolve(reply as ReadReply));
  child.once('error', (error) => reject(lost(error)));
  child.once('exit', (code, killed) => reject(reason ?? lost(new Error(`It ended with ${killed ?? code}.`))));
  try {
    // A process that has just died is told of by its exit.
    child.send({ target: { ...target, fd: fileAt }, question, maxBytes, index }, () => undefined);
    if (signal.aborted) abort();
    return await promise;
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', abort);
    child.kill('SIGKILL');
  }
}

function start({ entry, memory = usualMemory }: ReaderProcess, fd: number): ChildProcess {
  const megabytes = Math.floor(Math.min(memory, totalmem() / 2) / 1024 ** 2);
  return fork(fileURLToPath(entry), [], {
    env: bareEnvironment(),
    execArgv: [`--max-old-space-size=${megabytes}`],
    cwd: parse(process.execPath).root,
    // A group of its own: an interrupt at the terminal is for the core, which then ends it.
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', fd],
  });
}

/** Nothing of the core's surroundings but what it takes to run at all. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return { ELECTRON_RUN_AS_NODE: '1', ...(SystemRoot !== undefined && { SystemRoot }) };
}

function lost(cause: Error): AppError {
  return new AppError('unsupported', 'The file takes more memory as data than it may have.', {
    fix: "Use op='grep', 'head', 'tail', 'slice' or 'read'.",
    cause,
  });
}
