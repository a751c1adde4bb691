/**
 * Connects one client app to the core for the lifetime of the client, however often the core restarts:
 *
 * ```text
 * connecting ──accepted──▶ resuming ──session restored──▶ connected ──core lost──▶ disconnected
 *   │  ▲                                                                                │
 *   ▼  └─────────────── the client sends something, or a core listens again ◀───────────┘
 * refused: requests of the client fail with the reason
 * ```
 *
 * While disconnected, the shim only looks for a running core. It starts one when the client sends something, so that a
 * user who quit Tooltray is respected.
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { InputBuffer } from './input-buffer.ts';
import { CoreConnection } from './core-connection.ts';
import { CoreNotRunningError, type Link } from './dial.ts';
import { LineReader, type Chunk, readMessages } from './line-reader.ts';
import { errorLine, SessionState } from './session-state.ts';

interface ShimSessionOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted when the client has disconnected; its work in progress may stop. */
  readonly ending: AbortController;
  /** Connects to the core; rejects with CoreNotRunningError if none runs and none may be started. */
  readonly connect: (mayStart: boolean) => Promise<Link>;
  /** Reports to the user (stderr). */
  readonly complain: (text: string) => void;
}

const coreLostMessage =
  'Tooltray was restarted during this call and its result is lost. The call may have taken effect. Retry it only if that is safe.';

/** Time for pending responses after the client has closed its side, in ms. */
const drainTimeoutMs = 2000;
const minPollMs = 100;
const maxPollMs = 2000;

export class ShimSession {
  readonly #options: ShimSessionOptions;
  readonly #inbox: InputBuffer;
  readonly #memory = new SessionState();
  readonly #reader = new LineReader((piece) => this.#clientPiece(piece));
  /** The core that receives the client's messages; undefined unless connected. */
  #core: CoreConnection | undefined;
  /** The core that received the beginning of the current line. */
  #lineTo: CoreConnection | undefined;
  #leaving = false;
  #refusal = coreLostMessage;

  constructor(options: ShimSessionOptions) {
    this.#options = options;
    this.#inbox = new InputBuffer(options.input, () => this.#onClientClosed());
    // The client has disappeared.
    options.output.on('error', () => this.#leave());
  }

  /** Resolves when the client has disconnected. `first` is the connection attempt in progress. */
  async run(first: Promise<Link>): Promise<void> {
    let attempt: Promise<Link> | undefined = first;
    while (attempt !== undefined) {
      try {
        await this.#serve(await attempt);
      } catch (error) {
        if (!this.#leaving) await this.#refuse(error as Error);
      }
      attempt = this.#isDone ? undefined : this.#nextLink();
    }
    this.#leave();
    this.#options.input.destroy();
  }

  /** Whether a request waits for a core. */
  get #wanted(): boolean {
    return this.#inbox.hasData || this.#memory.waiting;
  }

  get #isDone(): boolean {
    return this.#leaving || (this.#inbox.isClosed && !this.#inbox.hasData);
  }

  /** Resolves when the core has disconnected. */
  async #serve(link: Link): Promise<void> {
    const core = new CoreConnection({
      link,
      memory: this.#memory,
      output: this.#options.output,
      onDrain: () => this.#inbox.resume(),
      onLine: () => this.#leaveWhenDone(),
    });
    try {
      await core.resumeSession();
      this.#attach(core);
      await core.closed;
    } finally {
      this.#core = undefined;
      this.#inbox.hold();
      const lines = this.#memory.onCoreLost(coreLostMessage);
      if (!this.#leaving) this.#writeToClient(lines);
    }
  }

  #attach(core: CoreConnection): void {
    this.#core = core;
    this.#refusal = coreLostMessage;
    if (this.#leaving) return core.end();
    this.#inbox.take((chunk) => this.#reader.push(chunk));
    if (this.#inbox.isClosed) this.#onClientClosed();
  }

  async #nextLink(): Promise<Link> {
    const { signal } = this.#options.ending;
    for (let pause = minPollMs; ; pause = Math.min(pause * 2, maxPollMs)) {
      if (!this.#wanted) await Promise.race([sleep(pause, undefined, { signal }), this.#inbox.readable()]);
      signal.throwIfAborted();
      const wanted = this.#wanted;
      try {
        return await this.#options.connect(wanted);
      } catch (error) {
        if (wanted || !(error instanceof CoreNotRunningError)) throw error;
      }
    }
  }

  /** Rejects all pending requests, because no core is available, and waits until the client tries again. */
  async #refuse(error: Error): Promise<void> {
    // Loaded on demand, because a shim rarely fails.
    const { failureText } = await import('./failure-text.ts');
    const text = failureText(error);
    this.#refusal = text;
    this.#options.complain(text);
    this.#writeToClient(this.#memory.failPending(text));
    this.#inbox.flush((chunk) => this.#reader.push(chunk));
    if (this.#inbox.isClosed) this.#reader.end();
    await this.#inbox.readable();
  }

  #clientPiece({ bytes, first, last, messages }: Chunk): void {
    // A line goes to a single core: the rest of a line that a lost core started is not sent to the next.
    if (first) this.#lineTo = this.#core;
    const core = this.#core;
    if (core === undefined || this.#lineTo !== core) {
      const requests = messages().filter(({ id, method }) => id !== undefined && method !== undefined);
      return this.#writeToClient(requests.map(({ id }) => errorLine(id as string, this.#refusal)));
    }
    const line = first && last ? bytes : undefined;
    const note = () => messages().map((message) => this.#memory.fromClient(message, line));
    // Usually nothing is filtered: the bytes are forwarded immediately and recorded later.
    if (!this.#memory.filtersInput) {
      this.#send(core, bytes, line);
      return this.#memory.deferNote(note, bytes.length);
    }
    const wanted = note();
    if (wanted.length === 0 || wanted.includes(true)) this.#send(core, bytes, line);
  }

  #send(core: CoreConnection, bytes: Buffer, line: Buffer | undefined): void {
    const ready = core.send(bytes, () => {
      if (line !== undefined) this.#memory.undelivered(readMessages(line), line);
    });
    if (!ready) this.#inbox.pause();
  }

  #onClientClosed(): void {
    if (this.#core === undefined) {
      // Input sent before the client closed is still processed, as in `tooltray stdio < requests`.
      if (!this.#inbox.hasData) this.#leave();
      return;
    }
    this.#reader.end();
    this.#leaveWhenDone();
    setTimeout(() => this.#leave(), drainTimeoutMs).unref();
  }

  #leaveWhenDone(): void {
    if (this.#inbox.isClosed && !this.#inbox.hasData && this.#core !== undefined && !this.#memory.waiting)
      this.#leave();
  }

  #leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#options.ending.abort();
    this.#core?.end();
  }

  #writeToClient(lines: readonly string[]): void {
    for (const line of lines) this.#options.output.write(line);
  }
}
