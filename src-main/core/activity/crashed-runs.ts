/**
 * Remembers beside a file which runs of the core that wrote it did not end in order: what they had not written is lost.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isProcessRunning } from '../base/file-lock.ts';
import { isObject } from '../base/json.ts';

interface Run {
  readonly pid: number;
  /** ms since the epoch. */
  readonly from: number;
  /** When it was found that it had ended without a word; undefined: it runs. */
  readonly until?: number;
}

const maxRuns = 50;

export class CrashedRuns {
  readonly #file: string;
  #runs: readonly Run[] | undefined;
  #isNoted = false;

  /** Reads nothing yet. */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * This run is about to write. A file that cannot be written is no reason to keep nothing: then a crash goes
   * unnoticed.
   */
  markStarted(now: number): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    this.#write([...this.#read(now), { pid: process.pid, from: now }]);
  }

  /** This run has written everything. */
  markFinished(): void {
    if (!this.#isNoted) return;
    this.#isNoted = false;
    const own = this.#read(Date.now()).findLast(({ pid, until }) => pid === process.pid && until === undefined);
    this.#write(this.#read(Date.now()).filter((run) => run !== own));
  }

  /** Nothing that any of them wrote is left. */
  forget(): void {
    this.#write(this.#read(Date.now()).filter(({ until }) => until === undefined));
  }

  /** Whether a run that ended without a word was writing at that time. */
  wasRunningAt(at: number, now: number): boolean {
    return this.#read(now).some(({ from, until }) => until !== undefined && from <= at && at < until);
  }

  #read(now: number): readonly Run[] {
    this.#runs ??= readRuns(this.#file).map((run) =>
      run.until !== undefined || isProcessRunning(run.pid) ? run : { ...run, until: now },
    );
    return this.#runs;
  }

  #write(runs: readonly Run[]): void {
    this.#runs = runs.slice(-maxRuns);
    try {
      if (runs.length === 0) rmSync(this.#file, { force: true });
      else writeFileSync(this.#file, JSON.stringify(this.#runs), { mode: 0o600 });
    } catch {
      // The texts are in the same folder, and their store reports what is wrong with it.
    }
  }
}

function readRuns(file: string): readonly Run[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(read) ? (read as unknown[]).filter(isRun) : [];
  } catch {
    return [];
  }
}

function isRun(value: unknown): value is Run {
  return isObject(value) && typeof value['pid'] === 'number' && typeof value['from'] === 'number';
}
