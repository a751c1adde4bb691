/** Finds entries by what they are called, at the same cost among ten thousand as among ten: each table is made at its first question. */
import type { CatalogEntry } from './catalog.ts';

type Groups = ReadonlyMap<string, readonly CatalogEntry[]>;

const none: readonly CatalogEntry[] = [];

export class EntryLookup {
  readonly #entries: readonly CatalogEntry[];
  #byListedName: ReadonlyMap<string, CatalogEntry> | undefined;
  #byId: Groups | undefined;
  #byName: Groups | undefined;
  #byServer: Groups | undefined;

  constructor(entries: readonly CatalogEntry[]) {
    this.#entries = entries;
  }

  listedAs(name: string): CatalogEntry | undefined {
    this.#byListedName ??= new Map(this.#entries.map((entry) => [entry.listedName, entry]));
    return this.#byListedName.get(name);
  }

  /** More than one where a server's name and a tool's have colons. */
  withId(id: string): readonly CatalogEntry[] {
    this.#byId ??= Map.groupBy(this.#entries, (entry) => entry.id);
    return this.#byId.get(id) ?? none;
  }

  /** Those that their servers call so, in the order of the catalog. */
  named(name: string): readonly CatalogEntry[] {
    this.#byName ??= Map.groupBy(this.#entries, (entry) => entry.name);
    return this.#byName.get(name) ?? none;
  }

  /** What one server has, in the order of the catalog. */
  of(server: string): readonly CatalogEntry[] {
    this.#byServer ??= Map.groupBy(this.#entries, (entry) => entry.server);
    return this.#byServer.get(server) ?? none;
  }
}
