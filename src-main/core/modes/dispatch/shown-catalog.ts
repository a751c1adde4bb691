/** The catalog as `proxy-dispatch` shows it: without the tools that the filter hides, one connection per server. */
import type { ServerFacts } from '../../admin/server-facts.ts';
import { AppError } from '../../base/errors.ts';
import { maskObject, maskText } from '../../base/mask-secrets.ts';
import { shortName } from '../../base/short-name.ts';
import { type Catalog, type CatalogEntry, withTools } from '../../catalog/catalog.ts';
import { resolveServer } from '../../catalog/resolve-entry.ts';
import type { ToolFinder } from '../../catalog/tool-finder.ts';
import type { ServerAbsence } from '../../servers/server-standing.ts';
import type { HelperContext } from '../mode.ts';
import { allowsTool, hidesNothing } from './tool-filter.ts';

export interface Connection {
  /** The server's name. */
  readonly id: string;
  readonly alias: string;
  readonly serverInfo: unknown;
  /** Why it does not work at the moment, masked; null when it does. */
  readonly lastError: string | null;
  /** When its tools were read, in ms since 1970. */
  readonly listedAt: number | undefined;
  readonly tools: readonly CatalogEntry[];
}

export interface ShownCatalog {
  /** With the tools that may be seen. */
  readonly catalog: Catalog;
  readonly connections: readonly Connection[];
  /** For what is in neither of them. */
  readonly finder: ToolFinder;
}

/** Throws AppError server_not_found where there is no connection at all. */
export function showCatalog({ catalog, toolFilter, admin, finder }: HelperContext): ShownCatalog {
  if (catalog.servers.length === 0 && finder.missingServers() === undefined) {
    throw new AppError('server_not_found', 'The MCP proxy is not initialized or has no active connections.', {
      fix: 'Ask the person to add a server.',
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
    connectionTo(server, shown, facts.get(server), finder.server(server) && finder.absence(server)),
  );
  return { catalog: shown, connections, finder };
}

/** The connection with this name or alias. Throws AppError server_not_found, or what it is that one is switched off; `purpose` ends its sentence. */
export function findConnection(
  { catalog, connections, finder }: ShownCatalog,
  handle: string,
  purpose = '',
): Connection {
  const server = resolved(catalog, handle);
  const found = connections.find((connection) => connection.id === server);
  if (found !== undefined) return found;
  const known = finder.server(handle);
  const absence = known && finder.absence(known.config.name);
  if (known !== undefined && absence !== undefined) throw unavailable(known.config.name, absence.error, catalog);
  const names = connections.map(({ id, alias }) => `${alias} (${id})`).join(', ');
  throw new AppError('server_not_found', `Unknown connection identifier '${shortName(handle)}'${purpose}.`, {
    fix: `There are: ${names}.`,
  });
}

/** In mini-a's words, with what is the matter and what helps. */
export function unavailable(server: string, { code, text, data }: AppError, { aliases }: Catalog): AppError {
  const connection = `Connection '${aliases.get(server) ?? server}' (${server})`;
  return new AppError(code, `${connection} is not available or does not expose callable tools.`, {
    fix: maskText(text),
    ...(data && { data }),
  });
}

function connectionTo(
  server: string,
  catalog: Catalog,
  facts: ServerFacts | undefined,
  absence: ServerAbsence | undefined,
): Connection {
  const error = facts?.error ?? absence?.error.text;
  return {
    id: server,
    alias: catalog.aliases.get(server) ?? server,
    serverInfo: maskObject(facts?.handshake?.serverInfo ?? null),
    lastError: error === undefined ? null : maskText(error),
    listedAt: facts?.listedAt,
    tools: catalog.lookup.tools.of(server),
  };
}

function resolved(catalog: Catalog, handle: string): string | undefined {
  try {
    return resolveServer(catalog, handle);
  } catch {
    return undefined;
  }
}
