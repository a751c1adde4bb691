/**
 * What an app would have loaded without Tooltray in one session, kept apart by server:
 * - instructions of a server once, when the app introduces itself, or when the server comes;
 * - a list once for the app's first, or when the server comes; again when the app lists again of its own accord, as it would
 *   then have asked every server; and, where it lists again because we said that something has changed, of those servers only
 *   whose list is another one.
 */
import type { JsonObject } from '../../base/json.ts';
import type { ListKey } from './list-texts.ts';

/** A server that the person has switched on, as it would introduce itself to an app. */
export interface ListedServer {
  readonly name: string;
  readonly listing: Readonly<Record<ListKey, readonly JsonObject[]>>;
  readonly instructions: string | undefined;
}

export interface OwedInstructions {
  readonly server: string;
  readonly text: string;
}

export interface OwedList {
  readonly server: string;
  readonly key: ListKey;
  readonly entries: readonly JsonObject[];
}

export interface Owed {
  readonly instructions: readonly OwedInstructions[];
  readonly lists: readonly OwedList[];
}

interface KnownList {
  readonly loaded: Map<string, readonly JsonObject[]>;
  announced: boolean;
}

export class Baseline {
  readonly #introduced = new Set<string>();
  readonly #lists = new Map<ListKey, KnownList>();
  #isIntroduced = false;

  /** The app has introduced itself. */
  introduce(servers: readonly ListedServer[]): Owed {
    this.#isIntroduced = true;
    return { instructions: this.#newInstructions(servers), lists: [] };
  }

  /** The app has been sent a list. */
  list(key: ListKey, servers: readonly ListedServer[]): Owed {
    const known = this.#lists.get(key);
    const { loaded, announced } = known ?? { loaded: new Map<string, readonly JsonObject[]>(), announced: false };
    this.#lists.set(key, { loaded, announced: false });
    const isOwed = ({ name, listing }: ListedServer): boolean => !announced || !isSame(loaded.get(name), listing[key]);
    return { instructions: this.#newInstructions(servers), lists: owe(key, servers.filter(isOwed), loaded) };
  }

  /** The app was told that a list has changed. */
  announce(keys: readonly ListKey[]): void {
    for (const key of keys) {
      const known = this.#lists.get(key);
      if (known !== undefined) known.announced = true;
    }
  }

  /** What servers offer has changed: those that the app has not met would have introduced themselves now. */
  serversChanged(servers: readonly ListedServer[]): Owed {
    const lists = [...this.#lists].flatMap(([key, { loaded }]) =>
      owe(
        key,
        servers.filter(({ name }) => !loaded.has(name)),
        loaded,
      ),
    );
    return { instructions: this.#newInstructions(servers), lists };
  }

  #newInstructions(servers: readonly ListedServer[]): readonly OwedInstructions[] {
    if (!this.#isIntroduced) return [];
    return servers.flatMap(({ name, instructions }) => {
      if (instructions === undefined || this.#introduced.has(name)) return [];
      this.#introduced.add(name);
      return [{ server: name, text: instructions }];
    });
  }
}

/** A server without entries has no such list to load. */
function owe(
  key: ListKey,
  servers: readonly ListedServer[],
  loaded: Map<string, readonly JsonObject[]>,
): readonly OwedList[] {
  return servers.flatMap(({ name, listing }) => {
    const entries = listing[key];
    if (entries.length === 0) return [];
    loaded.set(name, entries);
    return [{ server: name, key, entries }];
  });
}

function isSame(a: readonly JsonObject[] | undefined, b: readonly JsonObject[]): boolean {
  return a === b || (a !== undefined && JSON.stringify(a) === JSON.stringify(b));
}
