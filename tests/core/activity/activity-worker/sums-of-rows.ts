/** Totals of steps, computed from the rows themselves. */
import type { DatabaseSync } from 'node:sqlite';
import type { StepSearch, StepTotals } from '../../../../src-main/core/activity/activity-worker/step-search.ts';

export function sumsOfRows(database: DatabaseSync, { sessionId, since, until }: StepSearch): StepTotals {
  const rows = database
    .prepare(
      'SELECT outcome, given, raw, baseline, loaded FROM steps WHERE sessionId LIKE ? AND startedAt >= ? AND startedAt < ?',
    )
    .all(sessionId ?? '%', since ?? 0, until ?? Number.MAX_SAFE_INTEGER);
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + of(row), 0);
  return {
    steps: rows.length,
    problems: sum(({ outcome }) => Number(outcome !== 'ok' && outcome !== 'cancelled')),
    given: sum(({ given }) => Number(given)),
    raw: sum(({ raw }) => Number(raw)),
    baseline: sum(({ baseline }) => Number(baseline)),
    loaded: sum(({ loaded }) => Number(loaded)),
  };
}
