/** `magg_search_servers`: servers that could be added. */
import { maggTool } from './magg-tool.ts';
import { readNumber, requireText } from './read-input.ts';
import { searchRegistry } from './search-registry.ts';

const defaultLimit = 5;
const mostResults = 50;

export const searchServers = maggTool({
  name: 'magg_search_servers',
  description: 'Search the official MCP registry for servers to add.',
  properties: { query: { type: 'string' }, limit: { type: 'integer' } },
  required: ['query'],
  readOnly: true,
  async run(input, { signal }) {
    const query = requireText(input, 'query');
    const limit = Math.min(Math.ceil(readNumber(input, 'limit', defaultLimit)), mostResults);
    const { servers: results, failure } = await searchRegistry(query, limit, signal);
    return { output: { query, results, total: results.length }, ...(failure !== undefined && { errors: [failure] }) };
  },
});
