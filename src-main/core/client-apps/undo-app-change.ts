/**
 * Reverts a change to an app's file: restores the same bytes, or refuses if another program has changed the file since.
 */
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import type { ImportHistory } from './import-history.ts';
import { readAppFile, revisionOf, updateAppFile } from './update-app-file.ts';

/**
 * Throws AppError `not_found` for an unknown change, `config_conflict` if the file is not in the state after the
 * change.
 */
export async function undoChange(id: string, journal: ChangeJournal): Promise<AppChange> {
  const change = await journal.change(id);
  const before = await journal.contentBefore(change);
  await updateAppFile(change.file, {
    edit: (text) => {
      const revision = revisionOf(text);
      // The change was interrupted before it was made, or already undone.
      if (revision !== change.after && revision !== change.before) throw changedSince(change);
      return before;
    },
  });
  if (before === undefined && change.madeFolder !== undefined) await removeFolders(change.file, change.madeFolder);
  await journal.forget(change.id);
  for (const part of await journal.changes()) if (part.partOf === id) await undoChange(part.id, journal);
  return change;
}

/** Newest first. Omits changes that were recorded but not made, and those that were reverted by hand. */
export async function undoableChanges(journal: ChangeJournal): Promise<readonly AppChange[]> {
  const changes = await journal.changes();
  const files = [...new Set(changes.map(({ file }) => file))];
  const now = new Map(await Promise.all(files.map(async (file) => [file, await revisionNow(file)] as const)));
  const isThere = ({ file, before }: AppChange): boolean => now.get(file) !== before;
  return changes.filter(
    (change, index) =>
      change.partOf === undefined && isThere(change) && !changes.slice(0, index).some((one) => isSame(one, change)),
  );
}

/** Whether two changes are equal; the newer one was made. */
function isSame(one: AppChange, other: AppChange): boolean {
  return one.file === other.file && one.before === other.before && one.after === other.after;
}

/** Undefined if it cannot be read, so that it is in none of our states. */
async function revisionNow(file: string): Promise<string | undefined> {
  return readAppFile(file).then(revisionOf, () => undefined);
}

/** Removes the folders that were created for the file, unless they contain other files. */
export async function removeFolders(file: string, highest: string): Promise<void> {
  for (let folder = dirname(file); folder.startsWith(highest); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function changedSince({ file, backup }: AppChange): AppError {
  const backupText = backup === '' ? 'There was no file before.' : `The previous file is in ${backup}.`;
  return new AppError('config_conflict', `${file} was changed by another program since then, so nothing was undone.`, {
    fix: `Remove the entry instead (tooltray uninstall), or correct the file manually. ${backupText}`,
  });
}

/** Changes of client apps' files that can be undone: imports, and single changes outside of imports. */
export interface Undoable {
  /** Id of the import or of the change. */
  readonly undo: string;
  /** In ms since 1970. */
  readonly at: number;
  /** A short description for users. */
  readonly about: string;
  /** The apps' files that it changed. */
  readonly files: readonly string[];
}

/** Newest first. */
export async function listUndoable(journal: ChangeJournal, records: ImportHistory): Promise<readonly Undoable[]> {
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
