/** The catalog as shown by `proxy-dispatch`: without tools hidden by the filter, one connection per server. */
import { isObject, type JsonObject, textOrEmpty } from '../../core/base/json.ts';
import type { ServerSummary } from '../../core/admin/server-summary.ts';
import { AppError } from '../../core/base/errors.ts';
import { maskObject, maskText } from '../../core/base/mask.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import {
  type Catalog,
  type CatalogEntry,
  resolveEntry,
  findServer,
  usableSchema,
  withTools,
} from '../../core/catalog/catalog.ts';
import type { UnavailableTool, ToolFinder } from '../../core/catalog/tool-finder.ts';
import { condenseLine } from '../../core/condense/condense-tool.ts';
import type { ToolFilter } from '../../core/config/app-config.ts';
import type { HelperContext, ModeView, ShownItems } from '../../core/modes/mode.ts';
import { markSchemaShown } from '../../core/modes/render-tools.ts';
import type { ServerUnavailability } from '../../core/servers/server-availability.ts';
import { readFlag } from './results.ts';

export interface DispatchConnection {
  /** The server's name. */
  readonly id: string;
  readonly alias: string;
  readonly serverInfo: unknown;
  /** The server's current problem, masked; null if there is none. */
  readonly lastError: string | null;
  /** Time when its tools were listed, in ms since 1970. */
  readonly listedAt: number | undefined;
  readonly tools: readonly CatalogEntry[];
}

export interface VisibleCatalog {
  /** Contains the visible tools. */
  readonly catalog: Catalog;
  readonly connections: readonly DispatchConnection[];
  /** Resolves names that neither catalog contains. */
  readonly finder: ToolFinder;
}

/** Throws AppError `server_not_found` if there are no connections. */
export function visibleCatalog({ catalog, toolFilter, admin, finder }: HelperContext): VisibleCatalog {
  if (catalog.servers.length === 0 && finder.missingServers() === undefined) {
    throw new AppError('server_not_found', 'The MCP proxy is not initialized or has no active connections.', {
      fix: 'Ask the user to add a server.',
    });
  }
  const shown = hidesNothing(toolFilter)
    ? catalog
    : withTools(
        catalog,
        catalog.tools.filter((tool) => allowsTool(toolFilter, tool)),
      );
  const facts = new Map(admin.list().map((one) => [one.name, one]));
  const connections = catalog.servers.map((server) =>
    connectionTo(server, shown, facts.get(server), finder.server(server) && finder.unavailability(server)),
  );
  return { catalog: shown, connections, finder };
}

/**
 * The connection with this name or alias. Throws AppError `server_not_found`, or the reason why it is unavailable;
 * `purpose` ends the sentence.
 */
export function findConnection(
  { catalog, connections, finder }: VisibleCatalog,
  handle: string,
  purpose = '',
): DispatchConnection {
  const server = findServer(catalog, handle);
  const found = connections.find((connection) => connection.id === server);
  if (found !== undefined) return found;
  const known = finder.server(handle);
  const absence = known && finder.unavailability(known.config.name);
  if (known !== undefined && absence !== undefined) throw unavailable(known.config.name, absence.error, catalog);
  const names = connections.map(({ id, alias }) => `${alias} (${id})`).join(', ');
  throw new AppError('server_not_found', `Unknown connection identifier '${truncateName(handle)}'${purpose}.`, {
    fix: `Connections: ${names}.`,
  });
}

/** In mini-a's words, with the problem and the fix. */
function unavailable(server: string, { code, text, data }: AppError, { aliases }: Catalog): AppError {
  const connection = `Connection '${aliases.get(server) ?? server}' (${server})`;
  return new AppError(code, `${connection} is not available or does not expose callable tools.`, {
    fix: maskText(text),
    ...(data && { data }),
  });
}

function connectionTo(
  server: string,
  catalog: Catalog,
  facts: ServerSummary | undefined,
  absence: ServerUnavailability | undefined,
): DispatchConnection {
  const error = facts?.error ?? absence?.error.text;
  return {
    id: server,
    alias: catalog.aliases.get(server) ?? server,
    serverInfo: maskObject(facts?.handshake?.serverInfo ?? null),
    lastError: error === undefined ? null : maskText(error),
    listedAt: facts?.listedAt,
    tools: catalog.lookup.tools.byServer(server),
  };
}

/**
 * The setting `dispatch`: which tools `proxy-dispatch` lists and calls. Deny takes precedence; an empty allow list
 * permits all.
 */
function hidesNothing({ allow, deny }: ToolFilter): boolean {
  return allow.length === 0 && deny.length === 0;
}

/** The lists may contain a tool's own name, `server:tool`, or its listed name. */
export function allowsTool(filter: ToolFilter, { id, name, listedName }: CatalogEntry): boolean {
  return allows(filter, [id, name, listedName]);
}

/** The same for a name given by a caller that matches no tool. */
function allowsName(filter: ToolFilter, spelling: string): boolean {
  return allows(filter, [spelling]);
}

function allows({ allow, deny }: ToolFilter, names: readonly string[]): boolean {
  const isIn = (list: readonly string[]): boolean =>
    list.some((entry) => names.some((name) => name.toLowerCase() === entry.trim().toLowerCase()));
  return !isIn(deny) && (allow.length === 0 || isIn(allow));
}

// A tool in lists and search hits.

