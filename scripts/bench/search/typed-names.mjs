/** Names typed as somebody remembers them: how often the tool of that name comes first. */
import { readCatalog } from './data-sets.mjs';
import { rankers } from './rankers.mjs';

const source = 'livemcpbench';

const ways = {
  'exact name': ({ name }) => name,
  'last two letters missing': ({ name }) => name.slice(0, -2),
  server__name: ({ server, name }) => `${server}__${name}`,
};

/**
 * One row per way of typing, the rankers side by side. Of tools with one name any may come first, unless the server is
 * typed, too.
 */
export function measureTypedNames() {
  const tools = readCatalog(source).filter(({ name }) => name.length > 4);
  const ready = Object.entries(rankers).map(([ranker, make]) => [ranker, make(tools)]);
  const names = new Map(tools.map(({ id, name }) => [id, name]));
  return Object.entries(ways).map(([way, type]) => ({
    typed: way,
    ...Object.fromEntries(
      ready.map(([ranker, rank]) => [ranker, share(tools, (tool) => hits(rank(type(tool), 1)[0], tool, way))]),
    ),
  }));

  function hits(first, tool, way) {
    return way === 'server__name' ? first === tool.id : names.get(first) === tool.name;
  }
}

function share(tools, isHit) {
  return tools.filter(isHit).length / tools.length;
}
