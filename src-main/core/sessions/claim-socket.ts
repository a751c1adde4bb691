/** Makes a server listen on a socket path that a crashed core may have left behind, and never on one that another core answers on. */
import { chmodSync, rmSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { AppError } from '../base/errors.ts';
import { withFileLock } from './with-file-lock.ts';

const lockPatienceMs = 10_000;

/** Throws AppError `already_running` when somebody answers on `path`. A Unix socket gets mode 0600; its folder must exist. */
export async function claimSocket(server: Server, path: string): Promise<void> {
  // A named pipe goes with its process: there is nothing to clear away, and taking it is all or nothing.
  if (path.startsWith('\\\\')) return listen(server, path);
  // Two cores that find the same dead socket must not clear it away one after the other: the second would clear away the first's.
  await withFileLock(`${path}.lock`, lockPatienceMs, async () => {
    if (await answers(path)) throw alreadyRunning(path);
    rmSync(path, { force: true });
    await listen(server, path);
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? alreadyRunning(path) : error);
    server.once('error', onError);
    // Created private, not made so afterwards.
    const before = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off('error', onError);
        // Some systems ignore the umask for sockets.
        if (!path.startsWith('\\\\')) chmodSync(path, 0o600);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    // A socket that refuses or is gone is nobody's; any other trouble (rights, a full queue) means somebody is there.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      done(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

function alreadyRunning(path: string): AppError {
  return new AppError('already_running', `Another Tooltray of yours is already running; it answers on ${path}.`, {
    fix: 'Use that one, stop it first, or set TOOLTRAY_HOME to run a second one with its own settings.',
  });
}
