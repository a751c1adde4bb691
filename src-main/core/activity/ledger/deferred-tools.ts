/**
 * For an app that loads tools only when it needs them: which definitions it has loaded so far in its session, of ours and of
 * those that it would have had from the servers. It loads one whole when it calls the tool for the first time.
 */
import type { JsonObject } from '../../base/json.ts';
import type { ListedServer } from './baseline.ts';

export interface DefinitionOwed {
  readonly server: string;
  readonly tool: string;
  readonly definition: JsonObject;
}

export class DeferredTools {
  readonly #listed = new Map<string, JsonObject>();
  readonly #loaded = new Set<string>();

  /** The app was sent this list. */
  list(tools: readonly JsonObject[]): void {
    this.#listed.clear();
    for (const tool of tools) this.#listed.set(String(tool['name']), tool);
  }

  /** The definition of a listed tool, when the app calls it first. */
  use(tool: string): JsonObject | undefined {
    return this.#first(`listed ${tool}`) ? this.#listed.get(tool) : undefined;
  }

  /** The definitions of servers' tools that were called for the first time, by whatever way. */
  called(
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
