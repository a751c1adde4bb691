/** Removes what a Tooltray that was killed while it wrote has left beside an app's file. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { draftWriter, isRunning } from '../base/atomic-file.ts';

/** Drafts of the file, and locks on their way out, of processes that are no more. To be called under the file's lock. */
export async function sweepLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = await ownerOf(join(folder, name), name.slice(prefix.length));
    if (pid !== undefined && !isRunning(pid)) await rm(join(folder, name), { force: true });
  }
}

async function ownerOf(path: string, rest: string): Promise<number | undefined> {
  const draft = draftWriter(`.${rest}`);
  if (draft !== undefined) return draft;
  if (!/^tooltray\.lock\.[0-9a-f]{8}$/.test(rest)) return undefined;
  const pid = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10);
  return pid > 0 ? pid : undefined;
}
