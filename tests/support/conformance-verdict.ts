/** The conformance suite's verdict, parsed from its output. */

export interface Verdict {
  readonly passed: number;
  readonly failed: readonly string[];
}

/** Counts the required scenarios of the summary; those not scored are listed separately. */
export function requiredScenarios(output: string): Verdict {
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const all = [...summary.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)];
  const required = all.filter(([, , name]) => !unscored.has(name));
  const failed = required.filter(([, mark]) => mark !== '✓').map(([line]) => line);
  return { passed: required.length - failed.length, failed };
}
