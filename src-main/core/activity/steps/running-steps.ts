/**
 * Steps that are reported while they run, on disk: a step that a core did not live to finish is ended by the next one,
 * and a user who saw it running was not mistaken.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { isProcessRunning } from '../../base/file-lock.ts';
import type { Masker } from '../../base/mask.ts';
import { runInTransaction } from '../../base/private-database.ts';
import type { StepRecord } from './step.ts';
import { stepColumns, toValues } from './step-table.ts';

/** The recorded part of a running step. */
type RunningStep = Pick<
  StepRecord,
  'id' | 'startedAt' | 'sessionId' | 'app' | 'mode' | 'kind' | 'name' | 'what' | 'requestBytes'
>;

const columns = ['id', 'startedAt', 'sessionId', 'app', 'mode', 'kind', 'name', 'what', 'requestBytes'] as const;
const noteSql = `INSERT INTO openSteps (${columns.join(', ')}, seenAt, pid, run) VALUES (${columns.map(() => '?').join(', ')}, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seenAt = excluded.seenAt`;
const stopped = 'Tooltray stopped while this was running: it may or may not have been carried out.';
/** How often it is written down that one still runs, in ms. */
const writeIntervalMs = 5000;

export class RunningStepStore {
  readonly #run = randomUUID();
  /** When each was written down last, in ms since the epoch. */
  readonly #noted = new Map<number, number>();

  /** Returns the ids of steps that must be written now. */
  dueForWrite(ids: readonly number[], now: number): ReadonlySet<number> {
    return new Set(ids.filter((id) => now - (this.#noted.get(id) ?? 0) >= writeIntervalMs));
  }

  /** Throws what SQLite throws. `now`: ms since the epoch. */
  note(database: DatabaseSync, steps: readonly RunningStep[], masker: Pick<Masker, 'maskText'>, now: number): void {
    runInTransaction(database, () => {
      const note = database.prepare(noteSql);
      for (const step of steps) {
        const over = { durationMs: 0, givenBytes: 0, calls: 0, outcome: 'ok' } as const;
        const values = toValues({ ...step, ...over }, masker);
        note.run(...columns.map((column) => values[stepColumns.indexOf(column)] ?? null), now, process.pid, this.#run);
      }
    });
    for (const { id } of steps) this.#noted.set(id, now);
  }

  forget(id: number): void {
    this.#noted.delete(id);
  }

  /** Once: ends those of cores that are gone. Returns whether there were any; throws what SQLite throws. */
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
      `INSERT INTO steps (${columns.join(', ')}, durationMs, givenBytes, calls, outcome, errorText)
       SELECT ${columns.join(', ')}, seenAt - startedAt, 0, (SELECT count(*) FROM calls WHERE calls.step = openSteps.id), 'failed', ?
       FROM openSteps WHERE ${these} ON CONFLICT (id) DO NOTHING`,
    )
    .run(stopped, ids);
  database.prepare(`DELETE FROM openSteps WHERE ${these}`).run(ids);
}
