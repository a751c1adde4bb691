/** When to try a server again: doubling from one second to five minutes, jittered so that servers do not come back in step. */

const firstMs = 1000;
const longestMs = 5 * 60_000;

/** Delay in ms before the attempt after `failures` failures in a row (1 and up); `random` gives 0 to 1. */
export function backoffMs(failures: number, random: () => number): number {
  const base = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return Math.round(base * (0.75 + random() * 0.5));
}
