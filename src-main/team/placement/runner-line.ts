/**
 * A line from a front to a runner over its inner door: a request that is made a line by `Upgrade`, then a message a line each way. Until
 * the runner has said yes nothing was asked of anybody's process.
 */
import { type IncomingMessage, request as send } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AppError } from '../../core/base/errors.ts';
import { StreamTransport, type StreamTransportOptions } from '../../core/wire/stream-transport.ts';
import type { Transport } from '../../core/wire/transport.ts';
import { lineProtocol } from '../replicas/inner-door.ts';
import { passHeader } from '../replicas/passes.ts';
import { errorIn, tellError } from '../replicas/told-error.ts';

/** `refused`: by the runner, with its reason. `unreached`: nobody took it, and nothing was done. */
export type LineAnswer =
  | { readonly kind: 'line'; readonly line: Transport }
  | { readonly kind: 'refused'; readonly why: AppError }
  | { readonly kind: 'unreached' };

interface LineWish {
  /** `host:port` of the runner's inner door. */
  readonly address: string;
  readonly pass: string;
  readonly stream: StreamTransportOptions;
  /** Nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** Calls `end` when the runner is gone, which a connection may not notice; returns how to stop. */
  readonly follow: (end: () => void) => () => void;
}

/** A replica of the same network answers a connection at once or is not there, in ms; a process takes its time to start. */
const connectMs = 3_000;
const longestReason = 64 * 1024;

/** Never rejects; after an abort it is `unreached`. */
export function askForLine({ address, pass, stream, signal, follow }: LineWish): Promise<LineAnswer> {
  const { promise, resolve } = Promise.withResolvers<LineAnswer>();
  const headers = { connection: 'Upgrade', upgrade: lineProtocol, [passHeader]: pass };
  const asked = send(`http://${address}/`, { headers, agent: false });
  const giveUp = (): void => void asked.destroy(new Error('Nobody waits for it.'));
  const late = setTimeout(giveUp, connectMs);
  const unfollow = follow(giveUp);
  signal.addEventListener('abort', giveUp, { once: true });
  const settle = (answer: LineAnswer): void => {
    clearTimeout(late);
    unfollow();
    signal.removeEventListener('abort', giveUp);
    resolve(answer);
  };
  asked.once('socket', (socket) => socket.once('connect', () => clearTimeout(late)));
  asked.on('error', () => settle({ kind: 'unreached' }));
  asked.once('upgrade', (_answer, socket: Duplex, leftover: Buffer) => {
    socket.once(
      'close',
      follow(() => socket.destroy()),
    );
    settle({ kind: 'line', line: new StreamTransport(socket, socket, { ...stream, leftover, readsOn: true }) });
  });
  asked.once('response', (answer) => void reasonIn(answer).then(settle));
  asked.end();
  return promise;
}

/** The runner's end: says yes when it is started, so that until then it can be refused. */
export function answeredLine(socket: Duplex, options: StreamTransportOptions): Transport {
  const stream = new StreamTransport(socket, socket, options);
  return {
    start: async (handlers) => {
      if (socket.destroyed) return queueMicrotask(() => handlers.onClose());
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${lineProtocol}\r\n\r\n`);
      await stream.start(handlers);
    },
    send: (message) => stream.send(message),
    close: () => stream.close(),
    hold: (held) => stream.hold(held),
  };
}

/** Instead of a line. */
export function refuseLine(socket: Duplex, error: unknown): void {
  const body = Buffer.from(tellError(error));
  const head = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 409 Conflict\r\n${head}\r\n\r\n`), body]));
}

/** Whatever else it answers, it is no runner of ours at this moment. */
async function reasonIn(answer: IncomingMessage): Promise<LineAnswer> {
  let text = '';
  try {
    for await (const piece of answer) {
      text += String(piece);
      if (text.length > longestReason) break;
    }
  } catch {
    return { kind: 'unreached' };
  }
  const why = answer.statusCode === 409 ? errorIn(text) : undefined;
  return why === undefined ? { kind: 'unreached' } : { kind: 'refused', why };
}
