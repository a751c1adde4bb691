/** Tracks unsaved edits, so that leaving them asks for confirmation. */
import { createContext } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';

export const [useUnsaved, provideUnsaved] = createContext<UnsavedEdits>();

export interface Leaving {
  /** What would be lost: `The entry of github`. */
  readonly what: string;
  /** Discards the edits and continues the navigation. */
  readonly discard: () => void;
}

export class UnsavedEdits {
  readonly #held = new SvelteMap<symbol, string>();
  /** The pending navigation, until the user has decided. */
  leaving = $state.raw<Leaving>();

  /**
   * Asks before leaving until the returned function is called. For an effect: `if (isChanged) return
   * unsaved.register('…')`.
   */
  register(what: string): () => void {
    const key = Symbol(what);
    this.#held.set(key, what);
    return () => this.#held.delete(key);
  }

  stay(): void {
    this.leaving = undefined;
  }

  /** Starts listening; before other listeners of the URL, so that nothing changes until the user has decided. */
  confirmLeave(): void {
    addEventListener('hashchange', (event) => {
      const [what] = this.#held.values();
      const wanted = location.hash;
      if (what === undefined || wanted.startsWith('#key=')) return;
      event.stopImmediatePropagation();
      history.replaceState(undefined, '', event.oldURL);
      this.leaving = { what, discard: () => this.#discard(wanted) };
    });
    addEventListener('beforeunload', (event) => {
      if (this.#held.size > 0) event.preventDefault();
    });
  }

  #discard(wanted: string): void {
    this.#held.clear();
    this.leaving = undefined;
    location.hash = wanted;
  }
}
