/** `list_all_tools`: every tool by server, a line for each. */
import type { JsonObject } from '../../base/json.ts';
import { readServerName } from '../../calls/read-arguments.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { HelperContext, HelperTool } from '../mode.ts';
import { callableName } from './callable-name.ts';
import { dataResult } from './data-result.ts';
import { toolsByServer } from './tools-by-server.ts';
import { fullText, shortText } from './tool-texts.ts';

export const listAllTools: HelperTool = {
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

/** Names as the mode calls tools; short texts where the list is how a model of this mode finds its tools. */
function lineOf(context: HelperContext): (tool: CatalogEntry) => JsonObject {
  if (context.mode === 'gateway') return (tool) => ({ name: tool.name, description: shortText(tool, context) });
  if (context.mode !== 'meta') return (tool) => ({ name: tool.listedName, description: fullText(tool) });
  return (tool) => ({ name: callableName(tool, context.catalog), description: shortText(tool, context) });
}
