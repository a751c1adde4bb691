/**
 * Queue of the client's messages: passed to the current consumer, else buffered up to a limit, then with backpressure.
 */
import type { Readable } from 'node:stream';

type Taker = (chunk: Buffer) => void;

const highWaterMark = 1024 * 1024;

export class InputBuffer {
  readonly #input: Readable;
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #consumer: Taker | undefined;
  #wake: () => void = () => undefined;
  #gone = false;

  /** `onGone` is called when the client has closed its side. */
  constructor(input: Readable, onGone: () => void) {
    this.#input = input;
    input.on('data', (chunk: Buffer) => (this.#consumer === undefined ? this.#keep(chunk) : this.#consumer(chunk)));
    const leave = () => {
      if (this.#gone) return;
      this.#gone = true;
      this.#wake();
      onGone();
    };
    // A destroyed input emits only 'close'.
    input.once('end', leave).once('error', leave).once('close', leave);
  }

  /** Whether the client has closed its side; earlier messages may still be buffered. */
  get isClosed(): boolean {
    return this.#gone;
  }

  get hasData(): boolean {
    return this.#chunks.length > 0;
  }

  /** Passes on buffered and future messages until `hold`. */
  take(taker: Taker): void {
    this.#consumer = taker;
    this.flush(taker);
  }

  /** Passes on buffered messages and buffers later ones. */
  flush(taker: Taker): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#bufferedBytes = 0;
    this.resume();
    for (const chunk of chunks) taker(chunk);
  }

  hold(): void {
    this.#consumer = undefined;
    this.resume();
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    if (this.#bufferedBytes <= highWaterMark) this.#input.resume();
  }

  /** Resolves when something is buffered, or the client has disconnected. */
  async readable(): Promise<void> {
    while (!this.hasData && !this.#gone) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes > highWaterMark) this.pause();
    this.#wake();
  }
}
