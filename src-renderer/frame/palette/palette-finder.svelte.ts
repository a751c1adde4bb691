/** What the core finds for what is typed, asked while a user types. To be made while a component is. */
import { api } from '../../lib/api.ts';
import { RequestState } from '../../lib/asking.svelte.ts';
import { foundEntries, type PaletteEntry } from './palette-entry.ts';

/** In ms: it is typed letter by letter. */
const debounceMs = 120;
const maxQueryLength = 200;

export class PaletteFinder {
  readonly asking = new RequestState();
  #found = $state.raw<readonly PaletteEntry[]>([]);
  #lastQuery = $state('');
  /** Sessions were looked for among so many of the newest; undefined: all were. */
  sessionsLookedThrough = $state<number>();

  /** `revision`: changes when servers may offer other tools. */
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

  /** Of the text that was answered last. */
  get found(): readonly PaletteEntry[] {
    return this.#found;
  }

  /** Whether that is what stands there now. */
  isReady(text: string): boolean {
    return this.#lastQuery === text.trim().slice(0, maxQueryLength);
  }
}
