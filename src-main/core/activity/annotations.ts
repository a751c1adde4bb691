/**
 * Moments that explain a change in the figures: when the core started, when the mode became another. Kept in the
 * activity database.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../base/log.ts';

export type AnnotationKind = 'start' | 'mode';

export interface Annotation {
  /** ms since the epoch. */
  readonly at: number;
  readonly kind: AnnotationKind;
  /** For a start the version, else the new mode, plus the app if it is not for all: `search for Cursor`. */
  readonly what: string;
}

interface MomentStore {
  query<T>(ask: (database: DatabaseSync) => T): T;
}

/** Written a moment later: nothing is opened while a core starts. */
const flushDelayMs = 1000;
const maxAnnotations = 1000;

export class AnnotationLog {
  readonly #store: MomentStore;
  readonly #log: Log;
  #waiting: Annotation[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(store: MomentStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Returns at once, and never throws. */
  add(kind: AnnotationKind, what: string): void {
    this.#waiting.push({ at: Date.now(), kind, what });
    this.#timer ??= setTimeout(() => this.#write(), flushDelayMs).unref();
  }

  /** Oldest first, at most the last thousand. Throws what SQLite throws. */
  between(since: number, until: number): readonly Annotation[] {
    this.#write();
    return this.#store.query((database) =>
      database
        .prepare('SELECT at, kind, what FROM moments WHERE at >= ? AND at < ? ORDER BY at')
        .all(since, until)
        .map((row) => ({ at: Number(row['at']), kind: row['kind'] as AnnotationKind, what: String(row['what']) })),
    );
  }

  /** Writes what waits; before its store closes. */
  close(): void {
    this.#write();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    try {
      this.#store.query((database) => {
        const insert = database.prepare('INSERT INTO moments (at, kind, what) VALUES (?, ?, ?)');
        for (const { at, kind, what } of waiting) insert.run(at, kind, what);
        database.prepare('DELETE FROM moments WHERE id <= (SELECT max(id) FROM moments) - ?').run(maxAnnotations);
      });
    } catch (error) {
      // A mark that is missing on a chart is not worth trying again.
      this.#log.warn('A moment could not be written down.', { error });
    }
  }
}
