/** `--project [DIR]`: the folder whose own config files are meant instead of the person's. */
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError } from '../core/base/errors.ts';

export interface ProjectFlag {
  /** Absolute; undefined where the person's own files are meant. */
  readonly project: string | undefined;
  /** The arguments without the flag. */
  readonly rest: readonly string[];
}

/** Without DIR, the current folder: parseArgs knows no flag whose value may be left out. Rejects with AppError not_found. */
export async function readProjectFlag(args: readonly string[]): Promise<ProjectFlag> {
  const at = args.findIndex((word) => word === '--project' || word.startsWith('--project='));
  if (at < 0) return { project: undefined, rest: args };
  const [flag = '', next] = args.slice(at, at + 2);
  const inline = flag.includes('=') ? flag.slice('--project='.length) : undefined;
  const isNext = inline === undefined && next !== undefined && !next.startsWith('-');
  const folder = resolve(inline ?? (isNext ? next : '.'));
  const rest = args.toSpliced(at, isNext ? 2 : 1);
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) throw noFolder(folder);
  return { project: await realpath(folder), rest };
}

function noFolder(folder: string): AppError {
  return new AppError('not_found', `There is no folder ${folder}.`, {
    fix: 'Write --project DIR, or --project as the last word for the current folder.',
  });
}
