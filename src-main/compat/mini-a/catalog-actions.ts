/** Action `search`: tools that contain the query literally, and those found by the index. */
import { createHash } from 'node:crypto';
import { AppError } from '../../core/base/errors.ts';
import { type JsonObject, objectOrEmpty } from '../../core/base/json.ts';
import { readIntegerArgument, firstTextOf } from '../../core/calls/read-arguments.ts';
import { type CatalogEntry, usableSchema } from '../../core/catalog/catalog.ts';
import { isLossy, parametersText } from '../../core/condense/signature.ts';
import type { ToolFilter } from '../../core/config/app-config.ts';
import type { HelperContext } from '../../core/modes/mode.ts';
import { findTools, parseNeeds, defaultLimit } from '../../core/modes/find-tools.ts';
import { otherHits } from '../../core/modes/read-skill.ts';
import { truncateText } from '../../core/base/visible-text.ts';
import { envelope, readFlag, toDetailText, isDetailed } from './results.ts';
import {
  compactTool,
  type DispatchConnection,
  detailedTool,
  type VisibleCatalog,
  includedFields,
} from './visible-catalog.ts';

interface Match {
  readonly tool: CatalogEntry;
  /** Contains the query literally. */
  readonly literal: boolean;
  readonly fields: readonly string[];
}

/** Detailed results without a limit include all literal matches, as documented, and this many index-only matches. */
const otherMatches = 10;
/** Maximum length of an echoed query, in characters. */
const maxEchoLength = 200;

/** Throws AppError `bad_request`. */
export function runSearchAction(
  input: JsonObject,
  shown: VisibleCatalog,
  only: DispatchConnection | undefined,
  view: HelperContext,
): JsonObject {
  const query = firstTextOf(input, ['query'])?.text;
  if (query === undefined) throw new AppError('bad_request', "Action 'search' requires a non-empty 'query'.");
  const tools = (only ?? shown.catalog).tools;
  const limit = readIntegerArgument(input, 'limit', 1);
  const matches = (): readonly Match[] => find(query, tools, readFlag(input, 'includeInputSchema', false), view);
  if (!isDetailed(input)) return searchBriefly({ query, tools, limit, matches }, input, shown, view);
  const found = matches();
  const results = cut(found, limit).map((match) => detailedHit(match, input, shown, view));
  const head = { action: 'search', query: truncateText(query, maxEchoLength), totalMatches: found.length };
  return envelope(head, toDetailText({ ...head, results }));
}

interface CatalogRequest {
  readonly query: string;
  readonly tools: readonly CatalogEntry[];
  readonly limit: number | undefined;
  /** Used for queries without indexable words. */
  readonly matches: () => readonly Match[];
}

/** The best matches for one query or several, each ready to be called, with the total number of matches. */
function searchBriefly(
  { query, tools, limit, matches }: CatalogRequest,
  input: JsonObject,
  shown: VisibleCatalog,
  view: HelperContext,
): JsonObject {
  const needs = parseNeeds(query);
  const allowed = new Set(tools.map(({ id }) => id));
  const { tools: found, more } = findTools(needs, view, { limit, accepts: ({ id }) => allowed.has(id) });
  // Substrings are not words of the index.
  const byLetters = needs.length > 1 ? [] : matches();
  const best = new Set([...found, ...(limit === undefined && more > 0 ? [] : byLetters)].map(({ tool }) => tool));
  const hits = [...best].slice(0, limit ?? Math.max(defaultLimit, found.length));
  const totalMatches = Math.max(byLetters.length, found.length + more);
  const results = hits.map((tool) => compactHit(tool, input, shown, view));
  // Listed once for all hits, because an alias alone does not identify a server.
  const named = hits.map(({ server }): [string, string] => [shown.catalog.aliases.get(server) ?? server, server]);
  const connections: JsonObject = Object.fromEntries(named);
  const others = tools === shown.catalog.tools ? otherHits(needs, view) : [];
  const extras = { ...(hits.length > 0 && { connections }), ...(others.length > 0 && { others }) };
  const body = { action: 'search', totalMatches, results, ...extras };
  return envelope({ action: 'search', totalMatches }, JSON.stringify(body));
}

/** Best first; substring-only matches come last, in catalog order. */
function find(query: string, tools: readonly CatalogEntry[], inSchema: boolean, { index }: HelperContext): Match[] {
  const text = query.toLowerCase();
  const waiting = new Map(tools.map((tool) => [tool.id, tool]));
  const ranked = index
    .search(query, { limit: index.size, accepts: (id) => waiting.has(id) })
    .hits.flatMap((hit): Match[] => {
      const tool = waiting.get(hit.id);
      if (!waiting.delete(hit.id) || tool === undefined) return [];
      const literal = literalFields(tool, text, inSchema);
      const fields = [...new Set([...literal, ...foundFields(hit.why)])];
      return [{ tool, literal: literal.length > 0, fields }];
    });
  const others = [...waiting.values()].flatMap((tool): Match[] => {
    const fields = literalFields(tool, text, inSchema);
    return fields.length === 0 ? [] : [{ tool, literal: true, fields }];
  });
  return withoutNamesakes([...ranked, ...others]);
}

/** A server's name matches its tools only if no tool contains the word itself. */
function withoutNamesakes(matches: readonly Match[]): Match[] {
  const distinctive = matches.filter(({ fields }) => fields.some((field) => field !== 'connection'));
  return distinctive.length === 0 ? [...matches] : distinctive;
}

