/** `magg_analyze_servers`: what is configured, in numbers, and what the app's own model has to say about it. */
import type { JsonObject } from '../../base/json.ts';
import { maskText } from '../../base/mask-secrets.ts';
import type { HelperContext } from '../mode.ts';
import { askModel, noSampling } from './ask-model.ts';
import { maggTool } from './magg-tool.ts';
import { isMounted } from './server-entry.ts';

export const analyzeServers = maggTool({
  name: 'magg_analyze_servers',
  description: "Count servers and tools, and have the app's model judge the setup.",
  readOnly: true,
  async run(_input, context) {
    const analysis = await analyze(context);
    // Without a model there are the numbers; that the rest is missing is no failure of theirs.
    if (!context.canSample) return { output: { ...analysis, insights: null, note: noSampling } };
    const prompt = `These MCP servers are configured:\n${JSON.stringify(analysis, null, 1)}\nName what overlaps, what is broken and how to mend it, and what is missing for common work. Be short.`;
    return { output: { ...analysis, insights: await askModel(prompt, context) } };
  },
});

async function analyze({ admin, catalog }: HelperContext): Promise<JsonObject> {
  const notes = await admin.notes();
  const servers = admin.list();
  return {
    total_servers: servers.length,
    enabled_servers: servers.filter(({ enabled }) => enabled).length,
    mounted_servers: servers.filter(isMounted).length,
    total_tools: catalog.tools.length,
    servers: servers.map((server) => ({
      name: server.name,
      enabled: server.enabled,
      mounted: isMounted(server),
      tools: catalog.lookup.tools.of(server.name).map(({ name }) => name),
      ...(notes.get(server.name)?.notes !== undefined && { notes: notes.get(server.name)?.notes }),
      ...(server.error !== undefined && { error: maskText(server.error) }),
    })),
  };
}
