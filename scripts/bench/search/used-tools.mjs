/**
 * Searches of somebody whose earlier calls are known: every other query of a set has been a call, the others are
 * judged.
 */
import { boostRecentTools } from '../../../src-main/core/modes/boost-recent-tools.ts';
import { querySets, readCatalog } from './data-sets.mjs';
import { depth, judge, mean } from './measures.mjs';
import { indexOf } from './rankers.mjs';

/** Of a task with many tools so many were called. */
const calledOfOne = 3;

/** One row per set and kind of query, recall at 5 without the history and with it. */
export function measureUsed(half) {
  return querySets(half).flatMap(({ name, source, queries }) => {
    const index = indexOf(readCatalog(source));
    const earlier = queries.filter((_, at) => at % 2 === 0);
    const used = new Set(earlier.flatMap(({ wanted }) => [...wanted.keys()].slice(0, calledOfOne)));
    const now = queries.filter((_, at) => at % 2 === 1);
    const [known, fresh] = [true, false].map((isKnown) =>
      now.filter(({ wanted }) => [...wanted.keys()].some((id) => used.has(id)) === isKnown),
    );
    return [
      { set: name, wanted: 'used before', own: known },
      { set: name, wanted: 'never used', own: fresh },
    ].flatMap(({ own, ...row }) => {
      if (own.length === 0) return [];
      const recall = (history) => mean(own.map(({ query, wanted }) => judged(index, query, wanted, history)))['R@5'];
      return [{ ...row, queries: own.length, 'R@5': recall(new Set()), 'R@5 with history': recall(used) }];
    });
  });
}

function judged(index, query, wanted, history) {
  const { hits } = index.search(query, { limit: index.size });
  const ranked = boostRecentTools(hits, history).slice(0, depth);
  return judge(
    ranked.map(({ id }) => id),
    wanted,
  );
}
