/** What is said of a set of measurements. */

export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function median(values) {
  return quantile(values, 0.5);
}

/**
 * Does each job once a round, in an order that turns, so that a noisy moment hits all alike.
 * Resolves with the values of each job, one a round.
 */
export async function interleave(jobs, rounds) {
  const names = Object.keys(jobs);
  const values = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const turn = round % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) values[name].push(await jobs[name]());
  }
  return values;
}
