/** Deletions that a person may still take back for a moment; what is planned is carried out at the end in any case. */

/** How long, in ms. */
const graceMs = 10_000;

export class PlannedDeletions {
  readonly #remove: (id: string) => Promise<unknown>;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(remove: (id: string) => Promise<unknown>) {
    this.#remove = remove;
  }

  has(id: string): boolean {
    return this.#timers.has(id);
  }

  plan(id: string): void {
    this.cancel(id);
    this.#timers.set(id, setTimeout(() => void this.#carryOut(id), graceMs).unref());
  }

  /** Answers whether there was still time. */
  cancel(id: string): boolean {
    clearTimeout(this.#timers.get(id));
    return this.#timers.delete(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#timers.keys()].map((id) => this.#carryOut(id)));
  }

  async #carryOut(id: string): Promise<void> {
    this.cancel(id);
    await this.#remove(id);
  }
}
