/** A typed event: listeners are called in order, and one that throws does not stop the others. */

type Listener<T> = (value: T) => void;

export class Emitter<T = void> {
  readonly #listeners = new Set<Listener<T>>();

  /** Adds a listener; the returned function removes it. */
  on(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        // An error of a listener is a bug, but must not end the core.
        process.emitWarning(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}
