/** The process groups we are answerable for: none may outlive our own process. */

export interface Killable {
  /** Ends the whole group at once, without waiting. */
  killNow(): void;
}

/** One per core. Our own SIGKILL cannot be caught: then the children only see their stdin end. */
export class ProcessRegistry {
  readonly #groups = new Set<Killable>();
  readonly #killAll = (): void => this.killAll();

  constructor() {
    process.on('exit', this.#killAll);
  }

  add(group: Killable): void {
    this.#groups.add(group);
  }

  delete(group: Killable): void {
    this.#groups.delete(group);
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Synchronous, for the `exit` event. */
  killAll(): void {
    for (const group of this.#groups) group.killNow();
    this.#groups.clear();
  }

  /** Stops watching our own exit; for cores that end before their process does. */
  dispose(): void {
    process.off('exit', this.#killAll);
  }
}
