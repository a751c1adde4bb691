/** Mode `search`: two tools; the model searches for what it needs and calls it. */
import { ownKeys, readArguments, readServerName, readToolName } from '../calls/read-arguments.ts';
import { isObject, type JsonObject, plainNumber, textOr } from '../base/json.ts';
import { AppError } from '../base/errors.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import { condenseLine } from '../condense/condense-tool.ts';
import { parametersText } from '../condense/signature.ts';
import type { HelperContext, HelperTool, Mode, ModeView } from './mode.ts';
import { namedServers, sawSchema, withMissing } from './show-tools.ts';

// Found tools as search_tools shows them: the first two ready to call, for the others a line each to choose by.

/** What is called next is mostly among them. */
const shownWhole = 2;

/** `full`: all of them whole, whatever the session has seen. */
export function foundTools(tools: readonly CatalogEntry[], full: boolean, context: HelperContext): JsonObject[] {
  const { level, memory } = context;
  return tools.map((tool, place) => {
    if (level === 'full') return { ...tool.definition, name: tool.listedName };
    if (full) {
      sawSchema(tool, memory);
      return whole(tool);
    }
    if (place >= shownWhole) return line(tool, context);
    return sawSchema(tool, memory) ? { ...line(tool, context), inputSchema_shown: 'earlier' } : whole(tool);
  });
}

/** A definition without what only a person would look at. */
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
    call_with: 'call_tool',
  };
}

const searchLimit = 10;

export const searchTools: HelperTool = {
  definition: {
    name: 'search_tools',
    description:
      'Find tools by what you want to do, best first. sig: ? is optional, ~ left out; detail "full" has all schemas.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer' },
        detail: { enum: ['compact', 'full'] },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    await context.settled();
    const query = textOr(input['query']).trim();
    if (query === '') {
      throw new AppError('bad_request', 'The query is missing.', { fix: 'Say in "query" what you want to do.' });
    }
    const tools = find(query, limitOf(input['limit']), context);
    const found = foundTools(tools, input['detail'] === 'full', context);
    const missing = context.finder.missingServers();
    const meant = found.length === 0 ? didYouMean(query, context) : undefined;
    if (meant !== undefined) return withMissing({ content: [{ type: 'text', text: meant }] }, missing);
    const content = found.length === 0 ? [] : [{ type: 'text', text: JSON.stringify(found) }];
    return withMissing({ content, structuredContent: { result: found } }, missing);
  },
};

const callTool: HelperTool = {
  definition: {
    name: 'call_tool',
    description: 'Call a tool found by search_tools.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        arguments: { type: ['object', 'string'], description: 'object or its JSON text' },
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
      beside: Object.fromEntries(Object.entries(input).filter(([key]) => !ownKeys.has(key))),
      rest: isObject(input['_meta']) ? { _meta: input['_meta'] } : undefined,
      via: 'call_tool',
    }),
};

export const searchMode: Mode = {
  name: 'search',
  line: 'Two tools: search and call',
  helpers: [searchTools, callTool],
  fixedList: true,
  listed: () => [],
  callLine: (name, args) => `call_tool ${JSON.stringify({ name, arguments: args })}`,
  instructions,
};

function find(query: string, limit: number, { catalog, index }: HelperContext): CatalogEntry[] {
  const byId = new Map(catalog.tools.map((tool) => [tool.id, tool]));
  return index.search(query, { limit }).hits.flatMap(({ id }) => byId.get(id) ?? []);
}

/** Nothing at all where no name is near: that is how ToolMux says that nothing was found. */
function didYouMean(query: string, { catalog, index }: HelperContext): string | undefined {
  const near = index.suggest(query).flatMap((id) => catalog.lookup.tools.withId(id)[0]?.listedName ?? []);
  return near.length === 0 ? undefined : `Nothing matches. Did you mean ${near.join(', ')}?`;
}

function limitOf(value: unknown): number {
  const wanted = Number(plainNumber(value) ?? searchLimit);
  return Number.isFinite(wanted) ? Math.min(Math.max(1, Math.trunc(wanted)), 50) : searchLimit;
}

function instructions({ catalog }: ModeView): string {
  return `Search with search_tools before saying that something cannot be done; then call_tool. Tools of: ${namedServers(catalog.servers)}.`;
}
