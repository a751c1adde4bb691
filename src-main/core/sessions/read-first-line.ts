/** Takes the first line off a socket, within a time and a size, and leaves the rest for whoever comes next. */
import type { Socket } from 'node:net';
import { badHello } from './hello.ts';

export interface FirstLine {
  readonly line: string;
  /** Bytes that came with the line and belong to what follows. */
  readonly rest: Buffer;
}

const newline = 0x0a;

/**
 * Resolves with the socket paused and no listener of ours left on it.
 * Rejects with AppError `bad_request` after `timeoutMs`, beyond `maxBytes`, or when the other side leaves first.
 */
export function readFirstLine(socket: Socket, timeoutMs: number, maxBytes: number): Promise<FirstLine> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => fail(`none came within ${timeoutMs / 1000} seconds`), timeoutMs);

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
      fail('the other side left before it was complete');
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
  });
}
