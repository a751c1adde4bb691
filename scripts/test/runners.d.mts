/** Types of runners.mjs, for tests. */
export function runnersOf(given: readonly string[], cwd?: string): string[][];
