/** Fetches a listing anew when the server says it changed: one fetch at a time, bursts taken together, no word lost meanwhile. */

const debounceMs = 150;
/** A server that keeps announcing is still read this often. */
const maxWaitMs = 2000;

export class ListingRefresher {
  readonly #fetch: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #firstAsked = 0;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(fetch: () => Promise<void>) {
    this.#fetch = fetch;
  }

  /** Asks for a refresh soon. While one runs, another follows it. */
  soon(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    const now = Date.now();
    if (this.#timer === undefined) this.#firstAsked = now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(debounceMs, this.#firstAsked + maxWaitMs - now));
    this.#timer = setTimeout(() => void this.now(), wait);
  }

  /** Refreshes at once, or joins the one that runs. Never rejects: `fetch` deals with its own failures. */
  now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#fetch().finally(() => {
      this.#running = undefined;
      if (this.#again) {
        this.#again = false;
        this.soon();
      }
    });
    return this.#running;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again = false;
  }
}
