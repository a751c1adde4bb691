/**
 * Listens for shims and the command line: a Unix socket or named pipe that admits connections whose hello has the
 * right token.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { coreProof } from '../../base/core-proof.ts';
import { AppError, toAppError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { HomeLock } from './home-lock.ts';
import { PipePlace } from './pipe-place.ts';
import { type ListeningPlace, SocketPlace } from './socket-place.ts';
import { isSameToken } from '../../base/core-proof.ts';

export interface SocketListenerOptions {
  readonly socketPath: string;
  /** The file at `socketPath` contains the name of a pipe (Windows). */
  readonly namesPipe?: boolean;
  /** Creates the name of the pipe; random by default. */
  readonly newPipe?: () => string;
  /** File locked while listening (`homeLockFile`); next to the socket by default. */
  readonly lockFile?: string;
  readonly token: string;
  /** The core's version, sent to each authenticated client. */
  readonly version: string;
  /**
   * Takes over a connection: paused, with the bytes after the hello. Without a listener for `end` it closes by itself.
   */
  onConnection(socket: Socket, hello: Hello, rest: Buffer): void;
  /** Throws AppError for a hello that cannot be served (an unknown mode). The client receives the reason. */
  check?(hello: Hello): void;
  /** Receives each refused connection. */
  onRefused?(error: AppError): void;
  /** Called with each check of the socket, for files that clients need before they connect. */
  keepFiles?(): void;
  /** Called after a removed socket was created again. */
  onRestored?(): void;
  readonly maxConnections?: number;
  readonly helloTimeoutMs?: number;
  /** Interval between checks of the socket, in ms. */
  readonly checkIntervalMs?: number;
}

/** How long a starting core waits for the lock or socket of a previous one, in ms. */
const lockWaitMs = 10_000;

const maxHelloBytes = 64 * 1024;
/** Maximum number of connections without a hello; a shim sends it at once. */
const maxUnauthenticated = 200;

export class SocketListener {
  readonly #options: SocketListenerOptions;
  readonly #sockets = new Set<Socket>();
  /** Sockets that have not sent a hello yet, oldest first. */
  readonly #silent = new Set<Socket>();
  readonly #place: ListeningPlace;
  #lock: HomeLock | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: SocketListenerOptions) {
    this.#options = options;
    const { socketPath, namesPipe = false, newPipe } = options;
    const create = (): Server => createServer((socket) => void this.#welcome(socket));
    this.#place = namesPipe ? new PipePlace(socketPath, create, newPipe) : new SocketPlace(socketPath, create);
  }

  /**
   * Throws AppError `already_running` if another core listens there, `not_allowed` if other users can access the
   * folder.
   */
  async start(): Promise<void> {
    const { socketPath, lockFile = `${socketPath}.lock`, checkIntervalMs = 1000 } = this.#options;
    this.#lock = await HomeLock.take(lockFile, lockWaitMs, () => this.#place.isServed());
    try {
      await this.#place.claim();
    } catch (error) {
      this.#lock[Symbol.dispose]();
      throw error;
    }
    this.#timer = setInterval(() => {
      this.#checking = this.#checking.then(() => this.#check());
    }, checkIntervalMs).unref();
  }

  /** Ends every connection, and removes the socket if it is still this core's. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
    const closed = this.#place.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#lock?.[Symbol.dispose]();
    this.#lock = undefined;
  }

  /** Cleaners of temporary folders, and users, remove sockets that are in use. */
  async #check(): Promise<void> {
    try {
      this.#options.keepFiles?.();
      if (await this.#place.restore()) this.#options.onRestored?.();
    } catch (error) {
      this.#options.onRefused?.(toAppError(error));
    }
  }

  /** Number of connections, including those without a hello. */
  get connections(): number {
    return this.#sockets.size;
  }

  async #welcome(socket: Socket): Promise<void> {
    // 'close' follows every error and cleans up.
    socket.on('error', () => undefined);
    let isIn = false;
    try {
      this.#take(socket);
      const { line, rest } = await this.#readHello(socket);
      const hello = parseHello(line);
      if (!isSameToken(hello.token, this.#options.token)) throw wrongToken();
      this.#options.check?.(hello);
      this.#admit();
      this.#silent.delete(socket);
      socket.write(acceptLine(this.#options.version));
      isIn = true;
      this.#options.onConnection(socket, hello, rest);
    } catch (error) {
      // After the hello the client does not expect a line of this protocol.
      if (isIn) socket.destroy();
      else turnAway(socket, error);
      this.#options.onRefused?.(toAppError(error));
    }
  }

  /** A client that wants a proof that this is the user's core sends a challenge, and its hello after the proof. */
  async #readHello(socket: Socket): Promise<FirstLine> {
    const { token, helloTimeoutMs = 5000 } = this.#options;
    const first = await readFirstLine(socket, helloTimeoutMs, maxHelloBytes);
    const challenge = challengeIn(first.line);
    if (challenge === undefined) return first;
    socket.write(
      `${JSON.stringify({ tooltray: helloVersion, proof: coreProof(token, this.#place.proves, challenge) })}\n`,
    );
    socket.unshift(first.rest);
    return readFirstLine(socket, helloTimeoutMs, maxHelloBytes);
  }

  /** Silent connections must not block others, so the one that has been silent longest is closed. */
  #take(socket: Socket): void {
    this.#sockets.add(socket);
    this.#silent.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#silent.delete(socket);
    });
    const [first] = this.#silent;
    if (this.#silent.size > maxUnauthenticated) first?.destroy();
  }

  #admit(): void {
    const most = this.#options.maxConnections ?? 200;
    if (this.#sockets.size - this.#silent.size >= most) {
      throw new AppError('session_limit', `Tooltray has reached its limit of ${most} connections.`, {
        fix: 'Close client apps that you no longer use, or restart Tooltray.',
      });
    }
  }
}

