/** What one session has been shown already, so that it is not shown twice. Bounded: the oldest is forgotten first. */

const most = 20_000;

export class SessionMemory {
  readonly #seen = new Set<string>();

  /** Notes a thing of a kind (a tool's description, its schema); whether it was there before. */
  seen(kind: string, id: string): boolean {
    const key = `${kind} ${id}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    const [oldest] = this.#seen;
    if (this.#seen.size > most && oldest !== undefined) this.#seen.delete(oldest);
    return false;
  }
}