/** The fields needed to choose a tool; with raw texts enabled, the server's original description. */
export function compactTool({ server, name, definition }: CatalogEntry, { level, descriptions }: ModeView): JsonObject {
  const text = descriptionOf(definition);
  if (level === 'full') return { name, description: text };
  return { name, description: descriptions.find(server, name, definition['description']) ?? condenseLine(text) };
}

/** The requested fields of a tool. */
export function detailedTool(tool: CatalogEntry, input: JsonObject, memory: ShownItems): JsonObject {
  const { name, definition } = tool;
  return { name, description: descriptionOf(definition), ...includedFields(tool, input, true, memory) };
}

/** Schema and annotations according to the include flags; `annotated`: default for annotations. */
export function includedFields(
  tool: CatalogEntry,
  input: JsonObject,
  annotated: boolean,
  memory: ShownItems,
): JsonObject {
  const { definition } = tool;
  const { annotations } = definition;
  const isSchemaWanted = readFlag(input, 'includeInputSchema', false);
  if (isSchemaWanted) markSchemaShown(tool, memory);
  return {
    ...(isSchemaWanted && { inputSchema: usableSchema(definition) }),
    ...(readFlag(input, 'includeAnnotations', annotated) && isObject(annotations) && { annotations }),
  };
}

function descriptionOf({ description }: JsonObject): string {
  return textOrEmpty(description);
}

// The visible tool that a call addresses.

/**
 * Finds it by any spelling, on the named connection or else the only one that has it. Throws AppError
 * `not_allowed`, `server_not_found`, `server_not_started`, `tool_not_found`, `tool_ambiguous`.
 */
export function findVisibleTool(
  spelling: string,
  handle: string | undefined,
  shown: VisibleCatalog,
  context: HelperContext,
): CatalogEntry {
  const { catalog, toolFilter } = context;
  if (!allowsName({ ...toolFilter, allow: [] }, spelling)) throw notAllowed(spelling);
  const connection = handle === undefined ? undefined : findConnection(shown, handle);
  const found = resolve(shown.catalog, spelling, connection);
  if (found instanceof AppError) throw ambiguous(spelling, found, shown);
  if (found !== undefined) return found;
  const isHidden = resolve(catalog, spelling, connection) !== undefined || !allowsName(toolFilter, spelling);
  throw isHidden ? notAllowed(spelling) : unknown(spelling, connection, shown, context);
}

/** The tool, an ambiguity, or undefined if there is none. */
function resolve(
  catalog: Catalog,
  spelling: string,
  connection: DispatchConnection | undefined,
): CatalogEntry | AppError | undefined {
  try {
    return resolveEntry(catalog, 'tools', spelling, { server: connection?.id });
  } catch (error) {
    return error instanceof AppError && error.code === 'tool_ambiguous' ? error : undefined;
  }
}

function notAllowed(spelling: string): AppError {
  return new AppError('not_allowed', `Tool '${truncateName(spelling)}' is not allowed by the MCP proxy tool filter.`);
}

function ambiguous(spelling: string, error: AppError, { catalog }: VisibleCatalog): AppError {
  const candidates = error.data?.['candidates'] as readonly string[];
  const holders = catalog.tools.filter((tool) => candidates.includes(tool.id));
  const named = holders.map(({ server }) => `${catalog.aliases.get(server)} (${server})`).join(', ');
  return new AppError(
    'tool_ambiguous',
    `Tool '${truncateName(spelling)}' is available on multiple connections: ${named}.`,
    {
      fix: "Please specify 'connection'.",
      data: { candidates },
    },
  );
}

function unknown(
  spelling: string,
  connection: DispatchConnection | undefined,
  { catalog }: VisibleCatalog,
  { finder }: HelperContext,
): AppError {
  const found = finder.tryFind(spelling, connection?.id);
  if ('missing' in found && stands(found)) return unavailable(found.server ?? '', found.error, catalog);
  if ('missing' in found && found.missing === 'tool-off') return found.error;
  if (connection !== undefined && connection.tools.length === 0) return silent(connection);
  const where = connection === undefined ? 'any registered connection' : `connection '${connection.alias}'`;
  const near = ('missing' in found ? found.nearest : []).filter((id) => isShown(id, catalog));
  const isNotified = 'missing' in found && (near.length > 0 || found.nearest.length === 0);
  return new AppError('tool_not_found', `Tool '${truncateName(spelling)}' is not available on ${where}.`, {
    fix: isNotified ? (found.error.fix ?? seeSearch) : seeSearch,
  });
}

const seeSearch = "See action 'search'.";

/**
 * Whether a tool passes the filter; hidden ones are never mentioned. Helper tools and servers are not a connection's
 * tools.
 */
function isShown(id: string, catalog: Catalog): boolean {
  return !id.includes(':') || catalog.lookup.tools.byId(id).length > 0;
}

/** It cannot be called because of its server's state. */
function stands({ missing }: UnavailableTool): boolean {
  return ['unusable', 'off', 'setup', 'in-review', 'paused', 'starting', 'sign-in', 'failed'].includes(missing);
}

function silent({ alias, id, lastError }: DispatchConnection): AppError {
  const text = `Connection '${alias}' (${id}) is not available or does not expose callable tools.`;
  return new AppError('server_not_started', text, lastError === null ? {} : { fix: lastError });
}
