/** The tools that a query finds, or that are named; for the model and for code in the sandbox alike. */
import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { HelperContext, ModeView } from '../mode.ts';

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
  /** `why`: what stands in the way, and what helps. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

/** Servers that are starting are waited for. */
export async function namedTools(
  { awaitTool }: Pick<HelperContext, 'awaitTool'>,
  names: readonly string[],
): Promise<NamedTools> {
  const looked = await Promise.all(
    names.map((name) =>
      awaitTool(name).catch((error: unknown) => {
        if (error instanceof AppError && error.code !== 'cancelled') return { name, why: error.text };
        throw error;
      }),
    ),
  );
  return {
    found: looked.flatMap((tool) => ('why' in tool ? [] : [tool])),
    missing: looked.flatMap((tool) => ('why' in tool ? [tool] : [])),
  };
}

/** FastMCP servers send tags in `_meta`; a tool without any answers to `untagged`. */
function hasTag(definition: JsonObject, wanted: readonly string[]): boolean {
  const meta = isObject(definition['_meta']) ? definition['_meta'] : {};
  const own = [meta['_fastmcp'], meta['fastmcp'], definition].find(isObject)?.['tags'];
  const tags = Array.isArray(own) ? (own as unknown[]) : [];
  return wanted.some((tag) => (tags.length === 0 ? tag === 'untagged' : tags.includes(tag)));
}
