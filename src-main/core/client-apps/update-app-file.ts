/** Changes a file that another program owns so that nothing of that program is lost and nobody ever reads half of it. */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../base/errors.ts';
import { withFileLock } from '../config/file-lock.ts';
import { cannotRead } from './formats/wanted-value.ts';
import { swapText } from './swap-text.ts';
import { sweepLeftovers } from './sweep-leftovers.ts';

export interface AppFileUpdate {
  /** Undefined: there was no file, or there is none now. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The highest folder that had to be made for the file. */
  readonly madeFolder: string | undefined;
}

export interface UpdateSteps {
  /** What the file should be, from what it is; undefined: no file. Asked anew when the file changed in the meantime. */
  readonly edit: (text: string | undefined) => string | undefined | Promise<string | undefined>;
  /** Before the new text takes the old one's place: the moment for a backup. */
  readonly beforeWrite?: (update: AppFileUpdate) => Promise<void>;
}

/** An app that writes all the time is waited for, but not for ever. */
const attempts = 20;

const settleMs = 50;

/** Names a state of a file. */
export function revisionOf(text: string | undefined): string {
  return text === undefined ? 'none' : createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** The text of the file, byte order mark and line ends as they are; undefined when there is none. Throws `config_invalid`. */
export async function readAppFile(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new AppError('not_allowed', `${path} cannot be read: ${error.message}`, {
      fix: 'Check who may read the file.',
      cause: error,
    });
  });
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw cannotRead('it is not UTF-8 text.', error);
  }
}

/**
 * Applies `edit`. Links stay links, the file keeps its permissions; a new file is the person's alone.
 * Throws what `edit` throws; `not_allowed` where the file is read-only, `config_conflict` when it keeps changing.
 */
export async function updateAppFile(path: string, { edit, beforeWrite }: UpdateSteps): Promise<AppFileUpdate> {
  const target = await targetOf(path);
  const stats = await stat(target).catch(() => undefined);
  // No folder is made, and no lock, for an edit that comes to nothing.
  if (stats === undefined && (await edit(undefined)) === undefined)
    return { before: undefined, after: undefined, madeFolder: undefined };
  if (stats !== undefined) requireWritable(target, stats);
  const madeFolder = await mkdir(dirname(target), { recursive: true });
  // Not `<file>.lock`: that name is the app's own in some of them.
  return withFileLock(`${target}.tooltray`, async () => {
    await sweepLeftovers(target);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = await readAppFile(target);
      const after = await editSettled(target, before, edit);
      if (after === unsettled) continue;
      const update = { before, after, madeFolder };
      if (after === before) return update;
      await beforeWrite?.(update);
      if (await swapText(target, before, after)) return update;
    }
    throw new AppError('config_conflict', `${path} keeps being changed by its app, so the change was not made.`, {
      fix: 'Quit the app, then try again.',
    });
  });
}

const unsettled = Symbol('unsettled');

/** An app that writes in place empties its file first: what looks empty or broken is looked at again before it is believed. */
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
    throw new AppError('not_allowed', `${path} is a link that leads nowhere.`, {
      fix: 'Mend or remove the link.',
      cause,
    });
  });
}

/** A rename would replace a read-only file all the same, against what its owner says. */
function requireWritable(target: string, stats: Stats): void {
  if (stats.isFile() && (stats.mode & 0o200) !== 0) return;
  throw new AppError(
    'not_allowed',
    `${target} is ${stats.isFile() ? 'read-only' : 'not a file'}, so it was left alone.`,
    {
      fix: 'Make it writable, or copy the entry to where it comes from.',
    },
  );
}
