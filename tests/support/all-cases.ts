/** `npm run test:long`: every case; otherwise, one of each kind of equivalent cases. */
export const allCases = process.env['TOOLTRAY_LONG'] === 'yes';

/**
 * Generated inputs: deterministic in `npm test`, so that a failure is caused by a change; random and many more in the
 * long run.
 */
export function madeUp(runs: number): { readonly numRuns: number; readonly seed?: number } {
  return allCases ? { numRuns: runs * 20 } : { numRuns: runs, seed: 20_261_123 };
}

/** For equivalent cases: all in the long run, otherwise `count` of them, spread over the table. */
export function someOf<const Case>(count: number, cases: readonly Case[]): readonly Case[] {
  if (allCases || count >= cases.length) return cases;
  const step = count === 1 ? 0 : (cases.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, at) => cases[Math.round(at * step)] as Case);
}
