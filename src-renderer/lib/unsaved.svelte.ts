/** Tracks unsaved edits, so that leaving them asks for confirmation. */
import { createContext } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';

export const [useUnsaved, provideUnsaved] = createContext<UnsavedEdits>();

export interface Leaving {
  /** What would be lost: `The entry of github`. */
  readonly what: string;
  /** Goes where the user wanted to go, without the edits. */
  readonly discard: () => void;
}

export class UnsavedEdits {
  readonly #held = new SvelteMap<symbol, string>();
  /** Where the user is about to go, until they have said what becomes of the edits. */
  leaving = $state.raw<Leaving>();

  /** From now on leaving asks; returns how to let go. For an effect: `if (isChanged) return unsaved.hold('…')`. */
  register(what: string): () => void {
    const key = Symbol(what);
    this.#held.set(key, what);
    return () => this.#held.delete(key);
  }

  stay(): void {
    this.leaving = undefined;
  }

  /**
   * Begins to listen; before anything else that follows the address, so that nothing moves until the user has decided.
   */
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
