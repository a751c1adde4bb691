/** The door for shims and the command line: a Unix socket or named pipe that lets in whoever says hello with the right token. */
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { ensurePrivateDir } from '../base/app-paths.ts';
import { AppError, toAppError } from '../base/errors.ts';
import { sameToken } from '../security/access-token.ts';
import { claimSocket } from './claim-socket.ts';
import { acceptLine, type Hello, parseHello, refuseLine } from './hello.ts';
import { readFirstLine } from './read-first-line.ts';

export interface SocketListenerOptions {
  readonly socketPath: string;
  readonly token: string;
  /** The core's version, told to whoever is let in. */
  readonly version: string;
  /** Takes a connection over: paused, with the bytes that came behind the hello. Without a listener for `end` it closes by itself. */
  onConnection(socket: Socket, hello: Hello, rest: Buffer): void;
  /** Throws AppError for a hello that cannot be served (an unknown mode); the other side is told why. */
  check?(hello: Hello): void;
  /** Hears of each connection that was turned away. */
  onRefused?(error: AppError): void;
  readonly maxConnections?: number;
  readonly helloTimeoutMs?: number;
}

const maxHelloBytes = 64 * 1024;
/** Connections that have not said hello yet; a shim says it at once. */
const mostSilent = 200;

export class SocketListener {
  readonly #options: SocketListenerOptions;
  readonly #sockets = new Set<Socket>();
  /** Of these, who has not said hello yet, the first to come first. */
  readonly #silent = new Set<Socket>();
  readonly #server: Server = createServer((socket) => void this.#welcome(socket));

  constructor(options: SocketListenerOptions) {
    this.#options = options;
  }

  /** Throws AppError `already_running` when another core listens there, `not_allowed` when the folder is not ours alone. */
  async start(): Promise<void> {
    const { socketPath } = this.#options;
    if (!socketPath.startsWith('\\\\')) ensurePrivateDir(dirname(socketPath));
    await claimSocket(this.#server, socketPath);
  }

  /** Ends every connection and removes the socket. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Connections now, with those that have not said hello yet. */
  get connections(): number {
    return this.#sockets.size;
  }

  async #welcome(socket: Socket): Promise<void> {
    // An error is always followed by 'close', which is where everybody tidies up.
    socket.on('error', () => undefined);
    try {
      this.#take(socket);
      const { line, rest } = await readFirstLine(socket, this.#options.helloTimeoutMs ?? 5000, maxHelloBytes);
      const hello = parseHello(line);
      if (!sameToken(hello.token, this.#options.token)) throw wrongToken();
      this.#options.check?.(hello);
      this.#admit();
      this.#silent.delete(socket);
      socket.write(acceptLine(this.#options.version));
      this.#options.onConnection(socket, hello, rest);
    } catch (error) {
      turnAway(socket, error);
      this.#options.onRefused?.(toAppError(error));
    }
  }

  /** Whoever says nothing must not keep out those who do: the one that has been silent longest gives way. */
  #take(socket: Socket): void {
    this.#sockets.add(socket);
    this.#silent.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#silent.delete(socket);
    });
    const [first] = this.#silent;
    if (this.#silent.size > mostSilent) first?.destroy();
  }

  #admit(): void {
    const most = this.#options.maxConnections ?? 200;
    if (this.#sockets.size - this.#silent.size >= most) {
      throw new AppError('session_limit', `Tooltray already serves ${most} connections, its limit.`, {
        fix: 'Close client apps that you no longer use, or restart Tooltray.',
      });
    }
  }
}

/** Says why and closes. Reads on for a moment: closing on unread bytes could take the reason away from the other side. */
function turnAway(socket: Socket, error: unknown): void {
  socket.end(refuseLine(error));
  socket.resume();
  setTimeout(() => socket.destroy(), 500).unref();
}

function wrongToken(): AppError {
  return new AppError('unauthorized', 'The token in the hello is not the one of this Tooltray.', {
    fix: 'Connect with "tooltray stdio" as the user who runs Tooltray, and with the same TOOLTRAY_HOME.',
  });
}
