/** Ranks recently used tools a little higher among the hits of a search, but never first because of that. */
import type { AlsoWanted } from '../search/query-matches.ts';

export interface ScoredHit {
  readonly id: string;
  readonly score: number;
}

/**
 * Measured by `bench search`, with every other query of a set as history: recall@5 of tools that were used before
 * rises
 * by 0 to 4 on the halves it was not tuned on, that of others falls by 0 to 2 (in the smallest set by one query of
 * 22).
 * A higher bonus loses more there.
 */
const scoreBonus = 0.2;
/** Hits below this share of the best score are about something else, however often they are called. */
const minScoreShare = 0.3;

/** Returns the hits that a search must return besides its best, so that used tools can be raised among them. */
export function alsoWantedOf(used: ReadonlySet<string>): AlsoWanted {
  return { ids: used, minShare: minScoreShare };
}

/** `hits`: ranked by the index, best first. Boosted hits also get a higher score, at most that of the first hit. */
export function boostRecentTools<T extends ScoredHit>(
  hits: readonly T[],
  used: ReadonlySet<string>,
): readonly ScoredHit[] {
  const [first] = hits;
  if (first === undefined || used.size === 0) return hits;
  const far = hits.findIndex(({ score }) => score < minScoreShare * first.score);
  const near = hits.slice(1, far === -1 ? undefined : far);
  if (!near.some(({ id }) => used.has(id))) return hits;
  const worthOf = ({ id, score }: T): number => (used.has(id) ? score * (1 + scoreBonus) : score);
  // Sorting is stable.
  const order = near.map((hit) => ({ hit, worth: worthOf(hit) })).toSorted((a, b) => b.worth - a.worth);
  const raised = order.map(({ hit, worth }) => ({ id: hit.id, score: Math.min(first.score, worth) }));
  return [first, ...raised, ...hits.slice(1 + near.length)];
}
