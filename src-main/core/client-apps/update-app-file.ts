/** Changes a file of another program without losing that program's changes, and without exposing an incomplete file. */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, linkSync, openSync, readSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempFilePid, writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';
import { isProcessRunning } from '../base/file-lock.ts';
import { systemFailure } from '../base/system-errors.ts';
import { withAppFileLock } from './app-file-lock.ts';
import type { AppChange, ChangeJournal } from './change-journal.ts';
import type { KnownApp } from './known-app.ts';

interface AppFileUpdate {
  /** Undefined: no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The highest folder that was created for the file. */
  readonly madeFolder: string | undefined;
}

interface UpdateSteps {
  /** Returns the new text from the current one; undefined means no file. Called again if the file changed meanwhile. */
  readonly edit: (text: string | undefined) => string | undefined | Promise<string | undefined>;
  /** Called before the new text replaces the old one, to make a backup. */
  readonly beforeWrite?: (update: AppFileUpdate) => Promise<void>;
}

/** Maximum number of attempts for an app that writes continuously. */
const maxAttempts = 20;

const settleMs = 50;

/** Identifies the content of a file. */
export function revisionOf(text: string | undefined): string {
  return text === undefined ? 'none' : createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/**
 * The text of the file, with byte order mark and line ends unchanged; undefined if there is none. Throws
 * `config_invalid`.
 */
export async function readAppFile(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    const { code, reason, fix } = systemFailure(error) ?? { code: '', reason: error.message, fix: '' };
    throw new AppError('not_allowed', `${path} cannot be read: ${reason}.`, {
      fix: fix === '' || code === 'EACCES' || code === 'EPERM' ? 'Check the permissions of the file.' : fix,
      cause: error,
    });
  });
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AppError('config_invalid', `${path} is not UTF-8 text.`, {
      fix: 'Save it as UTF-8 in your editor.',
      cause: error,
    });
  }
}

/**
 * Applies `edit`. Links and permissions stay; a new file is private. Throws as `edit` does; `not_allowed` if the file
 * is read-only, `config_conflict` if it keeps changing.
 */
export async function updateAppFile(path: string, { edit, beforeWrite }: UpdateSteps): Promise<AppFileUpdate> {
  const target = await targetOf(path);
  const stats = await stat(target).catch(() => undefined);
  // An edit without effect creates neither a folder nor a lock.
  if (stats === undefined && (await edit(undefined)) === undefined)
    return { before: undefined, after: undefined, madeFolder: undefined };
  if (stats !== undefined) requireWritable(target, stats);
  const madeFolder = await mkdir(dirname(target), { recursive: true });
  return withAppFileLock(target, async () => {
    await sweepLeftovers(target);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = await readAppFile(target);
      const after = await editSettled(target, before, edit);
      if (after === unsettled) continue;
      const update = { before, after, madeFolder };
      if (after === before) return update;
      await beforeWrite?.(update);
      if (await swapText(target, before, after)) return update;
    }
    throw new AppError('config_conflict', `${path} is repeatedly changed by its app, so it was not updated.`, {
      fix: 'Quit the app, then try again.',
    });
  });
}

const unsettled = Symbol('unsettled');

/** An app that writes in place empties its file first, so an empty or invalid text is read again. */
async function editSettled(
  target: string,
  before: string | undefined,
  edit: UpdateSteps['edit'],
): Promise<string | undefined | typeof unsettled> {
  const isSettled = async (): Promise<boolean> => {
    await sleep(settleMs);
    return (await readAppFile(target)) === before;
  };
  if (before === '' && !(await isSettled())) return unsettled;
  try {
    return await edit(before);
  } catch (error) {
    if (before === undefined || (await isSettled())) throw error;
    return unsettled;
  }
}

async function targetOf(path: string): Promise<string> {
  const link = await lstat(path).catch(() => undefined);
  if (link?.isSymbolicLink() !== true) return path;
  return realpath(path).catch((cause: unknown) => {
    throw new AppError('not_allowed', `${path} is a broken link.`, {
      fix: 'Correct or remove the link.',
      cause,
    });
  });
}

/** A rename would replace a read-only file, against its owner's intention. */
function requireWritable(target: string, stats: Stats): void {
  if (stats.isFile() && (stats.mode & 0o200) !== 0) return;
  throw new AppError(
    'not_allowed',
    `${target} is ${stats.isFile() ? 'read-only' : 'not a file'}, so it was not changed.`,
    {
      fix: 'Make it writable, or copy the entry to its source.',
    },
  );
}

// Replaces a file's text unless the file has changed, and restores it if another program writes at the same moment.

/**
 * An app that has just opened the old file may be delayed before it writes, so the file is checked again after this
 * time, in ms.
 */
const lateWriteCheckMs = 10;

