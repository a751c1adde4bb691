/** retrieve_tools: the search of mode `retrieve`, compact unless asked otherwise. */
import type { ToolActivity } from '../../activity/call-record.ts';
import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { toolOffFix } from '../../catalog/tool-finder.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';
import { findTools, moreText, needsIn, needSchema, queryHint, usualLimit } from '../../modes/find-tools.ts';
import { sawSchema } from '../../modes/show-tools.ts';
import type { SearchHit } from '../../search/found.ts';
import { jsonResult, readCount, readSwitch, readText } from './answers.ts';
import { isQuarantined } from './server-fields.ts';
import {
  compactEntry,
  failedFilters,
  filterDiagnostics,
  filtersIn,
  fullEntry,
  neededEntry,
  sessionRisk,
} from './tool-entry.ts';

/** MCPProxy's. */
const theirLimit = 15;
const mostHits = 100;
/** So many hits of an answer bring their schema along: what is called next is mostly among them. */
const schemasShown = 2;
/** Of single tools that are switched off, as MCPProxy has it. */
const mostOff = 10;

const flag = { type: 'boolean' };

export const retrieveTools: HelperTool = {
  definition: {
    name: 'retrieve_tools',
    description: 'Find tools, best first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: queryHint },
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
    const filters = filtersIn(input);
    const stats = readSwitch(input['include_stats']) ? new UsageStats(context) : undefined;
    const shown = context.retrieve.fields === 'all' ? allFields : neededFields;
    const { tools, limit, rest } = shown({ query, detail, filters, limit: input['limit'], context });
    return jsonResult({
      tools: tools.map(([tool, entry]) => ({ ...entry, ...stats?.of(tool) })),
      ...(tools.length === 0 ? { ...nothingFound(query, context), ...rest } : rest),
      ...notListed(context),
      ...filterDiagnostics(query, filters, context),
      ...(readSwitch(input['include_session_risk_warning']) && { session_risk: sessionRisk(context.catalog) }),
      ...(readSwitch(input['include_disabled']) && whatIsOff(query, Math.min(limit, mostOff), context)),
      ...stats?.summary(),
      ...(readSwitch(input['debug']) && explain(query, readText(input['explain_tool']), context)),
    });
  },
};

interface Asked {
  readonly query: string;
  readonly detail: string | undefined;
  readonly filters: readonly string[];
  readonly limit: unknown;
  readonly context: HelperContext;
}

/** The entries of an answer, and what else it says. */
interface Answer {
  readonly tools: readonly (readonly [CatalogEntry, JsonObject])[];
  readonly limit: number;
  readonly rest: JsonObject;
}

/** What a call needs: a line each, the schema where the line leaves something open; how to read them once to a session. */
function neededFields({ query, detail, filters, limit, context }: Asked): Answer {
  const wanted = readCount(limit, context.retrieve.limit ?? 0, mostHits) || undefined;
  const { tools, more } = findTools(needsIn(query), context, {
    limit: wanted,
    ...(filters.length > 0 && { accepts: (tool) => failedFilters(tool, filters).length === 0 }),
  });
  const open = needSchema(tools, schemasShown);
  const entries = tools.map(({ tool, score }): readonly [CatalogEntry, JsonObject] => {
    if (detail === 'full') return [tool, whole(tool, score, context)];
    const entry = neededEntry(tool, detail === 'compact', context);
    return [tool, open.has(tool.id) ? withSchema(entry, tool, context) : entry];
  });
  const isTold = context.memory.seen('usage', `retrieve ${detail ?? ''}`);
  const left = moreText(more);
  return {
    tools: entries,
    limit: wanted ?? usualLimit,
    rest: {
      ...(left !== undefined && { more: left }),
      ...(tools.length > 0 && !isTold && { usage_instructions: usage(detail, ownSigns) }),
    },
  };
}

/** All that MCPProxy's answers hold, each time. */
function allFields({ query, detail, filters, limit: given, context }: Asked): Answer {
  const limit = readCount(given, context.retrieve.limit ?? theirLimit, mostHits);
  const { found, total } = search(query, limit, filters, context);
  const tools = found.map(({ tool, score }, place): readonly [CatalogEntry, JsonObject] => [
    tool,
    detail === 'full'
      ? whole(tool, score, context)
      : place < schemasShown
        ? withSchema(compactEntry(tool, score, detail !== 'compact'), tool, context)
        : compactEntry(tool, score, detail !== 'compact'),
  ]);
  const usage_instructions = usage(detail, theirSigns);
  const rest = { query: query.slice(0, 200), total, ...(tools.length > 0 && { usage_instructions }) };
  return { tools, limit, rest };
}

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

/** Once to a session. */
function withSchema(entry: JsonObject, tool: CatalogEntry, { memory }: HelperContext): JsonObject {
  if (sawSchema(tool, memory)) return { ...entry, inputSchema_shown: 'earlier' };
  return { ...entry, inputSchema: usableSchema(tool.definition) };
}

