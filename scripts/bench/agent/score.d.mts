/** Types of score.mjs, for its test. */
import type { TaskRun } from './run-task.mjs';
export function scoreOf(
  mode: string,
  runs: readonly (Pick<TaskRun, 'calls' | 'errors' | 'usage' | 'stopped'> & { task: string; solved: boolean })[],
  prices?: { input: number; output: number },
): Record<string, unknown>;
export function scoreRow(score: object): Record<string, unknown>;
