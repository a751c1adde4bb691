/** An allowed folder, and a sibling with the same prefix that contains a secret. */
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../src-main/core/base/errors.ts';

export const secret = 'outside secret';

export interface ConfinedFolders {
  /** Deleted afterwards; contains the other two. */
  readonly base: string;
  readonly root: string;
  readonly other: string;
}

export async function makeFolders(): Promise<ConfinedFolders> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'confine-')));
  const [root, other] = [join(base, 'allowed'), join(base, 'allowed-not')];
  await mkdir(join(root, 'sub', 'deep'), { recursive: true });
  await mkdir(join(other, 'sub'), { recursive: true });
  await writeFile(join(root, 'note.txt'), 'inside');
  await writeFile(join(root, 'sub', 'note.txt'), 'inside sub');
  await writeFile(join(other, 'secret.txt'), secret);
  await writeFile(join(other, 'sub', 'note.txt'), secret);
  return { base, root, other };
}

/** The code of the AppError that a promise rejects with. */
export async function refusal(run: Promise<unknown>): Promise<string> {
  const error: unknown = await run.then(
    () => 'was let through',
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? error.code : String(error);
}
