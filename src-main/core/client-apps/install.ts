/** Connects an app: shows our entry, writes it, reads it back, and tries it with a real connection. */
import { AppError, errorText } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { areWritten, readAppServers, splitServers } from './app-servers.ts';
import {
  type AppConfigFile,
  changeAppFile,
  placesOf,
  readAppFile,
  revisionOf,
  updateAppFile,
  withFile,
} from './update-app-file.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import { type ChangedLine, changedLines } from './text-diff.ts';
import { configFormatFor, knownApp } from './app-files.ts';
import { cannotEditError, valueAt } from './formats/config-format.ts';
import { snippetFor, insertEntry, removeEntries } from './tooltray-entry.ts';
import { type AppLaunch, entryName } from './known-app.ts';
import { removeFolders, undoChange } from './undo-app-change.ts';

interface InstallPlan {
  readonly file: string;
  /** Path of the backup of the present file; empty if there is no file. */
  readonly backup: string;
  /** Empty if the app is already connected. */
  readonly diff: readonly ChangedLine[];
  readonly snippet: string;
  readonly revision: string;
}

interface UninstallPlan extends Omit<InstallPlan, 'snippet'> {
  /** Whether the file is deleted, because it did not exist before Tooltray. */
  readonly removesFile: boolean;
}

export interface InstallDeps {
  readonly journal: ChangeJournal;
  /** Starts what the app would start and connects; resolves to the reason of a failure, or undefined. */
  readonly tryLaunch?: ((launch: AppLaunch) => Promise<string | undefined>) | undefined;
}

/**
 * Writes nothing. `servers`: those with an entry of their own, instead of a single entry. Throws AppError
 * `config_invalid` if the file cannot be parsed or edited.
 */
export async function planInstall(
  place: AppConfigFile,
  launch: AppLaunch,
  journal: ChangeJournal,
  servers: readonly string[] = [],
): Promise<InstallPlan> {
  const { app } = place;
  const edit = (text: string | undefined): string => insertEntry(text ?? '', app, { launch, servers });
  const { file } = await firstToChange(place, edit);
  const before = await readAppFile(file);
  const after = editNamed(file, before, edit);
  const revision = revisionOf(before);
  return {
    file,
    backup: before === undefined ? '' : journal.backupPath(app.id, file, revision),
    diff: before === after ? [] : changedLines(before ?? '', after),
    snippet: snippetFor(app, launch, servers),
    revision,
  };
}

/**
 * Returns undefined if the app was already connected. `revision` comes from planInstall; a file that has changed since
 * is refused. If the entry does not work, the file is restored and `server_not_started` is thrown.
 */
export async function installEntry(
  place: AppConfigFile,
  launch: AppLaunch,
  { journal, tryLaunch }: InstallDeps,
  revision?: string,
  servers: readonly string[] = [],
): Promise<AppChange | undefined> {
  const edit = (text: string | undefined): string => insertEntry(text ?? '', place.app, { launch, servers });
  const target = await firstToChange(place, edit);
  const change = await changeAppFile(target, { action: 'install', edit, revision }, journal);
  if (change === undefined) return undefined;
  const problem = await tryWritten(target, launch, servers, tryLaunch);
  if (problem === undefined) return inOtherBuilds(place, change, { action: 'install', edit }, journal);
  throw await takenBack(change, `The entry for ${place.app.name} did not work: ${problem}`, journal);
}

/** Rewrites our entry if it launches a program that has moved. It stays enabled or disabled. */
export async function repairEntry(
  place: AppConfigFile,
  launch: AppLaunch,
  journal: ChangeJournal,
): Promise<AppChange | undefined> {
  const split = splitServers((await readAppServers(place)).ours);
  const edit = (text: string | undefined): string | undefined =>
    text === undefined || (split.length === 0 && entryIn(text, place, entryName) === undefined)
      ? text
      : insertEntry(text, place.app, { launch, servers: split, keepSwitch: true });
  return changeAppFile(place, { action: 'repair', edit }, journal);
}

function editNamed(file: string, text: string | undefined, edit: (text: string | undefined) => string): string {
  try {
    return edit(text);
  } catch (error) {
    throw withFile(file, error);
  }
}

type Edited = string | undefined | Promise<string | undefined>;

/** The first of the app's files that the edit would change; otherwise the first one. */
async function firstToChange(
  place: AppConfigFile,
  edit: (text: string | undefined, place: AppConfigFile) => Edited,
): Promise<AppConfigFile> {
  const [first = place, ...others] = placesOf(place);
  if (others.length === 0) return first;
  for (const one of [first, ...others]) {
    const text = await readAppFile(one.file);
    if ((await edit(text, one)) !== text) return one;
  }
  return first;
}

/** Makes the same change in the files of the app's other builds. If one fails, none is made. */
async function inOtherBuilds(
  place: AppConfigFile,
  change: AppChange,
  wanted: { readonly action: AppChange['action']; readonly edit: (text: string | undefined) => Edited },
  journal: ChangeJournal,
): Promise<AppChange> {
  try {
    for (const one of placesOf(place).filter(({ file }) => file !== change.file))
      await changeAppFile(one, { ...wanted, partOf: change.id }, journal);
    return change;
  } catch (error) {
    await undoChange(change.id, journal);
    throw error;
  }
}

async function tryWritten(
  place: AppConfigFile,
  launch: AppLaunch,
  servers: readonly string[],
  tryLaunch: InstallDeps['tryLaunch'],
): Promise<string | undefined> {
  const { ours } = await readAppServers(place);
  if (!areWritten(ours, launch, servers)) return 'the app rewrote its file.';
  // A server that fails to start should not prevent the connection, so the command is tried without `--server`.
  if (servers.length > 0) return tryLaunch?.(launch);
  const written = ours.find(({ name }) => name === entryName)?.launch;
  if (written === undefined) throw cannotEditError();
  return tryLaunch?.(written);
}