/** `undefined`: no file. Returns false and changes nothing if the file differs from `expected`. */
async function swapText(target: string, expected: string | undefined, after: string | undefined): Promise<boolean> {
  const old = new OldFile(target, expected);
  try {
    if (after === undefined) return old.remove();
    let isLate = false;
    const isWritten = await writeFileAtomic(target, after, {
      beforeReplace: async () => old.isUnchanged(),
      afterReplace: () => (isLate = old.putBackIfWritten()),
    });
    if (!isWritten || isLate) return false;
    await sleep(lateWriteCheckMs);
    return !old.putBackIfWritten(after);
  } finally {
    old.forget();
  }
}

/** The file that is replaced, kept under a second name because an app may be writing into it. */
class OldFile {
  readonly #target: string;
  readonly #expected: string | undefined;
  readonly #file: number | undefined;
  readonly #spare: string | undefined;

  constructor(target: string, expected: string | undefined) {
    this.#target = target;
    this.#expected = expected;
    // Windows refuses to replace a file that is open.
    if (process.platform === 'win32' || expected === undefined) return;
    this.#file = quietly(() => openSync(target, 'r'));
    // Named like a draft, so that it is cleaned up after a crash. Some file systems do not support hard links.
    const spare = `${target}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`;
    this.#spare = quietly(() => (linkSync(target, spare), spare));
  }

  /** Called right before the rename, without a turn of the event loop in between. */
  isUnchanged(): boolean {
    const now = quietly(() => statSync(this.#target));
    if (now === undefined || this.#expected === undefined) return now === undefined && this.#expected === undefined;
    if (this.#file === undefined) return textAt(this.#target) === this.#expected;
    return fstatSync(this.#file).ino === now.ino && textOf(this.#file) === this.#expected;
  }

  /**
   * A program that opened the old file before it was replaced still writes into it: then the old file must be restored.
   * Not if something other than `replacement` has taken its place meanwhile.
   */
  putBackIfWritten(replacement?: string): boolean {
    if (this.#file === undefined || this.#spare === undefined || textOf(this.#file) === this.#expected) return false;
    if (replacement !== undefined && textAt(this.#target) !== replacement) return false;
    renameSync(this.#spare, this.#target);
    return true;
  }

  remove(): boolean {
    if (!this.isUnchanged()) return false;
    rmSync(this.#target, { force: true });
    return true;
  }

  forget(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    if (this.#spare !== undefined) rmSync(this.#spare, { force: true });
  }
}

function textAt(path: string): string | undefined {
  return quietly(() => {
    const file = openSync(path, 'r');
    try {
      return textOf(file);
    } finally {
      closeSync(file);
    }
  });
}

/** The whole text, from the start. */
function textOf(file: number): string {
  const bytes = Buffer.alloc(fstatSync(file).size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(file, bytes, length, bytes.length - length, length);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length));
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

// Removes what a killed process of Tooltray left next to an app's file.

/** Removes drafts of dead processes. Call it with the file locked. */
async function sweepLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = tempFilePid(`.${name.slice(prefix.length)}`);
    if (pid !== undefined && !isProcessRunning(pid)) await rm(join(folder, name), { force: true });
  }
}

// One change of an app's file, made under a lock and recorded for undo. Install, uninstall, repair and import use it.

/** An app's config file, the user's or a project's. */
export interface AppConfigFile {
  readonly app: KnownApp;
  readonly file: string;
  /** Files of its other builds, which receive the same entry. */
  readonly also?: readonly string[];
  /** The project's folder; undefined if it is the user's. */
  readonly project?: string | undefined;
}

interface WantedChange {
  readonly action: AppChange['action'];
  /** Returns the new text from the current one; undefined means no file. */
  readonly edit: (text: string | undefined) => string | undefined | Promise<string | undefined>;
  /** The revision that the user saw; any other is refused. */
  readonly revision?: string | undefined;
  /** Id of the change of another build's file with which this one is undone. */
  readonly partOf?: string | undefined;
}

/** A place for each of the app's files. */
export function placesOf(place: AppConfigFile): readonly AppConfigFile[] {
  return [place.file, ...(place.also ?? [])].map((file) => ({ ...place, file, also: [] }));
}

/** Resolves to undefined if there was nothing to change. Throws as updateAppFile does, with nothing written. */
export async function changeAppFile(
  { app, file }: AppConfigFile,
  { action, edit, revision, partOf }: WantedChange,
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
        noted = await journal.record({ app: app.id, file, action, madeFolder, partOf, ...states }, before);
      },
    });
    return update.before === update.after ? undefined : noted;
  } catch (error) {
    await forget();
    throw withFile(file, error);
  }
}

/** Names the file in an error about its content. */
export function withFile(file: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'config_invalid' || error.message.includes(file)) return error;
  return new AppError('config_invalid', `${file} was not changed. ${error.message}`, {
    fix: error.fix ?? 'Correct the file first.',
    cause: error,
  });
}

function changedSince(file: string): AppError {
  return new AppError('config_conflict', `${file} has changed since the preview, so it was not updated.`, {
    fix: 'Review the change again.',
  });
}
