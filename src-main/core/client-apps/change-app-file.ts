/** One change of an app's file: made under a lock, noted so that it can be undone. Install, uninstall, repair and import go through here. */
import { AppError } from '../base/errors.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import type { KnownApp } from './known-app.ts';
import { revisionOf, updateAppFile } from './update-app-file.ts';

/** An app's config file: the person's, or a project's. */
export interface AppPlace {
  readonly app: KnownApp;
  readonly file: string;
  /** The project's folder; undefined where it is the person's. */
  readonly project?: string | undefined;
}

export interface WantedChange {
  readonly action: AppChange['action'];
  /** What the file should be, from what it is; undefined: no file. */
  readonly edit: (text: string | undefined) => string | undefined | Promise<string | undefined>;
  /** The state of the file that the person was shown; any other is refused. */
  readonly revision?: string | undefined;
}

/** Answers undefined when there was nothing to change. Throws what updateAppFile throws, with nothing written. */
export async function changeAppFile(
  { app, file }: AppPlace,
  { action, edit, revision }: WantedChange,
  journal: ChangeJournal,
): Promise<AppChange | undefined> {
  let noted: AppChange | undefined;
  const forget = async (): Promise<void> => (noted === undefined ? undefined : journal.forget(noted.id));
  try {
    const update = await updateAppFile(file, {
      edit: (text) => {
        if (revision !== undefined && revisionOf(text) !== revision) throw changedSince(file);
        return edit(text);
      },
      beforeWrite: async ({ before, after, madeFolder }) => {
        await forget();
        const states = { before: revisionOf(before), after: revisionOf(after) };
        noted = await journal.note({ app: app.id, file, action, madeFolder, ...states }, before);
      },
    });
    return update.before === update.after ? undefined : noted;
  } catch (error) {
    await forget();
    throw error;
  }
}

function changedSince(file: string): AppError {
  return new AppError('config_conflict', `${file} has changed since you were shown the change, so it was not made.`, {
    fix: 'Look at the change again.',
  });
}
