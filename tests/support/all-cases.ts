/** `npm run test:long`: every case; else, where cases say the same of one thing after the other, one of each kind. */
export const allCases = process.env['TOOLTRAY_LONG'] === 'yes';

/** Made-up inputs: the same ones in each `npm test`, so that a change is judged by what it changed; new and many more in the long run. */
export function madeUp(runs: number): { readonly numRuns: number; readonly seed?: number } {
  return allCases ? { numRuns: runs * 20 } : { numRuns: runs, seed: 20_261_123 };
}
