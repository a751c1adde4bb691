/** Mode `search`: two tools, with which the model searches tools and calls them. */
import { callKeys, readArguments, readServerName, readToolName } from '../calls/read-arguments.ts';
import { isObject, type JsonObject, toPlainNumber } from '../base/json.ts';
import { AppError } from '../base/errors.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseLine } from '../condense/condense-tool.ts';
import { parametersText } from '../condense/signature.ts';
import { findTools, type FoundTool, moreMatchesText, parseNeeds, toolsNeedingSchema, queryHint } from './find-tools.ts';
import { languagesText } from './catalog-languages.ts';
import type { HelperContext, HelperTool, Mode, ModeView } from './mode.ts';
import { otherHits } from './read-skill.ts';
import { joinServerNames, markSchemaShown, withUnavailableServers } from './render-tools.ts';

// Renders found tools for search_tools: one line each to choose and call by, and the schema if a line is not
// sufficient.

/** Number of hits with schema in ToolMux's format, because the next call usually uses one of them. */
const shownWhole = 2;

/** `full`: all of them with schema, regardless of what the session has seen. */
export function renderFoundTools(tools: readonly FoundTool[], full: boolean, context: HelperContext): JsonObject[] {
  const { firstUse = false, level, memory } = context;
  const open = firstUse ? new Set(tools.slice(0, shownWhole).map(({ tool }) => tool.id)) : toolsNeedingSchema(tools);
  return tools.map(({ tool }) => {
    if (level === 'full' || full) {
      markSchemaShown(tool, memory);
      return level === 'full' ? { ...tool.definition, name: tool.listedName } : whole(tool);
    }
    if (!open.has(tool.id)) return line(tool, context);
    return markSchemaShown(tool, memory) ? { ...line(tool, context), inputSchema_shown: 'earlier' } : whole(tool);
  });
}

/** A definition without members that only users look at. */
function whole({ definition, listedName }: CatalogEntry): JsonObject {
  const { title, description, annotations } = definition;
  return {
    name: listedName,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: usableSchema(definition),
    ...(isObject(annotations) && { annotations }),
  };
}

function line({ server, name, listedName, definition }: CatalogEntry, { descriptions }: HelperContext): JsonObject {
  const { description } = definition;
  const written = descriptions.find(server, name, description);
  return {
    name: listedName,
    sig: `(${parametersText(usableSchema(definition))})`,
    desc: written ?? condenseLine(typeof description === 'string' ? description : undefined),
  };
}

export const searchToolsTool: HelperTool = {
  kind: 'discovery',
  inPrograms: true,
  definition: {
    name: 'search_tools',
    description:
      'Find tools by what you want to do, best first. sig: ? is optional, ~ left out; detail "full" has all schemas.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: queryHint },
        limit: { type: 'integer', description: 'default 8' },
        detail: { enum: ['compact', 'full'] },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    await context.settled();
    const needs = parseNeeds(input['query']);
    if (needs.length === 0) {
      throw new AppError('bad_request', 'The query is missing.', { fix: 'Describe what you want to do in "query".' });
    }
    const { tools, more } = findTools(needs, context, { limit: limitOf(input['limit']) });
    const shown = renderFoundTools(tools, input['detail'] === 'full', context);
    const isTheirs = context.firstUse === true;
    const rest = isTheirs ? undefined : moreMatchesText(more);
    const others = otherHits(needs, context);
    const found = shown.length === 0 ? [] : [JSON.stringify(shown), rest];
    const texts = shown.length === 0 && others.length === 0 ? nothingFound(needs, context) : [...found, ...others];
    const content = texts.flatMap((text) => (text === undefined ? [] : [{ type: 'text', text }]));
    // ToolMux returns the same in both; a client that did not request its results receives them once.
    const isWhole = isTheirs && (shown.length > 0 || content.length === 0);
    const result = { content, ...(isWhole && { structuredContent: { result: shown } }) };
    return withUnavailableServers(result, context.finder.missingServers());
  },
};

export const callTool: HelperTool = {
  kind: 'call',
  definition: {
    name: 'call_tool',
    description: 'Call a tool that was found.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        arguments: { type: ['object', 'string'], description: 'or JSON text' },
      },
      required: ['name'],
    },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  run: (input, context) =>
    context.callTool({
      tool: readToolName(input),
      server: readServerName(input),
      arguments: readArguments(input) ?? {},
      beside: Object.fromEntries(Object.entries(input).filter(([key]) => !callKeys.has(key))),
      rest: isObject(input['_meta']) ? { _meta: input['_meta'] } : undefined,
      via: 'call_tool',
    }),
};

export const searchMode: Mode = {
  name: 'search',
  line: 'Two tools: search and call',
  helpers: [searchToolsTool, callTool],
  fixedList: true,
  listed: () => [],
  callLine: (name, args) => `call_tool ${JSON.stringify({ name, arguments: args })}`,
  instructions,
};

/**
 * Returns no text if no similar name exists and the ToolMux format is active, because ToolMux reports no matches so.
 */
function nothingFound(
  needs: readonly string[],
  { catalog, firstUse = false, index }: HelperContext,
): readonly string[] {
  const ids = needs.flatMap((need) => index.suggest(need));
  const near = ids.flatMap((id) => catalog.lookup.tools.byId(id)[0]?.listedName ?? []);
  if (near.length > 0) return [`No matches. Did you mean ${[...new Set(near)].join(', ')}?`];
  return firstUse ? [] : ['No matches. Try other words.'];
}

function limitOf(value: unknown): number | undefined {
  const wanted = value === undefined ? Number.NaN : Number(toPlainNumber(value) ?? Number.NaN);
  return Number.isFinite(wanted) ? Math.min(Math.max(1, Math.trunc(wanted)), 50) : undefined;
}

function instructions({ catalog }: ModeView): string {
  return `Search with search_tools before saying that something cannot be done; then call_tool. Tools of: ${joinServerNames(catalog.servers)}.${languagesText(catalog)}`;
}
