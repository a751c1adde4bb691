/** Fetches a listing again after a server's notification: one fetch at a time, bursts merged, no notification lost. */

const debounceMs = 150;
/** A server that notifies continuously is read at this interval, if that is cheap. In ms. */
const maxWaitMs = 2000;
/** Refreshing takes at most a twentieth of the core's time. */
const pausePerCost = 20;
/** After more changes per minute, a server keeps its last list for a while. */
const maxChanges = 6;
const changesWindowMs = 60_000;

/** The outcome of a fetch. */
export interface Fetched {
  /** How long the listing blocked the core's thread, in ms. */
  readonly costMs: number;
  /** Whether the listing has changed. */
  readonly changed: boolean;
}

interface ListingRefresherOptions {
  /** Never rejects; it handles its own failures. */
  readonly fetch: () => Promise<Fetched>;
  /** Called once when changes exceed the limit per minute and further ones wait for `waitMs`. */
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
  /** Time before which changes are not read, in ms since 1970. */
  #earliest = 0;
  /** Times of the last changes, oldest first. */
  #changes: readonly number[] = [];

  constructor(options: ListingRefresherOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Requests a refresh soon, after a running one. */
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

  /** Refreshes at once, or joins a running refresh. Never rejects. */
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

  /** Refreshes at once, but after a running refresh, which uses an outdated connection. */
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
