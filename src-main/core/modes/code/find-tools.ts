/** The tools that a query finds, or that are named; for the model and for code in the sandbox alike. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import { resolveEntry } from '../../catalog/resolve-entry.ts';
import type { ModeView } from '../mode.ts';

const mostFound = 50;

export function findTools(
  { catalog, index }: ModeView,
  query: string,
  limit: number | undefined,
  tags: readonly string[] = [],
): CatalogEntry[] {
  const byId = new Map(catalog.tools.map((tool) => [tool.id, tool]));
  const accepts = (id: string): boolean => tags.length === 0 || hasTag(byId.get(id)?.definition ?? {}, tags);
  const { hits } = index.search(query, { limit: Math.min(limit ?? mostFound, mostFound), accepts });
  return hits.flatMap(({ id }) => byId.get(id) ?? []);
}

export interface NamedTools {
  readonly found: readonly CatalogEntry[];
  readonly missing: readonly string[];
}

export function namedTools(catalog: Catalog, names: readonly string[]): NamedTools {
  const found: CatalogEntry[] = [];
  const missing: string[] = [];
  for (const name of names) {
    try {
      found.push(resolveEntry(catalog, 'tools', name));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      missing.push(name);
    }
  }
  return { found, missing };
}

/** FastMCP servers send tags in `_meta`; a tool without any answers to `untagged`. */
function hasTag(definition: JsonObject, wanted: readonly string[]): boolean {
  const meta = isObject(definition['_meta']) ? definition['_meta'] : {};
  const own = [meta['_fastmcp'], meta['fastmcp'], definition].find(isObject)?.['tags'];
  const tags = Array.isArray(own) ? (own as unknown[]) : [];
  return wanted.some((tag) => (tags.length === 0 ? tag === 'untagged' : tags.includes(tag)));
}
