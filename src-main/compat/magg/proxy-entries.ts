/**
 * The catalog as shown by the proxy tool: tools, prompts, and resources with templates, each with all its spellings.
 */
import { AppError } from '../../core/base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty } from '../../core/base/json.ts';
import { truncateName } from '../../core/base/visible-text.ts';
import { closestMatch } from '../../core/base/text-format.ts';
import { type Catalog, type CatalogEntry, resolveEntry, findServer } from '../../core/catalog/catalog.ts';
import type { CatalogResource } from '../../core/catalog/resource-uris.ts';
import type { HelperContext, ModeView } from '../../core/modes/mode.ts';
import { renderCallableTool, renderFullTool } from '../../core/modes/render-tools.ts';
import { proxyMetaKey } from './proxy-meta.ts';
import type { ProxyListRequest, ProxyType } from './proxy-request.ts';

interface ProxyEntry {
  readonly server: string;
  /** Python class of its definition. */
  readonly pythonType: 'Tool' | 'Prompt' | 'Resource' | 'ResourceTemplate';
  /** The entry as listed and as returned by `info`. */
  readonly listed: JsonObject;
  readonly whole: JsonObject;
  readonly tool?: CatalogEntry;
  /** Accepted names, the listed one first. */
  readonly spellings: readonly string[];
}

/** Magg's type names of lists. Its client compares the one for resources exactly. */
export const listTypes: Readonly<Record<ProxyType, string>> = {
  tool: 'Tool',
  resource: 'mcp.types.Resource | mcp.types.ResourceTemplate',
  prompt: 'Prompt',
};

/** Maximum length for spelling suggestions. */
const maxPathLength = 200;
const maxNamed = 10;

export function proxyEntries(type: ProxyType, view: ModeView): readonly ProxyEntry[] {
  const { catalog } = view;
  if (type === 'tool') return catalog.tools.map((tool) => toolEntry(tool, view));
  if (type === 'prompt') return catalog.prompts.map((prompt) => promptEntry(prompt, view));
  return [
    ...catalog.resources.map((resource) => located(resource, 'Resource', 'uri', catalog)),
    ...catalog.resourceTemplates.map((template) => located(template, 'ResourceTemplate', 'uriTemplate', catalog)),
  ];
}

/** Entries that match a list request, before paging. */
export function filterEntries(
  entries: readonly ProxyEntry[],
  { server, prefix, tags }: ProxyListRequest,
  catalog: Catalog,
): readonly ProxyEntry[] {
  const only = server === undefined ? undefined : findServer(catalog, server.replace(/_$/, ''));
  const begins = [only === undefined ? server : undefined, prefix].filter((start) => start !== undefined);
  return entries.filter(
    (entry) =>
      (only === undefined || entry.server === only) &&
      begins.every((start) => entry.spellings.some((spelling) => spelling.startsWith(start))) &&
      (tags.length === 0 || tagsOf(entry.whole).some((tag) => tags.includes(tag))),
  );
}

/**
 * The entry with this name or URI. Rejects with AppError `not_found` or `tool_ambiguous`, or the reason why its server
 * is unavailable.
 */
export async function findEntry(type: ProxyType, path: string, view: HelperContext): Promise<ProxyEntry> {
  try {
    if (type === 'tool') return toolEntry(await view.awaitTool(path), view);
    const look = type === 'prompt' ? promptNamed : resourceNamed;
    try {
      return look(path, view);
    } catch (error) {
      const holder = type === 'prompt' ? view.finder.promptOwner(path) : view.finder.resourceOwner(path);
      if (holder === undefined || isAmbiguous(error)) throw error;
      await view.awaitServer(holder.config.name);
      return look(path, view);
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'tool_not_found') throw error;
    throw entryNotFoundError(type, path, error.fix);
  }
}

function isAmbiguous(error: unknown): boolean {
  return error instanceof AppError && error.code === 'tool_ambiguous';
}

function promptNamed(path: string, view: HelperContext): ProxyEntry {
  return promptEntry(resolveEntry(view.catalog, 'prompts', path), view);
}

/** Finds a resource by URI, or by its server's name for it. */
function resourceNamed(path: string, view: HelperContext): ProxyEntry {
  const entries = proxyEntries('resource', view);
  const found = entries.find(({ spellings }) => spellings.includes(path));
  const named = found === undefined ? entries.filter(({ whole }) => whole['name'] === path) : [found];
  const [only] = named;
  if (only === undefined) throw entryNotFoundError('resource', path, meantBy(path, entries));
  if (named.length > 1) throw ambiguous(path, named);
  return only;
}

