/** The list of tools that a merged view shows: the mode's own, those the person pinned, the servers', and what a session turned out to need. */
import type { JsonObject } from '../base/json.ts';
import { awaitResult, listsAwait } from '../modes/await-result.ts';
import type { HelperTool, Mode, ModeView } from '../modes/mode.ts';
import type { Era } from '../wire/eras.ts';
import { hasParamHeaders } from '../servers/param-headers.ts';
import { acceptableEntry } from './acceptable-entry.ts';

export interface MergedToolsOptions {
  readonly mode: () => Mode;
  readonly view: () => ModeView;
  readonly helpers: ReadonlyMap<string, HelperTool>;
  /** Names of helper tools that the person wants listed besides. */
  readonly extraTools: () => readonly string[];
  /** The client app reads lists anew when it is told that they have changed. */
  readonly followsLists: boolean;
  /** A call was answered with a handle. */
  readonly awaits: () => boolean;
}

export class MergedTools {
  readonly #options: MergedToolsOptions;
  #listed: { readonly era: Era; readonly tools: string } | undefined;

  constructor(options: MergedToolsOptions) {
    this.#options = options;
  }

  /** As it is given to a client app of that era. */
  list(era: Era): readonly JsonObject[] {
    const tools = this.#tools(era);
    this.#listed = { era, tools: JSON.stringify(tools) };
    return tools;
  }

  lists(name: string, era: Era): boolean {
    return this.#tools(era).some((tool) => tool['name'] === name);
  }

  /** A server's tool that wants arguments repeated as headers, where what is listed says so. */
  withHeaders(name: string): JsonObject | undefined {
    const known = this.#options.view().catalog.lookup.tools.listedAs(name);
    // Most want nothing, and the list is work.
    if (known === undefined || !hasParamHeaders(known.definition)) return undefined;
    return this.#tools('modern').find((tool) => tool['name'] === name && hasParamHeaders(tool));
  }

  /** Whether the list that was given out is another one now; said once for each change. */
  differs(): boolean {
    const before = this.#listed;
    return before !== undefined && before.tools !== JSON.stringify(this.list(before.era));
  }

  #tools(era: Era): readonly JsonObject[] {
    const { helpers, extraTools, followsLists, awaits } = this.#options;
    const [mode, view] = [this.#options.mode(), this.#options.view()];
    const own = mode.helpers.map((helper) => helper.definition);
    const names = new Set(own.map(({ name }) => name));
    const pinned = [...new Set(extraTools())].flatMap((name) =>
      names.has(name) ? [] : (helpers.get(name)?.definition ?? []),
    );
    const servers = mode.listed(view).map((tool) => acceptableEntry('tools', tool, era));
    const tools = [...own, ...pinned, ...servers];
    const { catalog, handles } = view;
    const mayAwait = handles === true && listsAwait({ mode, era, tools, catalog, followsLists, used: awaits() });
    return mayAwait ? [...tools, awaitResult.definition] : tools;
  }
}
