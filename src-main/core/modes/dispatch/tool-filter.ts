/** The setting `dispatch`: which tools `proxy-dispatch` lists and calls. Deny wins, an empty allow lets everything through. */
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ToolFilter } from '../../config/app-config.ts';

export function hidesNothing({ allow, deny }: ToolFilter): boolean {
  return allow.length === 0 && deny.length === 0;
}

/** A tool may stand in the lists by its own name, as `server:tool`, or as it is listed. */
export function allowsTool(filter: ToolFilter, { id, name, listedName }: CatalogEntry): boolean {
  return allows(filter, [id, name, listedName]);
}

/** The same for what a caller wrote, where no tool is called so. */
export function allowsName(filter: ToolFilter, spelling: string): boolean {
  return allows(filter, [spelling]);
}

function allows({ allow, deny }: ToolFilter, names: readonly string[]): boolean {
  const isIn = (list: readonly string[]): boolean =>
    list.some((entry) => names.some((name) => name.toLowerCase() === entry.trim().toLowerCase()));
  return !isIn(deny) && (allow.length === 0 || isIn(allow));
}
