/**
 * The tokens that a client app would have loaded without Tooltray in one session, by server:
 * - instructions of a server once, when the app initializes, or when the server is added;
 * - a list on the app's first request, or when the server is added; again when the app lists of its own accord, as it
 *   would then have asked every server; and, if it lists again because of a change notification, only for servers whose
 *   list has changed.
 */
import type { JsonObject } from '../../base/json.ts';

/** An enabled server, as it would introduce itself to an app. */
export interface ListedServer {
  readonly name: string;
  readonly listing: Readonly<Record<ListKey, readonly JsonObject[]>>;
  readonly instructions: string | undefined;
}

interface OwedInstructions {
  readonly server: string;
  readonly text: string;
}

interface OwedList {
  readonly server: string;
  readonly key: ListKey;
  readonly entries: readonly JsonObject[];
}

export interface BaselineIncrement {
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

  /** Called when the app has initialized. */
  introduce(servers: readonly ListedServer[]): BaselineIncrement {
    this.#isIntroduced = true;
    return { instructions: this.#newInstructions(servers), lists: [] };
  }

  /** Called when a list was sent to the app. */
  list(key: ListKey, servers: readonly ListedServer[]): BaselineIncrement {
    const known = this.#lists.get(key);
    const { loaded, announced } = known ?? { loaded: new Map<string, readonly JsonObject[]>(), announced: false };
    this.#lists.set(key, { loaded, announced: false });
    const isOwed = ({ name, listing }: ListedServer): boolean => !announced || !isSame(loaded.get(name), listing[key]);
    return { instructions: this.#newInstructions(servers), lists: owe(key, servers.filter(isOwed), loaded) };
  }

  /** Called when the app was notified that a list has changed. */
  announce(keys: readonly ListKey[]): void {
    for (const key of keys) {
      const known = this.#lists.get(key);
      if (known !== undefined) known.announced = true;
    }
  }

  /** Returns the increment after a change of the servers: new ones would have been initialized now. */
  serversChanged(servers: readonly ListedServer[]): BaselineIncrement {
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

/** A server without entries has no such list. */
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

// For an app that loads tools on demand: the definitions it has loaded in its session, those of Tooltray, and those
// that it would have loaded from the servers. It loads a definition when it calls the tool for the first time.

interface DefinitionOwed {
  readonly server: string;
  readonly tool: string;
  readonly definition: JsonObject;
}

export class DeferredTools {
  readonly #listed = new Map<string, JsonObject>();
  readonly #loaded = new Set<string>();

  /** Called when this list was sent to the app. */
  list(tools: readonly JsonObject[]): void {
    this.#listed.clear();
    for (const tool of tools) this.#listed.set(String(tool['name']), tool);
  }

  /** The definition of a listed tool at its first call. */
  use(tool: string): JsonObject | undefined {
    return this.#first(`listed ${tool}`) ? this.#listed.get(tool) : undefined;
  }

  /** The definitions of servers' tools that were called for the first time, in any way. */
  takeFirstCalls(
    calls: readonly { readonly server: string; readonly tool: string }[],
    servers: readonly ListedServer[],
  ): readonly DefinitionOwed[] {
    return calls.flatMap(({ server, tool }) => {
      if (!this.#first(`server ${server} ${tool}`)) return [];
      const tools = servers.find(({ name }) => name === server)?.listing.tools ?? [];
      const definition = tools.find(({ name }) => name === tool);
      return definition === undefined ? [] : [{ server, tool, definition }];
    });
  }

  #first(key: string): boolean {
    const isFirst = !this.#loaded.has(key);
    this.#loaded.add(key);
    return isFirst;
  }
}

/** Lists that apps load. */
export type ListKey = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

export const listMethods: ReadonlyMap<string, ListKey> = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
]);

/** Maximum length of the line that represents a tool which is loaded on demand, in characters. */
const maxSummaryLength = 200;

export function toLine({ name, description }: JsonObject): string {
  const [first = ''] = typeof description === 'string' ? description.trimStart().split('\n', 1) : [];
  return `${String(name)}: ${first}`.slice(0, maxSummaryLength);
}
