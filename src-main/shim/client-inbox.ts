/** What the client says: handed to whoever takes it, kept (to a bound, then the client has to wait) while nobody does. */
import type { Readable } from 'node:stream';

type Taker = (chunk: Buffer) => void;

const mostKeptBytes = 1024 * 1024;

export class ClientInbox {
  readonly #input: Readable;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #taker: Taker | undefined;
  #wake: () => void = () => undefined;
  #gone = false;

  /** `onGone` hears when the client has closed its side. */
  constructor(input: Readable, onGone: () => void) {
    this.#input = input;
    input.on('data', (chunk: Buffer) => (this.#taker === undefined ? this.#keep(chunk) : this.#taker(chunk)));
    const leave = () => {
      if (this.#gone) return;
      this.#gone = true;
      this.#wake();
      onGone();
    };
    // 'close' comes alone where the input is destroyed without having ended.
    input.once('end', leave).once('error', leave).once('close', leave);
  }

  /** Whether the client has closed its side; something it said before may still be kept. */
  get gone(): boolean {
    return this.#gone;
  }

  get waiting(): boolean {
    return this.#kept.length > 0;
  }

  /** Hands over what is kept, and all that comes until `hold`. */
  take(taker: Taker): void {
    this.#taker = taker;
    this.empty(taker);
  }

  /** Hands over what is kept and keeps what comes after. */
  empty(taker: Taker): void {
    const chunks = this.#kept;
    this.#kept = [];
    this.#keptBytes = 0;
    this.resume();
    for (const chunk of chunks) taker(chunk);
  }

  hold(): void {
    this.#taker = undefined;
    this.resume();
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    if (this.#keptBytes <= mostKeptBytes) this.#input.resume();
  }

  /** Resolves when something is kept, or when the client has left. */
  async spoken(): Promise<void> {
    while (!this.waiting && !this.#gone) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#keptBytes > mostKeptBytes) this.pause();
    this.#wake();
  }
}
