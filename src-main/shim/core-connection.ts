/** One connection to one core: acquaints it with the session, then passes on to the client what it says. */
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Link } from './dial.ts';
import { LineReader, type Chunk } from './line-reader.ts';
import type { SessionState } from './session-state.ts';

interface CoreLineOptions {
  readonly link: Link;
  readonly memory: SessionState;
  readonly output: Writable;
  /** The core has taken in what was too much before. */
  readonly onDrain: () => void;
  /** Something the core said has been dealt with. */
  readonly onLine: () => void;
}

/** How long a core may take to respond to the replayed `initialize`, in ms. */
const resumeTimeoutMs = 10_000;
/** How long a core may take to close its side after ours. */
const closeTimeoutMs = 500;

export class CoreConnection {
  readonly #options: CoreLineOptions;
  readonly #socket: Socket;
  readonly #reader = new LineReader((piece) => this.#forward(piece));
  /** The pending `initialize` request, and its callbacks. */
  #awaited: { readonly id: string; done(): void; fail(error: Error): void } | undefined;
  #clientMidLine = false;
  /** Resolves when the core is gone. */
  readonly closed: Promise<void>;

  constructor(options: CoreLineOptions) {
    this.#options = options;
    this.#socket = options.link.socket;
    this.closed = new Promise((resolve) => this.#socket.once('close', () => this.#close(resolve)));
    this.#socket.on('error', () => undefined);
    this.#socket.on('drain', options.onDrain);
    options.output.on('drain', this.#resume);
  }

  /**
   * Tells the core what it must know of the session. Rejects when the core goes, says no, or is silent for too long.
   */
  async resumeSession(): Promise<void> {
    const { initialize, rest, news } = this.#options.memory.replay();
    const answered = initialize === undefined ? undefined : this.#waitForResponse(initialize.id);
    if (initialize !== undefined) this.#socket.write(initialize.line);
    this.#onData(this.#options.link.rest);
    // It comes paused, and a listener alone would leave it so.
    this.#socket.on('data', (chunk: Buffer) => this.#onData(chunk)).resume();
    await answered;
    for (const line of rest) this.#socket.write(line);
    for (const line of news) this.#options.output.write(line);
  }

  /**
   * False when the core is behind: wait for `onDrain`. `onUndelivered` is called, before `lost`, when it is certain
   * that the core did not get all of `bytes`: they went out alone, and the system says that nobody is there to read
   * them.
   */
  send(bytes: Buffer, onUndelivered: () => void): boolean {
    const alone = this.#socket.writableLength === 0;
    return this.#socket.write(bytes, (error) => {
      if (error && alone) onUndelivered();
    });
  }

  /** Says goodbye: what was sent still arrives. */
  end(): void {
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), closeTimeoutMs).unref();
  }

  async #waitForResponse(id: string): Promise<void> {
    // Messages of the core are buffered until then: only a complete line shows whether the client may see it.
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
    // Almost always nothing is to be hidden: then the bytes go, and what they say is noted when there is time.
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
    // A partial response cannot be withdrawn. Ended here, the client sees one invalid line instead of a corrupted next
    // one.
    if (this.#clientMidLine) this.#options.output.write('\n');
    resolve();
  }
}
