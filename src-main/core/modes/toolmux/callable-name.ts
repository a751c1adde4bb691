/** The shortest name under which a tool can be called through `invoke`: its own where that means no other tool. */
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import { prefixedEntries } from '../../catalog/resolve-entry.ts';

export function callableName(tool: CatalogEntry, catalog: Catalog): string {
  return isClear(tool, catalog) ? tool.name : tool.listedName;
}

function isClear(tool: CatalogEntry, catalog: Catalog): boolean {
  const { name } = tool;
  const { tools } = catalog.lookup;
  // What stands before a colon is taken for a server.
  if (name.includes(':') || catalog.reserved.has(name) || tools.named(name).length > 1) return false;
  const others = [tools.listedAs(name) ?? tool, ...prefixedEntries(catalog, tools, name)];
  return others.every((other) => other === tool);
}
