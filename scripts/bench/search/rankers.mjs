/** The rankers that are compared: ours, a search library as it comes, and what FastMCP and ToolMux do. */
import MiniSearch from 'minisearch';
import { SearchIndex } from '../../../src-main/core/search/search-index.ts';
import { Okapi } from './okapi.mjs';

/** By name: takes tools, gives a function from query and limit to ids, best first. */
export const rankers = {
  Tooltray: (tools) => {
    const index = indexOf(tools);
    return (query, limit) => index.search(query, { limit }).hits.map(({ id }) => id);
  },
  'minisearch defaults': (tools) => {
    const index = new MiniSearch({ fields: ['name', 'server', 'title', 'description', 'parameters'] });
    index.addAll(tools.map((tool) => ({ ...tool, parameters: parameterText(tool) })));
    return (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id);
  },
  'FastMCP BM25': (tools) => {
    const index = new Okapi(tools);
    return (query, limit) => index.search(query, limit);
  },
};

/** Ours, as the core fills it: server by server. */
export function indexOf(tools) {
  const index = new SearchIndex();
  for (const [server, own] of Map.groupBy(tools, (tool) => tool.server)) index.replaceServer(server, own);
  return index;
}

function parameterText({ inputSchema }) {
  const parameters = Object.entries(inputSchema?.properties ?? {});
  return parameters.map(([name, schema]) => `${name} ${schema?.description ?? ''}`).join(' ');
}
