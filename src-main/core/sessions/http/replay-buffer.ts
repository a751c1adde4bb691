/**
 * Events of a response stream, retained for a minute after the last one, so that a client can resume the stream after
 * a disconnect.
 */

/** Maximum size of all streams together, and of one event, in bytes. Larger events are not retained. */
const maxTotalBytes = 16_000_000;
const maxEventBytes = 1_000_000;
/**
 * Maximum size of a stream, in bytes. Beyond it the oldest events are dropped, because a long call may report
 * thousands.
 */
const maxStreamBytes = 2_000_000;
/** Time after a stream's last event, in ms. */
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

  /** Stores an event as written. Numbers increase. */
  add(number: number, pieces: readonly (string | Buffer)[]): void {
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes >= maxEventBytes) return;
    while (this.#bytes + bytes > maxStreamBytes) this.#drop();
    if (this.#budget.bytes + bytes > maxTotalBytes) return;
    this.#events.push({ number, text: pieces.join(''), bytes });
    this.#count(bytes);
  }

  /** Events after this number, as written. */
  after(number: number): readonly string[] {
    return this.#events.filter((event) => event.number > number).map(({ text }) => text);
  }

  /** Starts the retention after the last event; `expired` is called when the stream can no longer be resumed. */
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
