/** `read_resource`: reads a resource of a server, or lists the readable ones. Listed if a server has resources. */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, textOrEmpty } from '../base/json.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { type CatalogResource, isTooltrayUri } from '../catalog/resource-uris.ts';
import { condenseLine } from '../condense/condense-tool.ts';
import type { Result } from '../wire/message.ts';
import { RawJson, toObject } from '../wire/raw-json.ts';
import type { HelperContext, HelperTool } from './mode.ts';
import { withUnavailableServers } from './render-tools.ts';

type CallLine = HelperContext['callLine'];

/** Maximum number of resources in a call without `uri`. */
const maxListed = 50;
/** Maximum number of resources among the hits for one need. */
const maxHits = 2;

export const readResourceTool: HelperTool = {
  kind: 'call',
  inPrograms: true,
  definition: {
    name: 'read_resource',
    description: 'Read a resource by URI, or list those that fit query.',
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string' }, query: { type: 'string' } },
    },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  reachable: true,
  spills: true,
  async run(input, context) {
    const uri = textOrEmpty(input['uri']).trim();
    if (uri !== '') return { content: toBlocks(toObject(await context.readResource(uri))) };
    await context.settled();
    const { resources } = context.catalog.lookup;
    const query = textOrEmpty(input['query']).trim();
    const found = query === '' ? resources.all : resources.find(query, maxListed);
    const more = found.length - maxListed;
    const lines = [
      ...found.slice(0, maxListed).map((one) => resourceLine(one)),
      ...(more > 0 ? [`${more} more; narrow them down with query.`] : []),
    ];
    const text = lines.length === 0 ? 'No matching resources.' : lines.join('\n');
    return withUnavailableServers({ content: [{ type: 'text', text }] }, context.finder.missingServers());
  },
};

/** Whether the tool is listed: only if there are resources, so that it otherwise costs nothing. */
export function listsReadResource({ lookup }: Catalog): boolean {
  return lookup.resources.all.length > 0;
}

/** Returns the resources that fit the needs of a search, best first for each need. */
export function findResources(needs: readonly string[], { lookup }: Catalog): readonly CatalogResource[] {
  return [...new Set(needs.flatMap((need) => lookup.resources.find(need, maxHits)))];
}

/** Returns a resource as one line of a list: `resource docs://x: what it is`. */
export function resourceLine({ listedUri, definition }: CatalogResource): string {
  const { name, title, description } = definition;
  const about = condenseLine(textOrEmpty(description)) || textOrEmpty(title) || textOrEmpty(name);
  return `resource ${listedUri}${about === '' ? '' : `: ${about}`}`;
}

/** Returns the lines of a search for resources, and the call that reads the first one; undefined if there are none. */
export function resourceHitsText(found: readonly CatalogResource[], callLine: CallLine): string | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  return [...found.map((one) => `- ${resourceLine(one)}`), readLine(first.listedUri, callLine)].join('\n');
}

function readLine(uri: string, callLine: CallLine): string {
  return `Read it: ${callLine(readResourceTool.definition.name, { uri })}`;
}

// Links in results of servers: the model is told the call that reads them.

/**
 * Appends a text that names the call to read the first link; unchanged without a link. A result held as bytes stays
 * unchanged, because it is too large to search.
 */
export function withLinkReader(result: Result, callLine: CallLine): Result {
  if (result instanceof RawJson) return result;
  const { content } = result;
  if (!Array.isArray(content)) return result;
  const link = (content as unknown[]).find(isServerLink);
  if (link === undefined) return result;
  return { ...result, content: [...(content as unknown[]), { type: 'text', text: readLine(link.uri, callLine) }] };
}

function isServerLink(block: unknown): block is { readonly uri: string } {
  return (
    isObject(block) &&
    block['type'] === 'resource_link' &&
    typeof block['uri'] === 'string' &&
    !isTooltrayUri(block['uri'])
  );
}

/** Returns the contents of a resource as blocks of a tool result. Throws AppError `not_found` if there is none. */
function toBlocks({ contents }: JsonObject): JsonObject[] {
  const all = Array.isArray(contents) ? (contents as unknown[]).filter(isObject) : [];
  if (all.length === 0) throw new AppError('not_found', 'The resource has no content.');
  return all.flatMap((one) => (all.length === 1 ? [toBlock(one)] : [named(one), toBlock(one)]));
}

function named({ uri }: JsonObject): JsonObject {
  return { type: 'text', text: `${textOrEmpty(uri)}:` };
}

function toBlock(resource: JsonObject): JsonObject {
  const { text, blob, mimeType } = resource;
  if (typeof text === 'string') return { type: 'text', text };
  const [kind] = textOrEmpty(mimeType).split('/');
  if (kind === 'image' || kind === 'audio') return { type: kind, data: blob, mimeType };
  return { type: 'resource', resource };
}
