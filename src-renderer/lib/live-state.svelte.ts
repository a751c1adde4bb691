/** The core's state as the page knows it, asked for again and again while somebody looks. */
import type { CoreState } from '../../src-main/rpc/contract.ts';
import { type Answer, fetchState, type Trouble } from './api.ts';

const everyMs = 2_000;

export class LiveState {
  /** The last answer; it stays while the core is gone, so that there is something to read. */
  current = $state.raw<CoreState>();
  trouble = $state<Trouble>();
  /** When `current` was true, in ms since 1970. */
  asOf = $state<number>();

  readonly #fetch: () => Promise<Answer<CoreState>>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = false;

  constructor(fetch: () => Promise<Answer<CoreState>> = fetchState) {
    this.#fetch = fetch;
  }

  /** Begins to ask; the returned function ends it. */
  start(): () => void {
    document.addEventListener('visibilitychange', this.#lookAgain);
    this.#lookAgain();
    return () => {
      document.removeEventListener('visibilitychange', this.#lookAgain);
      clearTimeout(this.#timer);
    };
  }

  readonly #lookAgain = (): void => {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    this.#timer = setTimeout(this.#lookAgain, everyMs);
    void this.#ask();
  };

  async #ask(): Promise<void> {
    // A slow core is not asked twice at once.
    if (this.#asking) return;
    this.#asking = true;
    const answer = await this.#fetch();
    this.#asking = false;
    this.trouble = answer.ok ? undefined : answer.trouble;
    if (!answer.ok) return;
    this.current = answer.value;
    this.asOf = Date.now();
  }
}
