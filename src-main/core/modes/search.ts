/** Mode `search`: two tools; the model searches for what it needs and calls it. */
import { isObject, type JsonObject, plainNumber } from '../base/json.ts';
import { readArguments, readServerName, readToolName } from '../calls/read-arguments.ts';
import { type CatalogEntry, usableSchema } from '../catalog/catalog.ts';
import type { HelperContext, HelperTool, Mode, ModeView } from './mode.ts';
import { namedServers } from './named-servers.ts';

const searchLimit = 10;

const searchTools: HelperTool = {
  definition: {
    name: 'search_tools',
    description: 'Find tools by what you want to do. Returns their names and schemas, best first.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer' } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    const query = typeof input['query'] === 'string' ? input['query'] : '';
    const found = find(query, limitOf(input['limit']), context);
    return {
      content: found.length === 0 ? [] : [{ type: 'text', text: JSON.stringify(found) }],
      structuredContent: { result: found },
    };
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
      rest: isObject(input['_meta']) ? { _meta: input['_meta'] } : undefined,
      via: 'call_tool',
    }),
};

export const searchMode: Mode = {
  name: 'search',
  line: 'Two tools: search and call',
  helpers: [searchTools, callTool],
  listed: () => [],
  instructions,
};

function find(query: string, limit: number, { catalog, index, raw }: HelperContext): JsonObject[] {
  const byId = new Map(catalog.tools.map((tool) => [tool.id, tool]));
  return index.search(query, { limit }).hits.flatMap((hit) => {
    const tool = byId.get(hit.id);
    return tool === undefined ? [] : [shown(tool, raw)];
  });
}

/** A definition without what only a person would look at. */
function shown(tool: CatalogEntry, raw: boolean): JsonObject {
  const { definition, listedName } = tool;
  if (raw) return { ...definition, name: listedName };
  const { title, description, annotations } = definition;
  return {
    name: listedName,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: usableSchema(definition),
    ...(isObject(annotations) && { annotations }),
  };
}

function limitOf(value: unknown): number {
  const wanted = Number(plainNumber(value) ?? searchLimit);
  return Number.isFinite(wanted) ? Math.min(Math.max(1, Math.trunc(wanted)), 50) : searchLimit;
}

function instructions({ catalog }: ModeView): string {
  return `Search with search_tools before saying that something cannot be done; then call_tool. Tools of: ${namedServers(catalog.servers)}.`;
}
