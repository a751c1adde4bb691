/**
 * Stores steps that are still running. If the core dies, the next core ends them; this does not count as an error of
 * the client.
 */
import type { DatabaseSync } from 'node:sqlite';
import { isProcessRunning } from '../../base/file-lock.ts';
import type { Masker } from '../../base/mask.ts';
import { prepareCached, runInTransaction } from '../../base/private-database.ts';
import type { StepRecord } from '../steps/step.ts';
import { stepColumns, toValues } from './step-table.ts';

const columns = ['id', 'startedAt', 'sessionId', 'app', 'mode', 'kind', 'name', 'what', 'requestBytes'] as const;
const noteSql = `INSERT INTO openSteps (${columns.join(', ')}, seenAt, pid, run) VALUES (${columns.map(() => '?').join(', ')}, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seenAt = excluded.seenAt`;
const stopped = 'Tooltray stopped during this call. The call may have taken effect.';
/** Interval at which a running step is recorded, in ms. */
const writeIntervalMs = 5000;

export class RunningStepStore {
  readonly #run: string;
  /** When each was last written, in ms since the epoch. */
  readonly #noted = new Map<number, number>();

  /** `run`: identifies the core's run. */
  constructor(run: string) {
    this.#run = run;
  }

  /** Records that steps are running, each every few seconds. `now`: ms since the epoch. Throws the error of SQLite. */
  note(database: DatabaseSync, steps: readonly StepRecord[], masker: Pick<Masker, 'maskText'>, now: number): void {
    const note = prepareCached(database, noteSql);
    for (const step of steps) {
      if (now - (this.#noted.get(step.id) ?? 0) < writeIntervalMs) continue;
      const values = toValues(step, masker);
      note.run(...columns.map((column) => values[stepColumns.indexOf(column)] ?? null), now, process.pid, this.#run);
      this.#noted.set(step.id, now);
    }
  }

  forget(id: number): void {
    this.#noted.delete(id);
  }

  /** Ends steps of dead cores. Returns whether there were any; throws the error of SQLite. */
  endOrphaned(database: DatabaseSync): boolean {
    const left = database
      .prepare('SELECT id, pid, run FROM openSteps')
      .all()
      .filter(({ pid, run }) => run !== this.#run && (Number(pid) === process.pid || !isProcessRunning(Number(pid))));
    if (left.length > 0) runInTransaction(database, () => end(database, JSON.stringify(left.map(({ id }) => id))));
    return left.length > 0;
  }
}

/** Ends steps whose calls are already on record. Their duration is known up to when they were last seen. */
function end(database: DatabaseSync, ids: string): void {
  const these = 'id IN (SELECT value FROM json_each(?))';
  database
    .prepare(
      `INSERT INTO steps (${columns.join(', ')}, durationMs, modelResultBytes, calls, outcome, errorText)
       SELECT ${columns.join(', ')}, seenAt - startedAt, 0, (SELECT count(*) FROM calls WHERE calls.step = openSteps.id), 'failed', ?
       FROM openSteps WHERE ${these} ON CONFLICT (id) DO NOTHING`,
    )
    .run(stopped, ids);
  database.prepare(`DELETE FROM openSteps WHERE ${these}`).run(ids);
}
