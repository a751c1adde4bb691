/** Hands the pieces of one message to a child's stdin and waits until the operating system has them. */
import type { Writable } from 'node:stream';
import { AppError } from '../../base/errors.ts';

/** A server that leaves this much unread is stuck; one message alone may be larger. */
const maxUnsentBytes = 256 * 1024 * 1024;

/** Rejects with the stream's error when the reader is gone, with an AppError when it has stopped reading. */
export async function writeAll(
  stream: Writable,
  pieces: readonly (string | Buffer)[],
  serverName: string,
): Promise<void> {
  if (stream.writableLength > maxUnsentBytes) {
    throw new AppError('server_timeout', `${serverName} does not read its input: 256 MB are waiting for it.`, {
      fix: 'Restart the server.',
    });
  }
  let settle: (error?: Error | null) => void = () => undefined;
  pieces.forEach((piece, at) => {
    if (at < pieces.length - 1) stream.write(piece);
    else stream.write(piece, (error) => settle(error));
  });
  // Nearly always the system has taken it all by now: hearing so a moment later would only delay what comes next.
  if (stream.writableLength === 0 && stream.errored === null) return;
  await new Promise<void>((resolve, reject) => {
    settle = (error) => (error == null ? resolve() : reject(error));
  });
}
