/** Magg's tools besides `proxy`: callable in every mode, listed in none. */
import { textOr } from '../../base/json.ts';
import { AppError } from '../../base/errors.ts';
import { resolveServer } from '../../catalog/catalog.ts';
import { condenseLine } from '../../condense/condense-tool.ts';
import type { HelperContext, HelperTool } from '../../modes/mode.ts';
import { listKits, loadKit, showKit, unloadKit } from './kits.ts';
import { maggTool, readNumber, readText, requireServer, requireText } from './magg-tool.ts';
import { analyzeServers, smartConfigure } from './model-tools.ts';
import { searchRegistry } from './search-registry.ts';
import {
  addServer,
  checkServers,
  disableServer,
  enableServer,
  listServers,
  reloadConfig,
  removeServer,
  showStatus,
} from './servers.ts';

// `magg_list_tools`: which tools there are, by server, as they are called.

const listTools = maggTool({
  name: 'magg_list_tools',
  description: 'List the tools of all servers, or of one.',
  properties: { server: { type: 'string' } },
  readOnly: true,
  async run(input, context) {
    const { catalog } = context;
    const only = readText(input, 'server');
    const named = only === undefined ? catalog.servers : [serverNamed(only, context)];
    const servers = named.map((server) => ({
      server,
      tools: catalog.lookup.tools.of(server).map(({ listedName, definition: { description } }) => ({
        name: listedName,
        description: condenseLine(textOr(description)),
      })),
    }));
    return { output: { total: servers.reduce((sum, { tools }) => sum + tools.length, 0), servers } };
  },
});

/** Throws AppError server_not_found, also for one that is switched off and has no tools for now. */
function serverNamed(handle: string, context: HelperContext): string {
  try {
    return resolveServer(context.catalog, handle);
  } catch {
    const { name, health } = requireServer(handle, context);
    throw new AppError('server_disabled', `Server '${name}' has no tools now: ${health.summary}.`);
  }
}

// `magg_search_servers`: servers that could be added.

const defaultLimit = 5;
const mostResults = 50;

const searchServers = maggTool({
  name: 'magg_search_servers',
  description: 'Search the official MCP registry for servers to add.',
  properties: { query: { type: 'string' }, limit: { type: 'integer' } },
  required: ['query'],
  readOnly: true,
  async run(input, { registries, signal }) {
    const query = requireText(input, 'query');
    const limit = Math.min(Math.ceil(readNumber(input, 'limit', defaultLimit)), mostResults);
    const { servers: results, failure } = await searchRegistry(query, limit, registries, signal);
    return { output: { query, results, total: results.length }, ...(failure !== undefined && { errors: [failure] }) };
  },
});

export const maggHelpers: readonly HelperTool[] = [
  ...[listServers, showStatus, checkServers, addServer, removeServer, enableServer, disableServer, reloadConfig],
  ...[listTools, analyzeServers, smartConfigure, searchServers, listKits, showKit, loadKit, unloadKit],
];
