/**
 * The path that a core listens at: claimed from a core that was killed, never from one that answers; restored if
 * something removed it; unlinked only while it is still this core's own socket.
 */
import { chmodSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { ensurePrivateDir } from '../../base/app-paths.ts';
import { AppError } from '../../base/errors.ts';
import { isProcessRunning } from '../../base/file-lock.ts';

interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** An address that a core listens on. */
export interface ListeningPlace {
  /** The address in a core's proof. */
  readonly proves: string;
  isServed(): Promise<boolean>;
  /** Claims the place; requires the home's lock. Throws AppError `already_running` if a process responds there. */
  claim(): Promise<void>;
  /**
   * Creates the address again if another process removed it; returns whether it was missing. Throws as `claim` does.
   */
  restore(): Promise<boolean>;
  /** Resolves when the last connection has ended. */
  close(): Promise<void>;
}

export class SocketPlace implements ListeningPlace {
  readonly #path: string;
  readonly #createServer: () => Server;
  /** The last one listens; earlier ones only serve their connections. */
  #servers: Server[] = [];
  #identity: FileIdentity | undefined;

  /** Does not listen yet. The folder of `path` must not be shared with other users. */
  constructor(path: string, createServer: () => Server) {
    this.#path = path;
    this.#createServer = createServer;
  }

  get proves(): string {
    return this.#path;
  }

  isServed(): Promise<boolean> {
    return isAnswered(this.#path);
  }

  async claim(): Promise<void> {
    ensurePrivateDir(dirname(this.#path));
    this.#sweep();
    if (await isAnswered(this.#path)) throw alreadyRunning(this.#path);
    await this.#listen();
  }

  async restore(): Promise<boolean> {
    if (isSame(identityOf(this.#path), this.#identity)) return false;
    await this.claim();
    return true;
  }

  /** Resolves when the last connection has ended. */
  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    if (isSame(identityOf(this.#path), this.#identity)) rmSync(this.#path, { force: true });
    await Promise.all(closed);
  }

  async #listen(): Promise<void> {
    const server = this.#createServer();
    // Bound under another name and renamed: on close, the runtime unlinks the name that it bound, even if that is
    // another process's socket by then.
    const bound = join(dirname(this.#path), `s.${process.pid}`);
    rmSync(bound, { force: true });
    await listenAt(server, bound);
    // Some systems ignore the umask for sockets.
    chmodSync(bound, 0o600);
    renameSync(bound, this.#path);
    this.#identity = identityOf(this.#path);
    for (const earlier of this.#servers) earlier.close();
    this.#servers = [...this.#servers.filter((earlier) => earlier.listening), server];
  }

  /** Removes sockets of cores that were killed between binding and renaming. */
  #sweep(): void {
    const folder = dirname(this.#path);
    for (const name of readdirSync(folder)) {
      const pid = /^s\.(\d+)$/.exec(name)?.[1];
      if (pid !== undefined && !isProcessRunning(Number(pid))) rmSync(join(folder, name), { force: true });
    }
  }
}

/** Whether a process accepts connections at `path`. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    // These errors mean that no process listens on the socket. Any other error (permissions, a full queue) means that
    // one does.
    const nobody = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);
    socket.once('error', (error: NodeJS.ErrnoException) => done(!nobody.has(error.code ?? '')));
  });
}

/** Throws AppError `already_running` if another process listens. */
export function listenAt(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? alreadyRunning(path) : error);
    server.once('error', onError);
    // Created as private, not changed afterwards.
    const before = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off('error', onError);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

function identityOf(path: string): FileIdentity | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSame(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

function alreadyRunning(path: string): AppError {
  return new AppError('already_running', `Another Tooltray is already running; it listens on ${path}.`, {
    fix: 'Use it, stop it first, or set TOOLTRAY_HOME to run a second one with its own settings.',
  });
}
