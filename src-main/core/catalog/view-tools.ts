/** Tools with user interfaces, and tools that interfaces call, for an app that shows interfaces. */
import type { JsonObject } from '../base/json.ts';
import type { Listing } from '../servers/listing.ts';
import { isVisibleTo, viewUriOf, withViewUri } from '../servers/ui-metadata.ts';

interface ToolEntry {
  readonly server: string;
  readonly listedName: string;
  readonly definition: JsonObject;
}

interface ListedView {
  readonly server: string;
  readonly uri: string;
  readonly listedUri: string;
}

interface ToolServer {
  readonly name: string;
  readonly listing: Pick<Listing, 'tools'>;
}

/** The same tools, with the addresses under which the app reads their interfaces. */
export function withListedViews<T extends ToolEntry>(tools: readonly T[], views: readonly ListedView[]): readonly T[] {
  if (views.length === 0) return tools;
  const listed = new Map(views.map(({ server, uri, listedUri }) => [`${server} ${uri}`, listedUri]));
  return tools.map((entry) => {
    const uri = viewUriOf(entry.definition);
    const shown = uri === undefined ? undefined : listed.get(`${entry.server} ${uri}`);
    return shown === undefined || shown === uri
      ? entry
      : { ...entry, definition: withViewUri(entry.definition, shown) };
  });
}

/** A tool that the user interfaces of its server may call. */
export interface ViewTool {
  readonly id: string;
  readonly server: string;
  /** The name used by its server and its interfaces. */
  readonly name: string;
  readonly listedName: string;
  readonly definition: JsonObject;
  /** Whether no interface of another server calls a tool of that name. */
  readonly isAlone: boolean;
}

/**
 * Interfaces use the server's own tool names, and apps look those up in the list, so each tool that an interface may
 * call is listed under that name too, if it is unambiguous.
 */
export function viewCallableTools(servers: readonly ToolServer[]): readonly ViewTool[] {
  const withViews = servers.filter(({ listing }) => listing.tools.some((tool) => viewUriOf(tool) !== undefined));
  const callable = withViews.flatMap(({ name: server, listing }) =>
    [...firstByIdentifier(listing.tools, 'name')].flatMap(([name, definition]) =>
      isVisibleTo('app', definition) ? [{ id: `${server}:${name}`, server, name, listedName: name, definition }] : [],
    ),
  );
  const times = new Map<string, number>();
  for (const { name } of callable) times.set(name, (times.get(name) ?? 0) + 1);
  return callable.map((tool) => ({ ...tool, isAlone: times.get(tool.name) === 1 }));
}

/** Listed names that would be mistaken for another server's tool called by its interface. */
export function namesUsedByViews(tools: readonly ToolEntry[], viewTools: readonly ViewTool[]): readonly string[] {
  const servers = Map.groupBy(viewTools, ({ name }) => name);
  const isOther = ({ server, listedName }: ToolEntry): boolean =>
    servers.get(listedName)?.some((one) => one.server !== server) === true;
  return tools.filter(isOther).map(({ listedName }) => listedName);
}

/** Entries of a server's list by identifier; the first counts if several share one. */
export function firstByIdentifier(
  definitions: readonly JsonObject[],
  identifier: string,
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const definition of definitions) {
    const key = definition[identifier] as string;
    if (!found.has(key)) found.set(key, definition);
  }
  return found;
}