async function takenBack(change: AppChange, message: string, journal: ChangeJournal): Promise<AppError> {
  const isBack = await undoChange(change.id, journal).then(
    () => true,
    () => false,
  );
  const state = isBack
    ? 'Its config file is unchanged.'
    : `${change.file} was changed by another program and is left unchanged.`;
  return new AppError('server_not_started', message, { fix: `${state} Run "tooltray doctor" to see why.` });
}

function entryIn(text: string, { app }: AppConfigFile, name: string): Record<string, unknown> | undefined {
  const entry = valueAt(configFormatFor(app).read(text), [...app.container, name]);
  return isObject(entry) ? entry : undefined;
}

// Disconnects an app: restores the previous file if it is unchanged since, otherwise removes our entries.

/**
 * Returns undefined if there was no entry of Tooltray. `revision` comes from planUninstall; a file that has changed
 * since is refused. Throws AppError `config_invalid` if the file cannot be read, `config_conflict` if it has changed.
 */
export async function uninstallEntries(
  place: AppConfigFile,
  journal: ChangeJournal,
  revision?: string,
): Promise<AppChange | undefined> {
  const target = await firstToChange(place, (text, one) => withoutUs(text, one, journal));
  const edit = (text: string | undefined): Promise<string | undefined> => withoutUs(text, target, journal);
  const change = await changeAppFile(target, { action: 'uninstall', edit, revision }, journal);
  if (change === undefined) return undefined;
  const cut = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : removeEntries(text, place.app);
  return inOtherBuilds(place, change, { action: 'uninstall', edit: cut }, journal);
}

/** Plans the removal; writes nothing. */
export async function planUninstall(place: AppConfigFile, journal: ChangeJournal): Promise<UninstallPlan> {
  const target = await firstToChange(place, (text, one) => withoutUs(text, one, journal));
  const { app, file } = target;
  const before = await readAppFile(file);
  const after = await withoutUs(before, target, journal);
  const revision = revisionOf(before);
  return {
    file,
    backup: before === undefined ? '' : journal.backupPath(app.id, file, revision),
    diff: before === after ? [] : changedLines(before ?? '', after ?? ''),
    removesFile: before !== undefined && after === undefined,
    revision,
  };
}

async function withoutUs(
  text: string | undefined,
  place: AppConfigFile,
  journal: ChangeJournal,
): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const cut = removeEntries(text, place.app);
  if (cut === text) return text;
  const revision = revisionOf(text);
  const install = (await journal.changes()).find(
    ({ file, after, action }) => file === place.file && after === revision && action === 'install',
  );
  if (install === undefined) return cut;
  const before = await journal.contentBefore(install);
  const isClean = before === undefined || removeEntries(before, place.app) === before;
  return isClean ? before : cut;
}

// Disconnects every app: restores each file to its state before the first change of Tooltray, if nobody else has
// changed it.

export interface RestoredFiles {
  /** Files that were changed. */
  readonly files: readonly string[];
  /** A sentence for each file that could not be restored. */
  readonly problems: readonly string[];
}

/** `places`: files that may have an entry without a recorded change. Never rejects. */
export async function restoreFiles(places: readonly AppConfigFile[], journal: ChangeJournal): Promise<RestoredFiles> {
  const changes = await journal.changes();
  const recorded = changes.map(({ app, file }): AppConfigFile => ({ app: knownApp(app), file }));
  const byFile = new Map([...recorded, ...places].map((place) => [place.file, place]));
  const files: string[] = [];
  const problems: string[] = [];
  for (const place of byFile.values()) {
    const own = changes.filter(({ file }) => file === place.file);
    try {
      if (await restoreFile(place, own, journal)) files.push(place.file);
    } catch (error) {
      problems.push(`${place.file} was not restored: ${errorText(error)}`);
    }
  }
  return { files, problems };
}

/** `changes`: of this file, newest first. Resolves to whether the file was changed. */
async function restoreFile(
  place: AppConfigFile,
  changes: readonly AppChange[],
  journal: ChangeJournal,
): Promise<boolean> {
  const original = await originalOf(place, changes, journal);
  if (original === undefined) return (await uninstallEntries(place, journal)) !== undefined;
  const now = revisionOf(original.current);
  const { before, after } = await updateAppFile(place.file, {
    // If the app changes its file meanwhile, only our entry is removed.
    edit: (text) => (revisionOf(text) === now ? original.text : text),
  });
  if (revisionOf(after) !== revisionOf(original.text)) return (await uninstallEntries(place, journal)) !== undefined;
  if (original.text === undefined && original.madeFolder !== undefined)
    await removeFolders(place.file, original.madeFolder);
  return before !== after;
}

interface Original {
  /** Undefined if there was no file. */
  readonly text: string | undefined;
  readonly current: string | undefined;
  readonly madeFolder: string | undefined;
}

/**
 * Follows the changes back from the current file to the oldest state without an entry of Tooltray; undefined if there
 * is none.
 */
async function originalOf(
  place: AppConfigFile,
  changes: readonly AppChange[],
  journal: ChangeJournal,
): Promise<Original | undefined> {
  const current = await readAppFile(place.file);
  let revision = revisionOf(current);
  let original: Original | undefined;
  for (const change of changes) {
    if (change.after !== revision) continue;
    revision = change.before;
    const text = await journal.contentBefore(change);
    const isClean = text === undefined || removeEntries(text, place.app) === text;
    if (isClean) original = { text, current, madeFolder: change.madeFolder };
  }
  return original;
}
