/** A catalog from a short description, for tests of name resolution. */
import { buildCatalog, type Catalog, type CatalogServer } from '../../../src-main/core/catalog/catalog.ts';
import { emptyListing, type Listing } from '../../../src-main/core/servers/listing.ts';

/** A server with this listing and no instructions. */
export function serverWith(name: string, listing: Partial<Listing>, instructions?: string): CatalogServer {
  return { name, listing: { ...emptyListing, ...listing }, instructions };
}

export function toolsNamed(...names: string[]): Partial<Listing> {
  return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) };
}

/** Servers by name with the names of their tools, in the order of the config. */
export function catalogOf(servers: Readonly<Record<string, readonly string[]>>, reserved: string[] = []): Catalog {
  const listed = Object.entries(servers).map(([name, tools]) => serverWith(name, toolsNamed(...tools)));
  return buildCatalog(listed, new Set(reserved));
}
