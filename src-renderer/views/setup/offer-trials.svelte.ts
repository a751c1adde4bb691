/** Which of the offered servers work here: found out when the person asks, a few at a time. Nothing is written. */
import { SvelteMap } from 'svelte/reactivity';
import { api, formatFailure, toFailure } from '../../lib/api.ts';

/** How the trial of one went, for people. */
export interface OfferTrial {
  readonly ok: boolean;
  readonly sentence: string;
}

const atOnce = 3;

export class OfferTrials {
  readonly #results = new SvelteMap<string, OfferTrial | 'running'>();
  isRunning = $state(false);

  /** undefined: not tried. */
  of(id: string): OfferTrial | 'running' | undefined {
    return this.#results.get(id);
  }

  /** Never rejects. */
  async run(ids: readonly string[]): Promise<void> {
    this.isRunning = true;
    for (const id of ids) this.#results.delete(id);
    const waiting = ids.values();
    await Promise.all(Array.from({ length: atOnce }, () => this.#tryEach(waiting)));
    this.isRunning = false;
  }

  /** All runners take from the same line. */
  async #tryEach(waiting: Iterable<string>): Promise<void> {
    for (const id of waiting) {
      this.#results.set(id, 'running');
      this.#results.set(id, await tryOffer(id));
    }
  }
}

async function tryOffer(id: string): Promise<OfferTrial> {
  try {
    return await api.ask('tryOffer', { id });
  } catch (error) {
    return { ok: false, sentence: formatFailure(toFailure(error)) };
  }
}
