/** The shortest name under which a tool can be called through `invoke`: its own where that means no other tool. */
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';

export function callableNames({ tools, slugs, reserved }: Catalog): ReadonlyMap<CatalogEntry, string> {
  const meanings = new Map<string, Set<CatalogEntry>>();
  for (const tool of tools) {
    const prefixes = [tool.server, slugs.get(tool.server) ?? tool.server];
    const prefixed = prefixes.flatMap((prefix) => [`${prefix}_${tool.name}`, `${prefix}__${tool.name}`]);
    for (const spelling of new Set([tool.name, tool.listedName, ...prefixed])) {
      const known = meanings.get(spelling);
      if (known === undefined) meanings.set(spelling, new Set([tool]));
      else known.add(tool);
    }
  }
  const isClear = ({ name }: CatalogEntry): boolean =>
    // What stands before a colon is taken for a server.
    !name.includes(':') && !reserved.has(name) && meanings.get(name)?.size === 1;
  return new Map(tools.map((tool) => [tool, isClear(tool) ? tool.name : tool.listedName]));
}
