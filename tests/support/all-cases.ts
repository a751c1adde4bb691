/** `npm run test:long`: every case; else, where cases say the same of one thing after the other, one of each kind. */
export const allCases = process.env['TOOLTRAY_LONG'] === 'yes';

/** Made-up inputs: the same ones in each `npm test`, so that a change is judged by what it changed; new and many more in the long run. */
export function madeUp(runs: number): { readonly numRuns: number; readonly seed?: number } {
  return allCases ? { numRuns: runs * 20 } : { numRuns: runs, seed: 20_261_123 };
}

/** Where each case proves the same of another one: all of them in the long run, else so many, spread over the whole table. */
export function someOf<const Case>(count: number, cases: readonly Case[]): readonly Case[] {
  if (allCases || count >= cases.length) return cases;
  const step = count === 1 ? 0 : (cases.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, at) => cases[Math.round(at * step)] as Case);
}
