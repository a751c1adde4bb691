/** The tool that a call means, among those that may be seen. */
import { AppError } from '../../base/errors.ts';
import { shortName } from '../../base/short-name.ts';
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import { resolveEntry } from '../../catalog/resolve-entry.ts';
import type { MissingTool } from '../../catalog/tool-finder.ts';
import type { HelperContext } from '../mode.ts';
import { type Connection, findConnection, type ShownCatalog, unavailable } from './shown-catalog.ts';
import { allowsName } from './tool-filter.ts';

/**
 * Finds it by any spelling, on the connection that is named or else on the only one that has it.
 * Throws AppError not_allowed, server_not_found, server_not_started, tool_not_found, tool_ambiguous.
 */
export function findTool(
  spelling: string,
  handle: string | undefined,
  shown: ShownCatalog,
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

/** The tool, or that there are several, or undefined where there is none. */
function resolve(
  catalog: Catalog,
  spelling: string,
  connection: Connection | undefined,
): CatalogEntry | AppError | undefined {
  try {
    return resolveEntry(catalog, 'tools', spelling, { server: connection?.id });
  } catch (error) {
    return error instanceof AppError && error.code === 'tool_ambiguous' ? error : undefined;
  }
}

function notAllowed(spelling: string): AppError {
  return new AppError('not_allowed', `Tool '${shortName(spelling)}' is not allowed by the MCP proxy tool filter.`);
}

function ambiguous(spelling: string, error: AppError, { catalog }: ShownCatalog): AppError {
  const candidates = error.data?.['candidates'] as readonly string[];
  const holders = catalog.tools.filter((tool) => candidates.includes(tool.id));
  const named = holders.map(({ server }) => `${catalog.aliases.get(server)} (${server})`).join(', ');
  return new AppError(
    'tool_ambiguous',
    `Tool '${shortName(spelling)}' is available on multiple connections: ${named}.`,
    {
      fix: "Please specify 'connection'.",
      data: { candidates },
    },
  );
}

function unknown(
  spelling: string,
  connection: Connection | undefined,
  { catalog }: ShownCatalog,
  { finder }: HelperContext,
): AppError {
  const found = finder.look(spelling, connection?.id);
  if ('missing' in found && stands(found)) return unavailable(found.server ?? '', found.error, catalog);
  if ('missing' in found && found.missing === 'tool-off') return found.error;
  if (connection !== undefined && connection.tools.length === 0) return silent(connection);
  const where = connection === undefined ? 'any registered connection' : `connection '${connection.alias}'`;
  const near = ('missing' in found ? found.nearest : []).filter((id) => isShown(id, catalog));
  const isTold = 'missing' in found && (near.length > 0 || found.nearest.length === 0);
  return new AppError('tool_not_found', `Tool '${shortName(spelling)}' is not available on ${where}.`, {
    fix: isTold ? (found.error.fix ?? seeSearch) : seeSearch,
  });
}

const seeSearch = "See action 'search'.";

/** What the filter hides is not hinted at; helper tools and servers are no tools of a connection. */
function isShown(id: string, catalog: Catalog): boolean {
  return !id.includes(':') || catalog.lookup.tools.withId(id).length > 0;
}

/** It is the state of its server that keeps it from being called. */
function stands({ missing }: MissingTool): boolean {
  return ['unusable', 'off', 'quarantined', 'paused', 'starting', 'sign-in', 'failed'].includes(missing);
}

function silent({ alias, id, lastError }: Connection): AppError {
  const text = `Connection '${alias}' (${id}) is not available or does not expose callable tools.`;
  return new AppError('server_not_started', text, lastError === null ? {} : { fix: lastError });
}
