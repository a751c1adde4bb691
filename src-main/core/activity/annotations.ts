/** Annotations for charts: they explain changes in the figures, such as a core start or a mode change. */
import type { DatabaseSync } from 'node:sqlite';

export type AnnotationKind = 'start' | 'mode';

export interface Annotation {
  /** ms since the epoch. */
  readonly at: number;
  readonly kind: AnnotationKind;
  /** The version at a start, otherwise the new mode, with the app if it is not for all: `search for Cursor`. */
  readonly what: string;
}

const maxAnnotations = 1000;

export function insertAnnotation(database: DatabaseSync, { at, kind, what }: Annotation): void {
  database.prepare('INSERT INTO moments (at, kind, what) VALUES (?, ?, ?)').run(at, kind, what);
  database.prepare('DELETE FROM moments WHERE id <= (SELECT max(id) FROM moments) - ?').run(maxAnnotations);
}

/** Oldest first; `until` is exclusive. */
export function annotationsBetween(database: DatabaseSync, since: number, until: number): readonly Annotation[] {
  return database
    .prepare('SELECT at, kind, what FROM moments WHERE at >= ? AND at < ? ORDER BY at')
    .all(since, until)
    .map((row) => ({ at: Number(row['at']), kind: row['kind'] as AnnotationKind, what: String(row['what']) }));
}
