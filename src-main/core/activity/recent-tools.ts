/** Recently used tools, which searches rank a little higher. Bounded; those of earlier runs are loaded once. */

export const maxRecentTools = 200;

export class RecentTools {
  /** Ids (`server:tool`), the most recent last. */
  #ids = new Set<string>();
  #isLoaded = false;

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Records a successful call. */
  note(server: string, tool: string): void {
    const id = `${server}:${tool}`;
    this.#ids.delete(id);
    this.#ids.add(id);
    this.#trim();
  }

  /** `earlier`: recorded ids, the most recent last. */
  load(earlier: readonly string[]): void {
    this.#isLoaded = true;
    this.#ids = new Set([...earlier.filter((id) => !this.#ids.has(id)), ...this.#ids]);
    this.#trim();
  }

  #trim(): void {
    for (const oldest of this.#ids) {
      if (this.#ids.size <= maxRecentTools) break;
      this.#ids.delete(oldest);
    }
  }
}
