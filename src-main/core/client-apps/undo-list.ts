/** What was done to client apps' files and can be taken back: imports, and single changes that belong to none. */
import type { ChangeJournal } from './change-journal.ts';
import type { ImportRecords } from './import-records.ts';
import { undoableChanges } from './undo.ts';

export interface Undoable {
  /** Id of the import or of the change. */
  readonly undo: string;
  /** In ms since 1970. */
  readonly at: number;
  /** A few words for people. */
  readonly about: string;
  /** The apps' files that it changed. */
  readonly files: readonly string[];
}

/** Newest first. */
export async function undoList(journal: ChangeJournal, records: ImportRecords): Promise<readonly Undoable[]> {
  const imports = await records.all();
  const moved = new Set(imports.flatMap(({ changes }) => changes));
  const files = new Map((await journal.changes()).map(({ id, file }) => [id, file]));
  const changes = (await undoableChanges(journal)).filter(({ id }) => !moved.has(id));
  return [
    ...imports.map(({ id, at, added, changes: ids }) => ({
      undo: id,
      at,
      about: `import of ${added.join(', ') || 'servers'}`,
      files: ids.flatMap((one) => files.get(one) ?? []),
    })),
    ...changes.map(({ id, at, action, file }) => ({ undo: id, at, about: `${action} in ${file}`, files: [file] })),
  ].toSorted((a, b) => b.at - a.at);
}
