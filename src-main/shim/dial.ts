/** One try to reach the core: connect, say hello, hear that we are let in. */
import { lstatSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { posix } from 'node:path';
import type { SocketLocation } from '../core/base/app-paths.ts';
import type { CoreCommand } from './start-core.ts';

export interface Link {
  readonly socket: Socket;
  /** Bytes that came behind the core's answer to the hello. */
  readonly rest: Buffer;
}

/** Nobody listens: the one failure that starting a core mends. */
export class CoreAbsent extends Error {
  override readonly name = 'CoreAbsent';
}

/** What the hello says besides token and process; see core/sessions/socket/socket-listener.ts. */
interface HelloWishes {
  readonly purpose: 'session' | 'control';
  readonly app?: string | undefined;
  readonly mode?: string | undefined;
  readonly profile?: string | undefined;
  readonly config?: string | undefined;
}

const newline = 0x0a;
const helloTimeoutMs = 10_000;

/**
 * Resolves with the socket paused. Rejects with CoreAbsent where nobody listens, with an Error that says why where
 * somebody does and does not let us in.
 */
export function dial(location: SocketLocation, wishes: HelloWishes): Promise<Link> {
  return new Promise((resolve, reject) => {
    const hello = helloLine(location, wishes);
    const socket = connect(location.socketPath);
    const parts: Buffer[] = [];
    const timer = setTimeout(() => fail(new Error('Tooltray is running but does not answer.')), helloTimeoutMs);

    function onData(chunk: Buffer): void {
      const end = chunk.indexOf(newline);
      parts.push(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) return;
      const refusal = refusalIn(Buffer.concat(parts).toString('utf8'));
      if (refusal !== undefined) return fail(refusal);
      socket.pause();
      stop();
      resolve({ socket, rest: chunk.subarray(end + 1) });
    }
    function onClose(): void {
      // It went down between taking the connection and answering: the same as not being there.
      fail(new CoreAbsent('Tooltray ended while we connected to it.'));
    }
    function onError(error: NodeJS.ErrnoException): void {
      fail(connectError(error));
    }
    function fail(error: Error): void {
      stop();
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    }
    function stop(): void {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('error', onError);
    }
    socket.on('data', onData).on('close', onClose).on('error', onError);
    socket.write(hello);
  });
}

function helloLine(location: SocketLocation, wishes: HelloWishes): string {
  const token = readToken(location.tokenFile);
  refuseForeignFolder(location.socketPath);
  return `${JSON.stringify({ tooltray: 1, token, ...wishes, cwd: process.cwd(), pid: process.pid })}\n`;
}

/** A core writes its token before it listens: without one there is no core. */
function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CoreAbsent('Tooltray has not run here yet.');
    throw error;
  }
}

/** Below /tmp somebody else could have been first to make our folder, and would be told the token. */
function refuseForeignFolder(socketPath: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const folder = posix.dirname(socketPath);
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) throw new CoreAbsent('Tooltray has not run here yet.');
  if (!stats.isDirectory() || stats.uid !== user) {
    throw new Error(`The folder ${folder} is not yours. Remove it, or set TOOLTRAY_HOME to a folder of your own.`);
  }
}

function connectError(error: NodeJS.ErrnoException): Error {
  // EAGAIN: the queue of a core that just starts is full; ECONNRESET and EPIPE: it just went down.
  const absent = ['ENOENT', 'ECONNREFUSED', 'EAGAIN', 'ECONNRESET', 'EPIPE'];
  if (absent.includes(error.code ?? '')) return new CoreAbsent('Nobody listens.', { cause: error });
  return new Error(`Could not connect to Tooltray: ${error.message}.`, { cause: error });
}

/** Undefined when the answer lets us in. */
function refusalIn(line: string): Error | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(line);
  } catch {
    return new Error('Whoever listens on the socket of Tooltray is not Tooltray.');
  }
  const { ok, error } = answer as { ok?: unknown; error?: unknown };
  if (ok === true) return undefined;
  return new Error(typeof error === 'string' ? error : 'Tooltray turned the connection away without a reason.');
}

/** `cliFile` is the command line's script; `config` what `--config` said. */
export function coreCommand(cliFile: string, config: string | undefined): CoreCommand {
  const given = process.env['TOOLTRAY_CORE_COMMAND'];
  if (given === undefined) {
    const options = ['--no-open', '--background', ...(config === undefined ? [] : ['--config', config])];
    return { command: [process.execPath, cliFile, 'serve', ...options], env: process.env };
  }
  // The launcher of the installed app runs the app as Node to be a shim; the core it names is the app as itself.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  return { command: JSON.parse(given) as string[], env };
}