/** Sends the reason and closes. Reads on briefly, because closing with unread bytes could discard the reason. */
function turnAway(socket: Socket, error: unknown): void {
  socket.end(rejectConnection(error));
  socket.resume();
  setTimeout(() => socket.destroy(), 500).unref();
}

function wrongToken(): AppError {
  return new AppError('unauthorized', 'The token of the connection is not valid for this Tooltray.', {
    fix: 'Connect with "tooltray stdio" as the user who runs Tooltray, and with the same TOOLTRAY_HOME.',
  });
}

// Reads the first line of a socket within limits of time and size, and leaves the rest to the next reader.

interface FirstLine {
  readonly line: string;
  /** Bytes after the line. */
  readonly rest: Buffer;
}

const newline = 0x0a;

/**
 * Resolves with the socket paused and no listener left on it. Rejects with AppError `bad_request` after `timeoutMs`,
 * beyond `maxBytes`, or if the client disconnects.
 */
function readFirstLine(socket: Socket, timeoutMs: number, maxBytes: number): Promise<FirstLine> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => fail(`no hello was received within ${timeoutMs / 1000} seconds`), timeoutMs);

    function onData(chunk: Buffer): void {
      const end = chunk.indexOf(newline);
      size += end < 0 ? chunk.length : end;
      if (size > maxBytes) return fail(`it is longer than ${maxBytes} bytes`);
      parts.push(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) return;
      stop();
      resolve({ line: Buffer.concat(parts).toString('utf8'), rest: chunk.subarray(end + 1) });
    }
    function onClose(): void {
      fail('the client disconnected before it was complete');
    }
    function fail(reason: string): void {
      stop();
      reject(badHello(reason));
    }
    function stop(): void {
      clearTimeout(timer);
      socket.pause();
      socket.off('data', onData).off('end', onClose).off('close', onClose);
    }
    socket.on('data', onData).on('end', onClose).on('close', onClose);
    // The socket is paused if a line was read before.
    socket.resume();
  });
}

// The first line on a connection to the core, and the core's reply.

/** Version of this exchange; raised only if an old shim could not use a new core. */
const helloVersion = 1;
const maxChallenge = 100;

export interface Hello {
  readonly token: string;
  /** `session` continues with MCP, `control` with requests of the command line. */
  readonly purpose: 'session' | 'control';
  /** The client app's name from `--app`. */
  readonly app: string | undefined;
  /** Value of `--mode`. */
  readonly mode: string | undefined;
  /** Value of `--profile`. */
  readonly profile: string | undefined;
  /** Value of `--server`. */
  readonly server: string | undefined;
  /** Value of `--config`, absolute. */
  readonly config: string | undefined;
  /** Folder the client app started the shim in, absolute. */
  readonly cwd: string | undefined;
  readonly pid: number | undefined;
}

/** The challenge in a line; undefined for any other line. */
function challengeIn(line: string): string | undefined {
  const { challenge } = parseObject(line);
  return typeof challenge === 'string' && challenge.length <= maxChallenge ? challenge : undefined;
}

/** Parses a hello line. Throws AppError `bad_request` with the reason. */
function parseHello(line: string): Hello {
  const hello = parseObject(line);
  if (hello['tooltray'] !== helloVersion) {
    throw badHello(`it has "tooltray": ${JSON.stringify(hello['tooltray'])}, but this core requires ${helloVersion}`);
  }
  const purpose = hello['purpose'] ?? 'session';
  if (purpose !== 'session' && purpose !== 'control') throw badHello('"purpose" must be "session" or "control"');
  const pid = hello['pid'];
  return {
    token: text(hello, 'token') ?? '',
    purpose,
    app: text(hello, 'app'),
    mode: text(hello, 'mode'),
    profile: text(hello, 'profile'),
    server: text(hello, 'server'),
    config: text(hello, 'config'),
    cwd: text(hello, 'cwd'),
    pid: typeof pid === 'number' && Number.isSafeInteger(pid) ? pid : undefined,
  };
}

function acceptLine(version: string): string {
  return `${JSON.stringify({ tooltray: helloVersion, ok: true, version })}\n`;
}

/** The line that says why the connection is closed. */
function rejectConnection(error: unknown): string {
  const { code, text } = toAppError(error);
  return `${JSON.stringify({ tooltray: helloVersion, error: text, code })}\n`;
}

function badHello(reason: string): AppError {
  return new AppError('bad_request', `The first line of this connection is not a Tooltray hello: ${reason}.`, {
    fix: 'Connect with "tooltray stdio" of the same version as the running Tooltray.',
  });
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw badHello(`it is not valid JSON (${(cause as Error).message})`);
  }
  if (!isObject(value)) throw badHello('it is not a JSON object');
  return value;
}

function text(hello: Record<string, unknown>, key: string): string | undefined {
  const value = hello[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badHello(`"${key}" is not a string`);
  return value;
}
