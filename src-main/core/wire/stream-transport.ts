/** JSON-RPC over any pair of byte streams, a message a line: sockets of the shim, our own stdin and stdout. */
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../base/errors.ts';
import { defaultMaxMessageBytes, FrameReader } from './frame-reader.ts';
import type { Message } from './message.ts';
import { serializeMessage } from './serialize.ts';
import type { Transport, TransportHandlers } from './transport.ts';

/** A reader this far behind is not coming back; keeping more would only fill the memory. */
const maxUnsentBytes = 1024 * 1024 * 1024;

export interface StreamTransportOptions {
  readonly maxMessageBytes?: number;
  /** Bytes that were read before the transport took over. */
  readonly leftover?: Buffer;
}

export class StreamTransport implements Transport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: StreamTransportOptions;
  #handlers: TransportHandlers | undefined;
  #closed = false;

  constructor(input: Readable, output: Writable, options: StreamTransportOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
  }

  async start(handlers: TransportHandlers): Promise<void> {
    this.#handlers = handlers;
    const reader = new FrameReader(handlers, this.#options.maxMessageBytes ?? defaultMaxMessageBytes);
    this.#output.on('error', (error) => this.#finish(error));
    this.#input.on('error', (error) => this.#finish(error));
    this.#input.on('end', () => {
      reader.end();
      this.#finish();
    });
    this.#input.on('close', () => this.#finish());
    if (this.#options.leftover !== undefined) reader.push(this.#options.leftover);
    this.#input.on('data', (chunk: Buffer) => reader.push(chunk));
    // Whoever read the first line paused the stream behind it.
    this.#input.resume();
  }

  async send(message: Message): Promise<void> {
    if (this.#closed || !this.#output.writable) throw new AppError('session_limit', 'The other side is gone.');
    const pieces = serializeMessage(message);
    if (pieces.length === 1) this.#output.write(pieces[0]);
    else {
      this.#output.cork();
      for (const piece of pieces) this.#output.write(piece);
      process.nextTick(() => this.#output.uncork());
    }
    if (this.#output.writableLength > maxUnsentBytes) {
      this.#finish(
        new AppError('session_limit', 'The other side does not read its answers; the connection was ended.'),
      );
    }
  }

  async close(): Promise<void> {
    this.#finish();
  }

  #finish(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#output.end();
    // What was written is still flushed; a peer that never reads must not keep the descriptor for ever.
    setTimeout(() => {
      this.#input.destroy();
      this.#output.destroy();
    }, 2000).unref();
    this.#handlers?.onClose(error);
  }
}
