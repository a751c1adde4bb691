/** Searches the core while the user types. Create it during component initialization. */
import { api } from '../../lib/api.ts';
import { RequestState } from '../../lib/asking.svelte.ts';
import { foundEntries, type PaletteEntry } from './palette-entry.ts';

/** Debounce interval in ms. */
const debounceMs = 120;
const maxQueryLength = 200;

export class PaletteFinder {
  readonly asking = new RequestState();
  #found = $state.raw<readonly PaletteEntry[]>([]);
  #lastQuery = $state('');
  /** Number of the newest sessions searched; undefined: all. */
  sessionsLookedThrough = $state<number>();

  /** `revision`: changes when servers may have other tools. */
  constructor(text: () => string, revision: () => unknown) {
    $effect(() => {
      const wanted = text().trim().slice(0, maxQueryLength);
      revision();
      if (wanted === '') {
        this.#found = [];
        this.#lastQuery = '';
        this.sessionsLookedThrough = undefined;
        return;
      }
      const timer = setTimeout(() => {
        void this.asking.refresh(async (signal) => {
          const found = await api.ask('find', { text: wanted }, signal);
          if (signal.aborted) return;
          this.#found = foundEntries(found, Date.now());
          this.#lastQuery = wanted;
          this.sessionsLookedThrough = found.sessionsLookedThrough;
        });
      }, debounceMs);
      return () => {
        clearTimeout(timer);
        this.asking.stop();
      };
    });
  }

  /** Results for the last answered text. */
  get found(): readonly PaletteEntry[] {
    return this.#found;
  }

  /** Whether the results are for this text. */
  isReady(text: string): boolean {
    return this.#lastQuery === text.trim().slice(0, maxQueryLength);
  }
}