function cut(matches: readonly Match[], limit: number | undefined): readonly Match[] {
  if (limit !== undefined) return matches.slice(0, limit);
  const others = new Set(matches.filter(({ literal }) => !literal).slice(0, otherMatches));
  return matches.filter((match) => match.literal || others.has(match));
}

/** Includes the signature, so that most calls need no second lookup. */
function compactHit(
  tool: CatalogEntry,
  input: JsonObject,
  { catalog }: VisibleCatalog,
  view: HelperContext,
): JsonObject {
  const line = `(${parametersText(usableSchema(tool.definition))})`;
  return {
    alias: catalog.aliases.get(tool.server),
    ...compactTool(tool, view),
    ...includedFields(tool, input, false, view.memory),
    signature: line,
    ...(isLossy(line) && { '~': 'includeInputSchema shows the rest' }),
  };
}

function detailedHit(
  { tool, fields }: Match,
  input: JsonObject,
  { connections }: VisibleCatalog,
  { memory }: HelperContext,
): JsonObject {
  const connection = connections.find(({ id }) => id === tool.server);
  return {
    connection: { alias: connection?.alias, serverInfo: connection?.serverInfo },
    tool: detailedTool(tool, input, memory),
    matchedFields: fields,
  };
}

// Action `list`: the connections and their tools.

/** `only`: the requested connection. */
export function runListAction(
  input: JsonObject,
  shown: VisibleCatalog,
  only: DispatchConnection | undefined,
  view: HelperContext,
): JsonObject {
  const listed = only === undefined ? shown.connections : [only];
  // A disabled server is not a connection, but a model looking for its tools is still informed.
  const off = only === undefined ? shown.finder.missingServers(undefined, shown.catalog.servers) : undefined;
  const absent = off === undefined ? {} : { not_listed: off };
  const head = { action: 'list', totalConnections: listed.length, ...absent };
  if (isDetailed(input)) {
    const connections = listed.map((connection) => detailed(connection, input, view));
    return envelope(head, toDetailText({ ...head, connections }));
  }
  const connections = listed.map((connection) => compact(connection, input, view));
  return envelope(head, JSON.stringify({ action: head.action, connections, ...absent }));
}

/** Includes a server's problem: its tools are missing or will fail. */
function compact(
  { id, alias, lastError, tools }: DispatchConnection,
  input: JsonObject,
  view: HelperContext,
): JsonObject {
  return {
    id,
    alias,
    ...(lastError !== null && { lastError }),
    ...(readFlag(input, 'includeTools', true)
      ? {
          tools: tools.map((tool) => ({
            ...compactTool(tool, view),
            ...includedFields(tool, input, false, view.memory),
          })),
        }
      : { toolCount: tools.length }),
  };
}

function detailed(
  { id, alias, serverInfo, listedAt, lastError, tools }: DispatchConnection,
  input: JsonObject,
  { memory }: HelperContext,
): JsonObject {
  return {
    id,
    alias,
    serverInfo,
    ...(listedAt !== undefined && { lastRefreshed: listedAt }),
    lastError,
    ...(readFlag(input, 'includeTools', true) && { tools: tools.map((tool) => detailedTool(tool, input, memory)) }),
    toolCount: tools.length,
  };
}

/** Action `status`: counts, whether the catalog changed, and problems. */
export function statusTool({ catalog, connections }: VisibleCatalog, { allow, deny }: ToolFilter): JsonObject {
  const head = { action: 'status' };
  const status = {
    ...head,
    totalConnections: connections.length,
    totalTools: new Set(catalog.tools.map((tool) => tool.name)).size,
    catalogHash: hashOf(catalog.tools),
    lastUpdated: Math.max(0, ...connections.map(({ listedAt }) => listedAt ?? 0)),
    toolFilter: { allow, deny },
    connections: connections.map(brief),
  };
  return envelope(head, JSON.stringify(status));
}

function brief({ alias, tools, lastError }: DispatchConnection): JsonObject {
  return { alias, toolCount: tools.length, ...(lastError !== null && { lastError }) };
}

/** Changes with any tool's name, description, or schema. */
function hashOf(tools: readonly CatalogEntry[]): string {
  const hash = createHash('sha256');
  for (const { id, definition } of [...tools].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    hash.update(JSON.stringify([id, definition]));
  }
  return hash.digest('hex').slice(0, 32);
}

// Which fields matched, by `proxy-dispatch`'s field names.

/** Mini-a's names for fields in the index's `why`. */
const fieldNameOf: ReadonlyMap<string, string> = new Map([
  ['exact name', 'name'],
  ['name', 'name'],
  ['title', 'title'],
  ['summary', 'description'],
  ['description', 'description'],
  ['parameter', 'inputSchema'],
  ['parameter text', 'inputSchema'],
  ['server', 'connection'],
]);

/** Fields that contain the whole query, ignoring case. Expects the query in lower case. */
function literalFields({ name, definition }: CatalogEntry, query: string, inSchema: boolean): string[] {
  const { description, annotations, inputSchema } = definition;
  const texts: [string, unknown][] = [
    ['name', name],
    ['description', description],
    ...Object.entries(objectOrEmpty(annotations)).map(([key, value]): [string, unknown] => [
      `annotations.${key}`,
      value,
    ]),
    ['inputSchema', inSchema ? JSON.stringify(inputSchema) : undefined],
  ];
  return texts.flatMap(([field, text]) =>
    typeof text === 'string' && text.toLowerCase().includes(query) ? [field] : [],
  );
}

/** Fields in which the index found the query's words; `why` is the index's explanation of the hit. */
function foundFields(why: string): string[] {
  return why.split('; ').flatMap((part) => fieldNameOf.get(part.split(':', 1)[0] ?? '') ?? []);
}
