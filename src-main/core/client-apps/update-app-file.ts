/** Changes a file that another program owns so that nothing of that program is lost and nobody ever reads half of it. */
import { createHash } from 'node:crypto';
import { readFileSync, type Stats } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError } from '../base/errors.ts';
import { withFileLock } from '../config/file-lock.ts';
import { cannotRead } from './formats/wanted-value.ts';

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
    await sweepDrafts(target);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = await readAppFile(target);
      const update = { before, after: await edit(before), madeFolder };
      if (update.after === before) return update;
      await beforeWrite?.(update);
      if (await swap(target, update)) return update;
    }
    throw new AppError('config_conflict', `${path} keeps being changed by its app, so the change was not made.`, {
      fix: 'Quit the app, then try again.',
    });
  });
}

/** Answers false when the file is not what was read any more. */
async function swap(target: string, { before, after }: AppFileUpdate): Promise<boolean> {
  // Read at once before the rename, without a turn of the event loop in between: whoever else writes hardly fits in.
  const isUnchanged = (): boolean => readNow(target) === before;
  if (after !== undefined) return writeFileAtomic(target, after, { beforeReplace: async () => isUnchanged() });
  if (!isUnchanged()) return false;
  await rm(target);
  return true;
}

function readNow(path: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return undefined;
  }
}

async function targetOf(path: string): Promise<string> {
  const link = await lstat(path).catch(() => undefined);
  if (link?.isSymbolicLink() !== true) return path;
  return realpath(path).catch((cause: unknown) => {
    throw new AppError('not_allowed', `${path} is a link that leads nowhere.`, { fix: 'Mend or remove the link.', cause });
  });
}

/** A rename would replace a read-only file all the same, against what its owner says. */
function requireWritable(target: string, stats: Stats): void {
  if (stats.isFile() && (stats.mode & 0o200) !== 0) return;
  throw new AppError('not_allowed', `${target} is ${stats.isFile() ? 'read-only' : 'not a file'}, so it was left alone.`, {
    fix: 'Make it writable, or copy the entry to where it comes from.',
  });
}

/** What a Tooltray that was killed while it wrote has left behind. */
async function sweepDrafts(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) ? /^(\d+)\.[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
