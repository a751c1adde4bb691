/** `catalog_tools`: every tool with its server, a short description, and its parameter names. */
import { errorText } from '../../core/base/errors.ts';
import { type JsonObject, textOrEmpty } from '../../core/base/json.ts';
import { readServerName, readToolName } from '../../core/calls/read-arguments.ts';
import { type CatalogEntry, usableSchema } from '../../core/catalog/catalog.ts';
import { parametersText } from '../../core/condense/signature.ts';
import type { HelperContext, HelperTool } from '../../core/modes/mode.ts';
import { findTools, isOwnTool, moreMatchesText, parseNeeds } from '../../core/modes/find-tools.ts';
import { otherHits } from '../../core/modes/read-skill.ts';
import { markSchemaShown, withUnavailableServers } from '../../core/modes/render-tools.ts';
import { dataError, dataResult } from './results.ts';
import {
  callableName,
  awaitNamedTool,
  fullDescription,
  parameterNames,
  summaryOf,
  toolsByServer,
} from './tool-summaries.ts';

export const catalogTools: HelperTool = {
  kind: 'discovery',
  inPrograms: true,
  definition: {
    name: 'catalog_tools',
    description: 'Find tools: several ; wordings ,',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    await context.settled();
    const server = readServerName(input);
    const query = textOrEmpty(input['query']).trim();
    if (query !== '') return foundIn(query, server, context);
    const listed = [...toolsByServer(context.catalog, server).values()].flat();
    const shown = listed.map((tool) => {
      const parameters = parameterNames(tool);
      const sig = parametersText(usableSchema(tool.definition));
      return {
        name: callableName(tool, context.catalog),
        server: tool.server,
        description: summaryOf(tool, context),
        parameters,
        // Added if names alone are not enough for a call: it marks optional and non-string parameters.
        ...(sig !== parameters.join(', ') && { sig: `(${sig})` }),
      };
    });
    return withUnavailableServers(dataResult(shown), context.finder.missingServers(server));
  },
};

/** Matching tools as lines with call syntax. */
function foundIn(query: string, server: string | undefined, context: HelperContext): JsonObject {
  const among = server === undefined ? undefined : new Set([...toolsByServer(context.catalog, server).values()].flat());
  const { tools, more } = findTools(parseNeeds(query), context, {
    ...(among !== undefined && { accepts: (tool) => among.has(tool) || isOwnTool(tool) }),
  });
  const shown = tools.map(({ tool }) => ({
    name: callableName(tool, context.catalog),
    server: tool.server,
    description: summaryOf(tool, context),
    sig: `(${parametersText(usableSchema(tool.definition))})`,
  }));
  const left = moreMatchesText(more);
  const others = server === undefined ? otherHits(parseNeeds(query), context) : [];
  const texts = [JSON.stringify(shown), ...(left === undefined ? [] : [left]), ...others];
  return withUnavailableServers(
    { content: texts.map((text) => ({ type: 'text', text })) },
    context.finder.missingServers(server),
  );
}

/** `list_all_tools`: every tool by server, one line each. */
export const listAllTools: HelperTool = {
  kind: 'discovery',
  inPrograms: true,
  definition: {
    name: 'list_all_tools',
    description: 'One line per tool.',
    inputSchema: { type: 'object', properties: { server: { type: 'string' } } },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    await context.settled();
    const show = lineOf(context);
    const only = readServerName(input);
    const byServer = toolsByServer(context.catalog, only);
    const servers = [...byServer].map(([name, tools]): [string, JsonObject] => [
      name,
      { tool_count: tools.length, tools: tools.map(show) },
    ]);
    const total = [...byServer.values()].reduce((sum, tools) => sum + tools.length, 0);
    const missing = context.finder.missingServers(only);
    return dataResult({
      total_tools: total,
      servers: Object.fromEntries(servers),
      ...(missing !== undefined && { not_listed: missing }),
    });
  },
};

/** Names as called in this mode; short descriptions if this list is how the mode's model finds tools. */
function lineOf(context: HelperContext): (tool: CatalogEntry) => JsonObject {
  if (context.mode === 'gateway') return (tool) => ({ name: tool.name, description: summaryOf(tool, context) });
  if (context.mode !== 'meta') return (tool) => ({ name: tool.listedName, description: fullDescription(tool) });
  return (tool) => ({ name: callableName(tool, context.catalog), description: summaryOf(tool, context) });
}

/** `get_tool_count`: number of tools per server, and unavailable servers. */
export const getToolCount: HelperTool = {
  kind: 'discovery',
  inPrograms: true,
  definition: {
    name: 'get_tool_count',
    description: 'Tools per server.',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  },
  async run(_input, context) {
    await context.settled();
    const { catalog, admin, finder } = context;
    const counts = [...toolsByServer(catalog)].map(([server, tools]) => [server, tools.length] as const);
    const failed = admin.list().flatMap(({ name, error }) => (error === undefined ? [] : [[name, error] as const]));
    const missing = finder.missingServers(
      undefined,
      failed.map(([name]) => name),
    );
    return dataResult({
      total_tools: catalog.tools.length,
      by_server: Object.fromEntries(counts),
      ...(failed.length > 0 && { failed_servers: Object.fromEntries(failed) }),
      ...(missing !== undefined && { not_listed: missing }),
    });
  },
};

/** `get_tool_schema`: the full description and schema of one or several tools. */
export const getToolSchema: HelperTool = {
  kind: 'schema',
  inPrograms: true,
  definition: {
    name: 'get_tool_schema',
    description: 'Schema.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: { readOnlyHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  },
  async run(input, context) {
    const several = namesIn(input);
    if (several !== undefined) {
      return dataResult(await Promise.all(several.map((name) => entryOrError(name, undefined, context))));
    }
    const { error, ...entry } = await entryOrError(readToolName(input), readServerName(input), context);
    return typeof error === 'string' ? dataError(error) : dataResult(entry);
  },
};

/** The plural form, as in code mode's `get_schema`. */
function namesIn({ tools }: JsonObject): string[] | undefined {
  return Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : undefined;
}

async function entryOrError(name: string, server: string | undefined, context: HelperContext): Promise<JsonObject> {
  try {
    const tool = await awaitNamedTool(name, server, context);
    markSchemaShown(tool, context.memory);
    return {
      name: callableName(tool, context.catalog),
      server: tool.server,
      description: fullDescription(tool),
      input_schema: usableSchema(tool.definition),
    };
  } catch (error) {
    return { error: errorText(error) };
  }
}
