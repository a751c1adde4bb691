/** retrieve_tools: the search of mode `retrieve`, compact unless asked otherwise. */
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import type { SearchHit } from '../../search/search-index.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { failedFilters, filtersIn, sessionRisk } from './annotations.ts';
import { filterDiagnostics } from './filter-diagnostics.ts';
import { jsonResult } from './json-result.ts';
import { readCount, readSwitch, readText } from './read-options.ts';
import { explain } from './explain-search.ts';
import { compactEntry, fullEntry, sawSchema } from './tool-entry.ts';
import { UsageStats } from './usage-stats.ts';

/** MCPProxy's. */
const usualLimit = 15;
const mostHits = 100;
/** So many hits of a compact answer bring their schema along: what is called next is mostly among them. */
const schemasShown = 2;

const flag = { type: 'boolean' };

export const retrieveTools: HelperTool = {
  definition: {
    name: 'retrieve_tools',
    description: 'Find tools by what you want to do, best first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer' },
        detail: { enum: ['compact', 'full'] },
        read_only_only: flag,
        exclude_destructive: flag,
        exclude_open_world: flag,
        include_disabled: flag,
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    await context.settled();
    const query = readText(input['query']);
    if (query === undefined) {
      throw new AppError('bad_request', 'The query is missing.', { fix: 'Say in "query" what you want to do.' });
    }
    const detail = readText(input['detail']) ?? context.retrieve.detail;
    const full = detail === 'full';
    const limit = readCount(input['limit'], context.retrieve.limit ?? usualLimit, mostHits);
    const filters = filtersIn(input);
    const { found, total } = search(query, limit, filters, context);
    const stats = readSwitch(input['include_stats']) ? new UsageStats(context) : undefined;
    const tools = found.map(({ tool, score }, place) => ({
      ...(full ? whole(tool, score, context) : line({ tool, score }, place, detail !== 'compact', context)),
      ...stats?.of(tool),
    }));
    return jsonResult({
      tools,
      query: query.slice(0, 200),
      total,
      ...(tools.length === 0 ? nothingFound(query, context) : { usage_instructions: usage(detail) }),
      ...notListed(context),
      ...filterDiagnostics(query, filters, context),
      ...(readSwitch(input['include_session_risk_warning']) && { session_risk: sessionRisk(context.catalog) }),
      ...(readSwitch(input['include_disabled']) && disabledServers(context)),
      ...stats?.summary(),
      ...(readSwitch(input['debug']) && explain(query, readText(input['explain_tool']), context)),
    });
  },
};

interface Found {
  readonly tool: CatalogEntry;
  readonly score: number;
}

function search(
  query: string,
  limit: number,
  filters: readonly string[],
  { catalog, index }: HelperContext,
): { found: Found[]; total: number } {
  const byId = new Map(catalog.tools.map((tool) => [tool.id, tool]));
  const accepts = (id: string): boolean => {
    const tool = byId.get(id);
    return tool !== undefined && failedFilters(tool, filters).length === 0;
  };
  const { hits, total } = index.search(query, { limit, accepts });
  const withTool = ({ id, score }: SearchHit): Found[] => {
    const tool = byId.get(id);
    return tool === undefined ? [] : [{ tool, score }];
  };
  return { found: hits.flatMap(withTool), total };
}

function whole(tool: CatalogEntry, score: number, { memory }: HelperContext): JsonObject {
  sawSchema(tool, memory);
  return fullEntry(tool, score);
}

/** The schema comes along for the first, once to a session. */
function line({ tool, score }: Found, place: number, named: boolean, { memory }: HelperContext): JsonObject {
  const entry = compactEntry(tool, score, named);
  if (place >= schemasShown) return entry;
  if (sawSchema(tool, memory)) return { ...entry, inputSchema_shown: 'earlier' };
  return { ...entry, inputSchema: usableSchema(tool.definition) };
}

function usage(detail: string | undefined): string {
  const call = `Call a tool through the one in call_with, with its ${detail === 'compact' ? 'id as "name"' : 'name'}.`;
  return detail === 'full' ? call : `${call} In sig, * is required and ~ left out: describe_tool shows the schema.`;
}

function nothingFound(query: string, { index, catalog }: HelperContext): JsonObject {
  const near = index.suggest(query);
  const meant = near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `;
  return { hint: `${meant}Try other words. Servers: ${catalog.servers.join(', ') || 'none yet'}.` };
}

function notListed({ finder }: HelperContext): JsonObject {
  const missing = finder.missingServers();
  return missing === undefined ? {} : { not_listed: missing };
}

function disabledServers({ admin }: HelperContext): JsonObject {
  const off = admin.list().filter((server) => !server.enabled);
  if (off.length === 0) return { disabled: [] };
  return {
    disabled: off.map(({ name, tools }) => ({ server: name, tools, status: 'server_disabled' })),
    remediation: { server_disabled: 'The person can switch a server on: tooltray enable NAME.' },
  };
}
