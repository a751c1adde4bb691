/** How good a ranking is, from the places where wanted tools stand. */

export const depth = 10;

const shallow = [1, 5, 10];

/**
 * Of one query: recall at 1, 5 and 10, nDCG@10 and reciprocal rank. What is interchangeable counts once, at the
 * first place where one of it stands. Recall is the part of what could be found within so many places.
 */
export function judge(ranked, wanted) {
  const places = placesOf(ranked, wanted);
  const all = new Set(wanted.values()).size;
  const recalls = shallow.map((most) => places.filter((place) => place <= most).length / Math.min(all, most));
  const gain = places.reduce((sum, place) => sum + 1 / Math.log2(place + 1), 0);
  let ideal = 0;
  for (let place = 1; place <= Math.min(all, depth); place += 1) ideal += 1 / Math.log2(place + 1);
  return {
    'R@1': recalls[0],
    'R@5': recalls[1],
    'R@10': recalls[2],
    'nDCG@10': gain / ideal,
    MRR: places.length === 0 ? 0 : 1 / places[0],
  };
}

/** Means, measure by measure. */
export function mean(judgements) {
  const sums = {};
  for (const judgement of judgements) {
    for (const [name, value] of Object.entries(judgement)) sums[name] = (sums[name] ?? 0) + value;
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / judgements.length]));
}

function placesOf(ranked, wanted) {
  const places = new Map();
  ranked.slice(0, depth).forEach((id, at) => {
    const counted = wanted.get(id);
    if (counted !== undefined && !places.has(counted)) places.set(counted, at + 1);
  });
  return [...places.values()];
}