function meantBy(path: string, entries: readonly ProxyEntry[]): string {
  const names = entries.flatMap(({ whole, spellings }) => [
    ...(typeof whole['name'] === 'string' ? [whole['name']] : []),
    ...spellings.slice(0, 1),
  ]);
  const meant = path.length > maxPathLength ? undefined : closestMatch(path, names);
  return meant === undefined ? 'List the available resources.' : `Did you mean ${meant}?`;
}

function ambiguous(name: string, found: readonly ProxyEntry[]): AppError {
  const uris = found.map(({ spellings }) => spellings[0]).slice(0, maxNamed);
  return new AppError('tool_ambiguous', `'${truncateName(name)}' matches ${found.length} resources.`, {
    fix: `Use one of these URIs: ${uris.join(', ')}.`,
  });
}

export function entryNotFoundError(type: ProxyType, path: string, fix: string | undefined): AppError {
  const what = type[0]?.toUpperCase() + type.slice(1);
  return new AppError('not_found', `${what} '${truncateName(path)}' not found.`, { ...(fix !== undefined && { fix }) });
}

function toolEntry(tool: CatalogEntry, view: ModeView): ProxyEntry {
  const shown = { listed: renderCallableTool(tool, view), whole: renderFullTool(tool) };
  return { ...shown, tool, pythonType: 'Tool', server: tool.server, spellings: namesOf(tool, view.catalog) };
}

function promptEntry(prompt: CatalogEntry, { catalog }: ModeView): ProxyEntry {
  const shown = { ...prompt.definition, name: prompt.listedName };
  const { server } = prompt;
  return { listed: shown, whole: shown, pythonType: 'Prompt', server, spellings: namesOf(prompt, catalog) };
}

/** A URI in Magg's format for servers with a prefix: `data://cfg` of `m` is `data://m/cfg`. */
function maggSpelling(prefix: string, uri: string): string {
  return uri.replace('://', `://${prefix}/`);
}

function namesOf({ server, name, listedName }: CatalogEntry, catalog: Catalog): readonly string[] {
  return [listedName, ...[catalog.slugs.get(server) ?? server, server].map((prefix) => `${prefix}_${name}`)];
}

function located(
  { server, uri, listedUri, definition }: CatalogResource,
  pythonType: 'Resource' | 'ResourceTemplate',
  identifier: string,
  catalog: Catalog,
): ProxyEntry {
  const shown = { ...definition, [identifier]: listedUri };
  const spellings = [listedUri, maggSpelling(catalog.slugs.get(server) ?? server, uri)];
  return { server, pythonType, listed: shown, whole: shown, spellings };
}

/** MCP has no tags; FastMCP, on which Magg is based, stores them in `_meta`. */
function tagsOf({ tags, _meta }: JsonObject): readonly string[] {
  const meta = objectOrEmpty(_meta);
  const places = [
    tags,
    meta['tags'],
    ...['fastmcp', '_fastmcp'].map((key) => (meta[key] as JsonObject | undefined)?.['tags']),
  ];
  return places
    .flatMap((place) => (Array.isArray(place) ? (place as unknown[]) : []))
    .filter((tag) => typeof tag === 'string');
}

export interface ProxyMeta {
  readonly proxyAction: 'list' | 'info' | 'call';
  readonly proxyType: ProxyType;
  readonly proxyPath?: string;
  /** Python class that Magg's clients decode it as. */
  readonly pythonType?: string;
  readonly many?: boolean;
  readonly totalCount?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** A content item with the proxy's metadata added. */
export function withProxyMeta(item: JsonObject, facts: ProxyMeta, meta: JsonObject = {}): JsonObject {
  const { annotations, _meta } = item;
  return {
    ...item,
    annotations: { ...(isObject(annotations) && annotations), ...facts },
    _meta: { ...(isObject(_meta) && _meta), [proxyMetaKey]: { ...facts, ...meta } },
  };
}

/** A value as an embedded JSON resource. */
export function jsonItem(uri: string, value: unknown, facts: ProxyMeta): JsonObject {
  const resource = { uri, mimeType: 'application/json', text: JSON.stringify(value) };
  return withProxyMeta({ type: 'resource', resource }, facts);
}
