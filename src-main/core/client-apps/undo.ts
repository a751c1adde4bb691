/** Takes a change of an app's file back: the same bytes as before, or a refusal where somebody has changed the file since. */
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import { revisionOf, updateAppFile } from './update-app-file.ts';

/** Throws AppError `not_found` for an unknown change, `config_conflict` when the file is not as the change left it. */
export async function undoChange(id: string, journal: ChangeJournal): Promise<AppChange> {
  const change = await journal.change(id);
  const before = await journal.before(change);
  await updateAppFile(change.file, {
    edit: (text) => {
      const revision = revisionOf(text);
      // Written over by nobody: it was cut off before it was made, or undone before.
      if (revision !== change.after && revision !== change.before) throw changedSince(change);
      return before;
    },
  });
  if (before === undefined && change.madeFolder !== undefined) await removeFolders(change.file, change.madeFolder);
  await journal.forget(change.id);
  return change;
}

/** The change that was made last and can still be undone. */
export async function lastChange(journal: ChangeJournal): Promise<AppChange | undefined> {
  return (await journal.changes())[0];
}

/** Those that were made for the file, as long as nothing else has come into them. */
async function removeFolders(file: string, highest: string): Promise<void> {
  for (let folder = dirname(file); folder.startsWith(highest); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function changedSince({ file, backup }: AppChange): AppError {
  const kept = backup === '' ? 'There was no file before.' : `The file as it was is kept in ${backup}.`;
  return new AppError('config_conflict', `${file} was changed by something else since, so it was left as it is.`, {
    fix: `Take the entry out instead (tooltray uninstall), or mend it by hand. ${kept}`,
  });
}
