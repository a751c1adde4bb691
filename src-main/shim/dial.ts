/** Makes one attempt to reach the core: connects, sends the hello, and waits for the core to accept. */
import { lstatSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { posix } from 'node:path';
import type { SocketLocation } from '../core/base/app-paths.ts';
import type { CoreCommand } from './start-core.ts';

export interface Link {
  readonly socket: Socket;
  /** Bytes received after the core's response to the hello. */
  readonly rest: Buffer;
}

/** No process listens: the only failure that starting a core fixes. */
export class CoreNotRunningError extends Error {
  override readonly name = 'CoreNotRunningError';
}

/** Fields of the hello besides token and process; see core/sessions/socket/socket-listener.ts. */
interface HelloOptions {
  readonly purpose: 'session' | 'control';
  readonly app?: string | undefined;
  readonly mode?: string | undefined;
  readonly profile?: string | undefined;
  readonly server?: string | undefined;
  readonly config?: string | undefined;
}

const newline = 0x0a;
const helloTimeoutMs = 10_000;

/**
 * Resolves with the socket paused. Rejects with CoreNotRunningError if no process listens, or if a pipe belongs to a
 * process that is not the user's core; rejects with an Error that contains the reason if a core refuses.
 */
export async function dial(location: SocketLocation, wishes: HelloOptions): Promise<Link> {
  const token = readToken(location.tokenFile);
  const pipe = location.namesPipe ? readPipe(location.socketPath) : undefined;
  if (pipe === undefined) refuseForeignFolder(location.socketPath);
  const exchange = new Exchange(pipe ?? location.socketPath);
  try {
    if (pipe !== undefined) await requireProof(exchange, token, pipe);
    const hello = { tooltray: 1, token, ...wishes, cwd: process.cwd(), pid: process.pid };
    const refusal = refusalIn(await exchange.ask(hello));
    if (refusal !== undefined) throw refusal;
    return exchange.release();
  } catch (error) {
    exchange.abort();
    throw error;
  }
}

/**
 * Another user may have created a pipe of that name, so the other side must prove that it knows the token before the
 * token is sent.
 */
async function requireProof(exchange: Exchange, token: string, pipe: string): Promise<void> {
  // Loaded on demand: node:crypto costs the shim 3 ms at each start.
  const { coreProof, newChallenge } = await import('../core/base/core-proof.ts');
  const challenge = newChallenge();
  const { proof } = objectIn(await exchange.ask({ tooltray: 1, challenge })) ?? {};
  if (proof !== coreProof(token, pipe, challenge))
    throw new CoreNotRunningError('Another program is listening on the pipe.');
}

/** Exchanges lines with the core, one at a time. */
class Exchange {
  readonly #socket: Socket;
  #parts: Buffer[] = [];
  #rest = Buffer.alloc(0);
  #answer = Promise.withResolvers<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#answer.promise.catch(() => undefined);
    this.#socket = connect(path);
    this.#socket.on('data', this.#onData).on('close', this.#onClose).on('error', this.#onError);
  }

  /** Resolves to the next line. */
  ask(line: object): Promise<string> {
    const { promise, reject } = this.#answer;
    this.#timer = setTimeout(() => reject(new Error('Tooltray is running but not responding.')), helloTimeoutMs);
    this.#socket.write(`${JSON.stringify(line)}\n`);
    if (this.#rest.length > 0) this.#onData(this.#rest);
    this.#socket.resume();
    return promise;
  }

  /** Returns the socket, paused. */
  release(): Link {
    this.#leave();
    return { socket: this.#socket, rest: this.#rest };
  }

  abort(): void {
    this.#leave();
    this.#socket.on('error', () => undefined);
    this.#socket.destroy();
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#socket.off('data', this.#onData).off('close', this.#onClose).off('error', this.#onError);
  }

  readonly #onData = (chunk: Buffer): void => {
    const end = chunk.indexOf(newline);
    this.#parts.push(end < 0 ? chunk : chunk.subarray(0, end));
    if (end < 0) return;
    this.#socket.pause();
    clearTimeout(this.#timer);
    const line = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#rest = Buffer.from(chunk.subarray(end + 1));
    this.#answer.resolve(line);
    this.#answer = Promise.withResolvers();
    this.#answer.promise.catch(() => undefined);
  };

  readonly #onClose = (): void => {
    // It stopped between accepting the connection and responding, which counts as not running.
    this.#answer.reject(new CoreNotRunningError('Tooltray exited while connecting.'));
  };

  readonly #onError = (error: NodeJS.ErrnoException): void => this.#answer.reject(connectError(error));
}

/** Written by a core when it listens. */
function readPipe(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CoreNotRunningError('Tooltray is not running.');
    throw Object.assign(error as Error, { path: file });
  }
}

/** A core writes its token before it listens, so without one there is no core. */
function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new CoreNotRunningError('Tooltray has not been started yet.');
    throw Object.assign(error as Error, { path: file });
  }
}

/** Below /tmp another user could have created the folder first, and would receive the token. */
function refuseForeignFolder(socketPath: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const folder = posix.dirname(socketPath);
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) throw new CoreNotRunningError('Tooltray has not been started yet.');
  if (!stats.isDirectory() || stats.uid !== user) {
    throw new Error(
      `The directory ${folder} belongs to another user. Remove it, or set TOOLTRAY_HOME to your own directory.`,
    );
  }
}

function connectError(error: NodeJS.ErrnoException): Error {
  // EAGAIN: the queue of a starting core is full; ECONNRESET and EPIPE: it just stopped.
  const absent = ['ENOENT', 'ECONNREFUSED', 'EAGAIN', 'ECONNRESET', 'EPIPE'];
  if (absent.includes(error.code ?? '')) return new CoreNotRunningError('Nothing is listening.', { cause: error });
  return error;
}

/** undefined if the response accepts us. */
function refusalIn(line: string): Error | undefined {
  const answer = objectIn(line);
  if (answer === undefined) return new Error('Another program is listening on Tooltray’s socket.');
  const { ok, error } = answer;
  if (ok === true) return undefined;
  return new Error(typeof error === 'string' ? error : 'Tooltray rejected the connection.');
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** `cliFile` is the command line's script; `config` the value of `--config`. */
export function coreCommand(cliFile: string, config: string | undefined): CoreCommand {
  const given = process.env['TOOLTRAY_CORE_COMMAND'];
  if (given === undefined) {
    const options = ['--no-open', '--background', ...(config === undefined ? [] : ['--config', config])];
    return { command: [process.execPath, cliFile, 'serve', ...options], env: process.env };
  }
  // The launcher runs the app as Node.js for a shim; the core is the app itself.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  return { command: JSON.parse(given) as string[], env };
}
