/** How well each ranker finds what was wanted, on every set of queries that is there. */
import { querySets, readCatalog } from './data-sets.mjs';
import { depth, judge, mean } from './measures.mjs';
import { rankers } from './rankers.mjs';

/**
 * Rows by set, each with one ranker's measures; the last set is the mean of the others, every set counting the same.
 */
export function measureQuality(half) {
  const sets = querySets(half);
  const catalogs = new Map(sets.map(({ source }) => [source, readCatalog(source)]));
  const rows = Object.entries(rankers).flatMap(([ranker, make]) => {
    const ready = new Map([...catalogs].map(([source, tools]) => [source, make(tools)]));
    const means = sets.map(({ source, queries }) => {
      const rank = ready.get(source);
      return mean(queries.map(({ query, wanted }) => judge(rank(query, depth), wanted)));
    });
    const bySet = sets.map(({ name, queries }, at) => ({ set: name, queries: queries.length, ranker, ...means[at] }));
    return [...bySet, { set: 'mean of all sets', queries: '', ranker, ...mean(means) }];
  });
  return [...Map.groupBy(rows, ({ set }) => set).values()].flat();
}
