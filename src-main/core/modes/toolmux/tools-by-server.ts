/** The tools of each server that has some, in the order of the config. */
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import { resolveServer } from '../../catalog/resolve-entry.ts';

/** `only`: that server alone, in any spelling; none where there is no such server. */
export function toolsByServer(catalog: Catalog, only?: string): ReadonlyMap<string, readonly CatalogEntry[]> {
  const wanted = only === undefined ? undefined : known(catalog, only);
  const groups = new Map<string, CatalogEntry[]>();
  for (const tool of catalog.tools) {
    if (only !== undefined && tool.server !== wanted) continue;
    const group = groups.get(tool.server);
    if (group === undefined) groups.set(tool.server, [tool]);
    else group.push(tool);
  }
  return groups;
}

function known(catalog: Catalog, handle: string): string | undefined {
  try {
    return resolveServer(catalog, handle);
  } catch {
    return undefined;
  }
}
