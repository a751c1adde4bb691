/**
 * Joins one client app to the core for as long as the client lives, however often the core goes away:
 *
 *   dialling ──let in──▶ taking up ──the core knows the session──▶ joined ──core gone──▶ away
 *      │ ▲                                                                                │
 *      ▼ └─────────────── the client speaks, or a core listens again ◀────────────────────┘
 *   refused: what the client says is answered with the reason
 *
 * Away, a core is only looked for. It is started when the client wants something, so that who quits Tooltray has quit it.
 */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientInbox } from './client-inbox.ts';
import { CoreLine } from './core-line.ts';
import { CoreAbsent, type Link } from './dial.ts';
import { LineReader, type Piece, readMessages } from './line-reader.ts';
import { errorLine, SessionMemory } from './session-memory.ts';

interface ShimSessionOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted when the client has left; what is under way on its behalf may end. */
  readonly ending: AbortController;
  /** Reaches the core; rejects with CoreAbsent where nobody listens and none may be started. */
  readonly connect: (mayStart: boolean) => Promise<Link>;
  /** Tells the person (stderr). */
  readonly complain: (text: string) => void;
}

const lostText =
  "Tooltray's core was restarted while this call was running; its answer is lost. It may or may not have been carried out. Call it again if that is safe.";

/** For answers still to come when the client has closed its side. */
const lingerMs = 2000;
const firstLookMs = 100;
const longestLookMs = 2000;

export class ShimSession {
  readonly #options: ShimSessionOptions;
  readonly #inbox: ClientInbox;
  readonly #memory = new SessionMemory();
  readonly #reader = new LineReader((piece) => this.#clientPiece(piece));
  /** The core that takes what the client says; undefined in every state but joined. */
  #core: CoreLine | undefined;
  /** The core that got the beginning of the line now coming from the client. */
  #lineTo: CoreLine | undefined;
  #leaving = false;
  #refusal = lostText;

  constructor(options: ShimSessionOptions) {
    this.#options = options;
    this.#inbox = new ClientInbox(options.input, () => this.#clientLeaves());
    // The client is gone without a word; nobody is left to serve.
    options.output.on('error', () => this.#leave());
  }

  /** Resolves when the client has left. `first` is the attempt to connect that is already under way. */
  async run(first: Promise<Link>): Promise<void> {
    let attempt: Promise<Link> | undefined = first;
    while (attempt !== undefined) {
      try {
        await this.#serve(await attempt);
      } catch (error) {
        if (!this.#leaving) await this.#refuse(error as Error);
      }
      attempt = this.#over ? undefined : this.#nextLink();
    }
    this.#leave();
    this.#options.input.destroy();
  }

  /** Whether somebody waits for a core. */
  get #wanted(): boolean {
    return this.#inbox.waiting || this.#memory.waiting;
  }

  get #over(): boolean {
    return this.#leaving || (this.#inbox.gone && !this.#inbox.waiting);
  }

  /** Resolves when the core is gone again. */
  async #serve(link: Link): Promise<void> {
    const core = new CoreLine({
      link,
      memory: this.#memory,
      output: this.#options.output,
      onDrain: () => this.#inbox.resume(),
      onLine: () => this.#leaveWhenDone(),
    });
    try {
      await core.takeUp();
      this.#join(core);
      await core.lost;
    } finally {
      this.#core = undefined;
      this.#inbox.hold();
      const lines = this.#memory.lose(lostText);
      if (!this.#leaving) this.#tell(lines);
    }
  }

  #join(core: CoreLine): void {
    this.#core = core;
    this.#refusal = lostText;
    if (this.#leaving) return core.leave();
    this.#inbox.take((chunk) => this.#reader.push(chunk));
    if (this.#inbox.gone) this.#clientLeaves();
  }

  async #nextLink(): Promise<Link> {
    const { signal } = this.#options.ending;
    for (let pause = firstLookMs; ; pause = Math.min(pause * 2, longestLookMs)) {
      if (!this.#wanted) await Promise.race([sleep(pause, undefined, { signal }), this.#inbox.spoken()]);
      signal.throwIfAborted();
      const wanted = this.#wanted;
      try {
        return await this.#options.connect(wanted);
      } catch (error) {
        if (wanted || !(error instanceof CoreAbsent)) throw error;
      }
    }
  }

  /** No core is to be had: says so to whatever waits, and waits until the client tries again. */
  async #refuse(error: Error): Promise<void> {
    // Loaded only here: a shim hardly ever fails.
    const { failureText } = await import('./failure-text.ts');
    const text = failureText(error);
    this.#refusal = text;
    this.#options.complain(text);
    this.#tell(this.#memory.giveUp(text));
    this.#inbox.empty((chunk) => this.#reader.push(chunk));
    if (this.#inbox.gone) this.#reader.end();
    await this.#inbox.spoken();
  }

  #clientPiece({ bytes, first, last, messages }: Piece): void {
    // A line goes to one core, whole: what began on the line of a lost core does not go on in the next.
    if (first) this.#lineTo = this.#core;
    const core = this.#core;
    if (core === undefined || this.#lineTo !== core) {
      const requests = messages().filter(({ id, method }) => id !== undefined && method !== undefined);
      return this.#tell(requests.map(({ id }) => errorLine(id as string, this.#refusal)));
    }
    const line = first && last ? bytes : undefined;
    const note = () => messages().map((message) => this.#memory.fromClient(message, line));
    // Almost always the core may have it: then the bytes go, and what they say is noted when there is time.
    if (!this.#memory.withholds) {
      this.#send(core, bytes, line);
      return this.#memory.noteLater(note, bytes.length);
    }
    const wanted = note();
    if (wanted.length === 0 || wanted.includes(true)) this.#send(core, bytes, line);
  }

  #send(core: CoreLine, bytes: Buffer, line: Buffer | undefined): void {
    const ready = core.send(bytes, () => {
      if (line !== undefined) this.#memory.undelivered(readMessages(line), line);
    });
    if (!ready) this.#inbox.pause();
  }

  #clientLeaves(): void {
    if (this.#core === undefined) {
      // What it said before it left is still carried out, as in `tooltray stdio < requests`.
      if (!this.#inbox.waiting) this.#leave();
      return;
    }
    this.#reader.end();
    this.#leaveWhenDone();
    setTimeout(() => this.#leave(), lingerMs).unref();
  }

  #leaveWhenDone(): void {
    if (this.#inbox.gone && !this.#inbox.waiting && this.#core !== undefined && !this.#memory.waiting) this.#leave();
  }

  #leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#options.ending.abort();
    this.#core?.leave();
  }

  #tell(lines: readonly string[]): void {
    for (const line of lines) this.#options.output.write(line);
  }
}
