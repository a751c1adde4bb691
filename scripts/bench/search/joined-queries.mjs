/**
 * Queries as a model is asked to write them: every need in a few wordings, separated by commas; made of those that
 * users wrote.
 */
import { parseQuery } from '../../../src-main/core/search/word-hashes.ts';
import { querySets, readCatalog } from './data-sets.mjs';
import { depth, judge, mean } from './measures.mjs';
import { rankers } from './rankers.mjs';

/** Sets with fewer tools that several users asked for say too little. */
const leastTools = 20;
const mostWordings = 3;
const mostWords = 5;

/** Rows by set and way of joining, each with the index's measures. */
export function measureJoined(half) {
  const rows = querySets(half).flatMap((set) => {
    const wordings = wordingsByTool(set.queries);
    if (wordings.length < leastTools) return [];
    const rank = rankers.Tooltray(readCatalog(set.source));
    return Object.entries(waysToJoin).map(([joined, join]) => {
      const queries = join(wordings);
      const judged = queries.map(({ query, wanted }) => judge(rank(query, depth), wanted));
      return { set: set.name, joined, queries: queries.length, ...mean(judged) };
    });
  });
  const byWay = Object.keys(waysToJoin).map((joined) => {
    const own = rows.filter((row) => row.joined === joined);
    const measures = own.map(({ set: _, joined: __, queries: ___, ...measured }) => measured);
    return { set: 'mean of all sets', joined, queries: '', ...mean(measures) };
  });
  return [...rows, ...byWay];
}

const waysToJoin = {
  'one wording': (needs) => needs.flatMap(({ wordings, wanted }) => wordings.map((query) => ({ query, wanted }))),
  'wordings of a need': (needs) => needs.map(({ wordings, wanted }) => ({ query: wordings.join(', '), wanted })),
  'two needs': (needs) => needs.map((_, at) => joinNeeds(needs, at, 2)),
  'three needs': (needs) => needs.map((_, at) => joinNeeds(needs, at, 3)),
};

/** Needs that stand far apart in the set, in two wordings each. */
function joinNeeds(needs, first, count) {
  const chosen = Array.from({ length: count }, (_, at) => needs[(first + at * 17) % needs.length]);
  return {
    query: chosen.flatMap(({ wordings }) => wordings.slice(0, 2)).join(', '),
    wanted: new Map(chosen.flatMap(({ wanted }) => [...wanted])),
  };
}

/** Two or three short wordings for one and the same tool, from queries that want no other. */
function wordingsByTool(queries) {
  const single = queries.filter(({ wanted }) => new Set(wanted.values()).size === 1);
  const groups = [...Map.groupBy(single, ({ wanted }) => [...wanted.values()][0]).values()];
  return groups.flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / mostWordings) }, (_, at) => {
      const own = group.slice(at * mostWordings, (at + 1) * mostWordings);
      return { wordings: own.map(({ query }) => shortened(query)), wanted: own[0].wanted };
    }).filter(({ wordings }) => wordings.length > 1),
  );
}

/** The first telling words, as models write them. */
export function shortened(query) {
  const telling = parseQuery(query).words.filter(({ weight }) => weight === 1);
  return telling
    .slice(0, mostWords)
    .map(({ word }) => word)
    .join(' ');
}
