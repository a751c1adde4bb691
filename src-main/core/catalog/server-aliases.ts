/** The short names `c1`, `c2` … of servers: in the order of the config, and never given to another while the core runs. */

export class ServerAliases {
  readonly #given = new Map<string, string>();

  /** The aliases of all these; new ones are numbered on. */
  give(servers: readonly string[]): ReadonlyMap<string, string> {
    for (const name of servers) {
      if (!this.#given.has(name)) this.#given.set(name, `c${this.#given.size + 1}`);
    }
    return new Map(servers.map((name) => [name, this.#given.get(name) as string]));
  }
}
