/**
 * Sums over the table of calls, kept by stretches of ids: a window that looks on asks five times a second, and reading a
 * hundred thousand records for it each time would hold every call up. Only stretches that changed are read again.
 */
import type { DatabaseSync } from 'node:sqlite';

/** Ids from `from` to `to`, both included. */
export type ReadStretch<T> = (from: number, to: number) => T;

interface Known {
  readonly change: number;
  readonly from: number;
  readonly value: unknown;
}

const length = 1000;
/** Filters that are typed letter by letter make as many questions. */
const mostQuestions = 20;

export class Stretches {
  /** By question; the one that was asked last stands last. */
  readonly #known = new Map<string, Map<number, Known>>();
  /** By stretch: the count of changes when it changed last. */
  readonly #changed = new Map<number, number>();
  #changes = 0;
  #file = '';

  /** Records were added, or know more than they did. */
  note(ids: Iterable<number>): void {
    this.#changes++;
    for (const id of ids) this.#changed.set(stretchOf(id), this.#changes);
  }

  /** Forgets everything when it is another file, or when another process has written in it. */
  follow(database: DatabaseSync, generation: number): void {
    const file = `${generation}.${numberOf(database, 'PRAGMA data_version', 'data_version')}`;
    if (file !== this.#file) this.#known.clear();
    this.#file = file;
  }

  /** What `read` makes of each stretch, oldest first. `question` names what is asked: equal ones are read once. */
  each<T>(database: DatabaseSync, question: string, read: ReadStretch<T>): T[] {
    const first = numberOf(database, 'SELECT min(id) AS id FROM calls', 'id');
    const last = numberOf(database, 'SELECT max(id) AS id FROM calls', 'id');
    const known = this.#knownOf(question);
    // Records that are gone are asked about no more.
    for (const map of [known, this.#changed])
      for (const stretch of map.keys()) if (stretch < stretchOf(first)) map.delete(stretch);
    const values: T[] = [];
    for (let stretch = stretchOf(first); first > 0 && stretch <= stretchOf(last); stretch++) {
      values.push(this.#valueOf(known, stretch, Math.max(first, stretch * length), read));
    }
    return values;
  }

  #valueOf<T>(known: Map<number, Known>, stretch: number, from: number, read: ReadStretch<T>): T {
    const change = this.#changed.get(stretch) ?? 0;
    const before = known.get(stretch);
    // The oldest records are deleted: the first stretch grows shorter.
    if (before?.change === change && before.from === from) return before.value as T;
    const value = read(from, (stretch + 1) * length - 1);
    known.set(stretch, { change, from, value });
    return value;
  }

  #knownOf(question: string): Map<number, Known> {
    const known = this.#known.get(question) ?? new Map<number, Known>();
    this.#known.delete(question);
    this.#known.set(question, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostQuestions && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

function stretchOf(id: number): number {
  return Math.floor(id / length);
}

function numberOf(database: DatabaseSync, sql: string, column: string): number {
  return Number(database.prepare(sql).get()?.[column] ?? 0);
}
