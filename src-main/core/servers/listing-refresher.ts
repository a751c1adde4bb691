/**
 * Fetches a listing again when the server announces a change: one fetch at a time, bursts merged, no announcement lost.
 */

const debounceMs = 150;
/** A server that keeps announcing is still read this often, as long as it costs little. */
const maxWaitMs = 2000;
/** A refresh takes at most a twentieth of the core's time. */
const pausePerCost = 20;
/** A server that changes more often keeps the list that was read last for a while. */
const maxChanges = 6;
const changesWindowMs = 60_000;

/** The outcome of a fetch. */
export interface Fetched {
  /** How long the listing blocked the core's thread, in ms. */
  readonly costMs: number;
  /** The listing is not what it was. */
  readonly changed: boolean;
}

interface ListingRefresherOptions {
  /** Never rejects: it deals with its own failures. */
  readonly fetch: () => Promise<Fetched>;
  /** It changed more than six times within a minute: announcements wait for so many ms. Reported once for each wait. */
  readonly onTooMany?: (waitMs: number) => void;
  readonly now?: () => number;
}

export class ListingRefresher {
  readonly #options: ListingRefresherOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #firstRequested = 0;
  #running: Promise<void> | undefined;
  #again = false;
  /** Announced changes are not read before this time, in ms since 1970. */
  #earliest = 0;
  /** When it changed last, the oldest first. */
  #changes: readonly number[] = [];

  constructor(options: ListingRefresherOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Asks for a refresh soon. While one runs, another follows it. */
  schedule(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    const now = this.#now();
    if (this.#timer === undefined) this.#firstRequested = now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(debounceMs, this.#firstRequested + maxWaitMs - now), this.#earliest - now);
    this.#timer = setTimeout(() => void this.refresh(), wait);
  }

  /** Refreshes at once, or joins the one that runs. Never rejects. */
  refresh(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running !== undefined) return this.#running;
    const started = this.#fetch().finally(() => {
      if (this.#running === started) this.#running = undefined;
      if (this.#again) {
        this.#again = false;
        this.schedule();
      }
    });
    this.#running = started;
    return started;
  }

  /** Refreshes at once, but after the one that runs: it asks on a line that is of no use any more. */
  refreshAfterCurrent(): Promise<void> {
    const before = this.#running;
    if (before === undefined) return this.refresh();
    const next = before.then(() => {
      if (this.#running === next) this.#running = undefined;
      return this.refresh();
    });
    this.#running = next;
    return next;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again = false;
  }

  async #fetch(): Promise<void> {
    const { costMs, changed } = await this.#options.fetch();
    const now = this.#now();
    this.#earliest = now + pausePerCost * costMs;
    if (!changed) return;
    this.#changes = [...this.#changes.filter((at) => at > now - changesWindowMs), now];
    const [oldest = now] = this.#changes;
    if (this.#changes.length < maxChanges) return;
    this.#earliest = Math.max(this.#earliest, oldest + changesWindowMs);
    this.#options.onTooMany?.(this.#earliest - now);
  }
}
