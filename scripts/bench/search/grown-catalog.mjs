/**
 * A catalog of any size, made of real ones: first their tools as they are, then the same ones again, each varied with
 * words of others.
 */
import { growthSources, readCatalog } from './data-sets.mjs';

/** `count` tools on servers of the size that servers have; none where the data is absent. */
export function growCatalog(count) {
  const pool = growthSources.flatMap((source) => readCatalog(source).map((tool) => prefixed(source, tool)));
  if (pool.length === 0) return [];
  return Array.from({ length: count }, (_, at) => {
    const tool = pool[at % pool.length];
    const round = Math.floor(at / pool.length);
    return round === 0 ? tool : varied(tool, pool[(at * 7919 + round) % pool.length], round);
  });
}

function prefixed(source, tool) {
  const server = `${source} ${tool.server}`;
  return { ...tool, server, id: `${server}:${tool.name}` };
}

/** Another name, one more sentence, and a word that no other round has: a bigger catalog has a bigger vocabulary. */
function varied(tool, other, round) {
  const server = `${tool.server} ${round}`;
  const name = `${tool.name}_${lastWord(other.name)}${round}`;
  const description = `${tool.description ?? ''} ${(other.description ?? '').slice(0, 120)}`;
  return { ...tool, server, name, description, id: `${server}:${name}` };
}

function lastWord(name) {
  return name.split(/[^\p{L}\p{N}]+/u).findLast((word) => word !== '') ?? '';
}
