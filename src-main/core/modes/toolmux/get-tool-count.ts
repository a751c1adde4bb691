/** `get_tool_count`: how many tools each server has, and which servers are not there. */
import type { HelperTool } from '../mode.ts';
import { dataResult } from './data-result.ts';
import { toolsByServer } from './tools-by-server.ts';

export const getToolCount: HelperTool = {
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
