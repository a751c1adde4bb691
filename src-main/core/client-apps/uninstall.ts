/** Disconnects an app: the file as it was before, where nobody has changed it since; else our entries are cut out of it. */
import { type AppPlace, changeAppFile } from './change-app-file.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';
import { withoutOurEntries } from './install-entry.ts';
import { readAppFile, revisionOf } from './update-app-file.ts';

/** Answers undefined when there was no entry of ours. Throws AppError `config_invalid` when the file cannot be read. */
export async function uninstallEntries(place: AppPlace, journal: ChangeJournal): Promise<AppChange | undefined> {
  const edit = (text: string | undefined): Promise<string | undefined> => withoutUs(text, place, journal);
  return changeAppFile(place, { action: 'uninstall', edit }, journal);
}

/** What it would do; nothing is written. */
export async function planUninstall(place: AppPlace, journal: ChangeJournal): Promise<readonly DiffLine[]> {
  const before = await readAppFile(place.file);
  const after = await withoutUs(before, place, journal);
  return before === after ? [] : diffLines(before ?? '', after ?? '');
}

async function withoutUs(
  text: string | undefined,
  place: AppPlace,
  journal: ChangeJournal,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const cut = withoutOurEntries(text, place.app);
  if (cut === text) return text;
  const revision = revisionOf(text);
  const install = (await journal.changes()).find(
    ({ file, after, action }) => file === place.file && after === revision && action === 'install',
  );
  if (install === undefined) return cut;
  const before = await journal.before(install);
  const isClean = before === undefined || withoutOurEntries(before, place.app) === before;
  return isClean ? before : cut;
}
