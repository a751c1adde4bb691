/** A connection to a core: restores the session there, then forwards its messages to the client. */
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Link } from './dial.ts';
import { LineReader, type Chunk } from './line-reader.ts';
import type { SessionState } from './session-state.ts';

interface CoreLineOptions {
  readonly link: Link;
  readonly memory: SessionState;
  readonly output: Writable;
  /** The core has accepted the buffered input. */
  readonly onDrain: () => void;
  /** A message of the core was handled. */
  readonly onLine: () => void;
}

/** Timeout for the core's response to the replayed `initialize`, in ms. */
const resumeTimeoutMs = 10_000;
/** Timeout for the core to close its side after ours, in ms. */
const closeTimeoutMs = 500;

export class CoreConnection {
  readonly #options: CoreLineOptions;
  readonly #socket: Socket;
  readonly #reader = new LineReader((piece) => this.#forward(piece));
  /** The pending `initialize` request, and its callbacks. */
  #awaited: { readonly id: string; done(): void; fail(error: Error): void } | undefined;
  #clientMidLine = false;
  /** Resolves when the core has disconnected. */
  readonly closed: Promise<void>;

  constructor(options: CoreLineOptions) {
    this.#options = options;
    this.#socket = options.link.socket;
    this.closed = new Promise((resolve) => this.#socket.once('close', () => this.#close(resolve)));
    this.#socket.on('error', () => undefined);
    this.#socket.on('drain', options.onDrain);
    options.output.on('drain', this.#resume);
  }

  /** Replays the session state to the core. Rejects if the core disconnects, refuses, or times out. */
  async resumeSession(): Promise<void> {
    const { initialize, rest, news } = this.#options.memory.replay();
    const answered = initialize === undefined ? undefined : this.#waitForResponse(initialize.id);
    if (initialize !== undefined) this.#socket.write(initialize.line);
    this.#onData(this.#options.link.rest);
    // The socket is paused at first, and adding a listener does not resume it.
    this.#socket.on('data', (chunk: Buffer) => this.#onData(chunk)).resume();
    await answered;
    for (const line of rest) this.#socket.write(line);
    for (const line of news) this.#options.output.write(line);
  }

  /**
   * Returns false if the core applies backpressure: wait for `onDrain`. `onUndelivered` is called before `lost` if it
   * is certain that the core did not receive all of `bytes`, because they were sent alone and the write failed with a
   * closed connection.
   */
  send(bytes: Buffer, onUndelivered: () => void): boolean {
    const alone = this.#socket.writableLength === 0;
    return this.#socket.write(bytes, (error) => {
      if (error && alone) onUndelivered();
    });
  }

  /** Closes our side; data already sent still arrives. */
  end(): void {
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), closeTimeoutMs).unref();
  }

  async #waitForResponse(id: string): Promise<void> {
    // Until then messages of the core are buffered, because only a complete line shows whether the client may see it.
    this.#reader.holdAll = true;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error('Tooltray is running but did not resume this session.')),
      resumeTimeoutMs,
    );
    void this.closed.then(() => reject(new Error('Tooltray exited while resuming this session.')));
    this.#awaited = { id, done: resolve, fail: reject };
    try {
      await promise;
    } catch (error) {
      this.#socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#awaited = undefined;
      this.#reader.holdAll = false;
    }
  }

  #onData(chunk: Buffer): void {
    const { output } = this.#options;
    this.#reader.push(chunk);
    if (output.writableNeedDrain) this.#socket.pause();
    this.#options.onLine();
  }

  readonly #resume = (): void => {
    this.#socket.resume();
  };

  #forward({ bytes, last, messages }: Chunk): void {
    const { memory, output } = this.#options;
    // Usually nothing is filtered: the bytes are forwarded immediately and recorded later.
    const { filtersOutput } = memory;
    if (!filtersOutput && this.#awaited === undefined) {
      output.write(bytes);
      this.#clientMidLine = !last;
      return memory.deferNote(() => messages().forEach((message) => memory.fromCore(message)), bytes.length);
    }
    const facts = messages();
    const seen = facts.map((message) => memory.fromCore(message));
    const hidden = filtersOutput && seen.length > 0 && !seen.includes(true);
    if (!hidden) {
      output.write(bytes);
      this.#clientMidLine = !last;
    }
    const answer = facts.find(({ id, method }) => method === undefined && id === this.#awaited?.id);
    if (answer?.failure !== undefined) this.#awaited?.fail(new Error(answer.failure));
    else if (answer !== undefined) this.#awaited?.done();
  }

  #close(resolve: () => void): void {
    this.#options.output.off('drain', this.#resume);
    // A partial response cannot be withdrawn. Ending the line here gives the client one invalid line instead of
    // corrupting the next.
    if (this.#clientMidLine) this.#options.output.write('\n');
    resolve();
  }
}
