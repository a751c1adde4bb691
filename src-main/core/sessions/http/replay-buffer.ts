/**
 * Events of a response stream, kept until a minute after its last one, so that a client whose connection broke can
 * resume the stream.
 */

/** Maximum size of all streams together, and of one event, in bytes. Larger events are not retained. */
const maxTotalBytes = 16_000_000;
const maxEventBytes = 1_000_000;
/** Maximum size of a stream, in bytes: beyond it the oldest events are dropped; a long call may report thousands. */
const maxStreamBytes = 2_000_000;
/** After a stream's last event. */
const retentionMs = 60_000;

/** Bytes held by all buffers of a listener together. */
export class ReplayBudget {
  bytes = 0;
}

export class ReplayBuffer {
  readonly #budget: ReplayBudget;
  #events: { readonly number: number; readonly text: string; readonly bytes: number }[] = [];
  #bytes = 0;
  #expiry: NodeJS.Timeout | undefined;

  constructor(budget: ReplayBudget) {
    this.#budget = budget;
  }

  /** Keeps an event as it is written. Numbers rise. */
  add(number: number, pieces: readonly (string | Buffer)[]): void {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes >= maxEventBytes) return;
    while (this.#bytes + bytes > maxStreamBytes) this.#drop();
    if (this.#budget.bytes + bytes > maxTotalBytes) return;
    this.#events.push({ number, text: pieces.join(''), bytes });
    this.#count(bytes);
  }

  /** Events behind this number, as they were written. */
  after(number: number): readonly string[] {
    return this.#events.filter((event) => event.number > number).map(({ text }) => text);
  }

  /** The stream has had its last event; `expired` is called when it can be resumed no more. */
  expire(expired: () => void): void {
    this.#expiry = setTimeout(() => {
      this.clear();
      expired();
    }, retentionMs).unref();
  }

  clear(): void {
    clearTimeout(this.#expiry);
    this.#events = [];
    this.#count(-this.#bytes);
  }

  #drop(): void {
    this.#count(-(this.#events.shift()?.bytes ?? 0));
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.bytes += bytes;
  }
}
