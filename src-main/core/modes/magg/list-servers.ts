/** `magg_list_servers` and `magg_status`: which servers there are, and how many of them work. */
import { isMounted, prefixOf, serverEntry } from './server-entry.ts';
import { maggTool } from './magg-tool.ts';

export const listServers = maggTool({
  name: 'magg_list_servers',
  description: 'List the configured MCP servers.',
  readOnly: true,
  async run(_input, context) {
    const notes = await context.admin.notes();
    return { output: context.admin.list().map((facts) => serverEntry(facts, notes.get(facts.name), context)) };
  },
});

export const showStatus = maggTool({
  name: 'magg_status',
  description: 'Count servers and tools.',
  readOnly: true,
  async run(_input, { admin, catalog }) {
    const servers = admin.list();
    const enabled = servers.filter((server) => server.enabled);
    const count = { total: servers.length, enabled: enabled.length, mounted: servers.filter(isMounted).length };
    return {
      output: {
        servers: { ...count, disabled: servers.length - enabled.length },
        tools: { total: catalog.tools.length },
        prefixes: Object.fromEntries(enabled.map(({ name }) => [name, prefixOf(name, catalog)])),
      },
    };
  },
});
