/** How a search came about, for whoever wonders why a tool was found or was not. */
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext } from '../mode.ts';

const shownReasons = 10;

/** `target` is the id of a tool to look for in particular. */
export function explain(query: string, target: string | undefined, { index }: HelperContext): JsonObject {
  const { hits, total } = index.search(query, { limit: shownReasons });
  const debug = {
    indexed_tools: index.size,
    matched: total,
    ranking: 'BM25F',
    reasons: hits.map(({ id, score, why }) => ({ id, score, why })),
  };
  return target === undefined ? { debug } : { debug, explanation: explainOne(query, target, index) };
}

function explainOne(query: string, target: string, index: HelperContext['index']): JsonObject {
  const [hit] = index.search(query, { limit: 1, accepts: (id) => id === target }).hits;
  if (hit === undefined) return { tool: target, found: false, did_you_mean: index.suggest(target) };
  const rank = index.search(query, { limit: index.size }).hits.findIndex(({ id }) => id === target) + 1;
  return { tool: target, found: true, rank, score: hit.score, why: hit.why };
}