const ownSigns = 'In sig, ? is optional; where ~ stands something is left out, and describe_tool shows the schema.';
const theirSigns = 'In sig, * is required and ~ left out; of what is lossy, describe_tool shows the schema.';

function usage(detail: string | undefined, signs: string): string {
  const call = `Call a tool through the one in call_with, with its ${detail === 'compact' ? 'id as "name"' : 'name'}.`;
  return detail === 'full' ? call : `${call} ${signs}`;
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

/** Servers, and single tools of others: those that have most of the query's words first. */
function whatIsOff(query: string, most: number, { admin, finder }: HelperContext): JsonObject {
  const all = admin.list();
  const held = all.filter(isQuarantined);
  const servers = all.filter((server) => !server.enabled && !isQuarantined(server));
  const pending = all.flatMap(({ name }) => pendingOf(name, finder));
  const tools = finder.toolsOff();
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const fits = ({ server, tool, description }: (typeof tools)[number]): number => {
    const text = `${server} ${tool} ${description}`.toLowerCase();
    return [...words].filter((word) => text.includes(word)).length;
  };
  const shown = tools
    .map((off) => ({ off, fit: fits(off) }))
    .sort((a, b) => b.fit - a.fit)
    .slice(0, most);
  const remediation = {
    ...(held.length > 0 && { server_quarantined: 'The person has to look at it: tooltray review NAME.' }),
    ...(pending.length > 0 && {
      pending_approval: 'The person has to accept what the server says now: tooltray review NAME.',
    }),
    ...(servers.length > 0 && { server_disabled: 'The person can switch a server on: tooltray enable NAME.' }),
    ...(shown.length > 0 && { disabled_by_user: toolOffFix }),
  };
  return {
    disabled: [
      // Of neither any word that nobody has accepted.
      ...held.map(({ name }) => ({ server: name, status: 'server_quarantined' })),
      ...pending,
      ...servers.map(({ name, tools: count }) => ({ server: name, tools: count, status: 'server_disabled' })),
      ...shown.map(({ off: { server, tool } }) => ({ name: `${server}:${tool}`, server, status: 'disabled_by_user' })),
    ],
    ...(tools.length > shown.length && { disabled_tools: tools.length }),
    ...(Object.keys(remediation).length > 0 && { remediation }),
  };
}

/** Tools of a server that wait for the person: by name where that was accepted, the new ones in number. */
function pendingOf(server: string, finder: HelperContext['finder']): JsonObject[] {
  const waiting = finder.server(server)?.pins?.held.filter(({ kind }) => kind === 'tool') ?? [];
  const fresh = waiting.filter((change) => change.before === undefined).length;
  return [
    ...waiting.flatMap(({ name, before }) =>
      before === undefined ? [] : [{ name: `${server}:${name}`, server, status: 'pending_approval' }],
    ),
    ...(fresh === 0 ? [] : [{ server, new_tools: fresh, status: 'pending_approval' }]),
  ];
}

// How a search came about, for whoever wonders why a tool was found or was not.

const shownReasons = 10;

/** `target` is the id of a tool to look for in particular. */
function explain(query: string, target: string | undefined, { index }: HelperContext): JsonObject {
  const { hits, total } = index.search(query, { limit: shownReasons });
  const debug = {
    indexed_tools: index.size,
    matched: total,
    ranking: 'BM25F',
    reasons: hits.map(({ id, score, why }) => ({ id, score, why })),
  };
  return target === undefined ? { debug } : { debug, explanation: explainOne(query, target, index) };
}

function explainOne(query: string, target: string, index: HelperContext['index']): JsonObject {
  const found = index.find(query);
  const [hit] = found.best(1, (id) => id === target);
  if (hit === undefined) return { tool: target, found: false, did_you_mean: index.suggest(target) };
  return { tool: target, found: true, rank: found.placeOf(target), score: hit.score, why: hit.why };
}

// How often tools were called and when last, for `include_stats`: from the record of calls, as long as it is kept.

const mostTopTools = 10;

class UsageStats {
  readonly #byTool: ReadonlyMap<string, ToolActivity>;
  readonly #topTools: readonly JsonObject[];

  constructor({ toolActivity, catalog }: Pick<HelperContext, 'toolActivity' | 'catalog'>) {
    const used = toolActivity();
    this.#byTool = new Map(used.map((one) => [idOf(one), one]));
    // What is no longer there is of no use to who is looking for a tool.
    const known = used.filter((one) => catalog.lookup.tools.withId(idOf(one)).length > 0);
    this.#topTools = known.slice(0, mostTopTools).map((one) => ({ tool: idOf(one), usage_count: one.calls }));
  }

  of({ id }: CatalogEntry): JsonObject {
    const one = this.#byTool.get(id);
    if (one === undefined) return { usage_count: 0 };
    return { usage_count: one.calls, last_used: new Date(one.lastUsedAt).toISOString() };
  }

  summary(): JsonObject {
    return { usage_summary: { top_tools: this.#topTools } };
  }
}

function idOf({ server, tool }: ToolActivity): string {
  return `${server}:${tool}`;
}
