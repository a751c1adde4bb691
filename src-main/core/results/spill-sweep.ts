/** Makes the folder and the index say the same again after a crash: every file with its row, every row with its file. */
import { readdir, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { extensionMediaType, kindOfExtension } from './keep/media-types.ts';
import type { Spill } from './spill.ts';
import type { SpillIndex } from './spill-index.ts';
import { draftWriter, readSpillFileName } from './spill-names.ts';

export interface Swept {
  readonly files: number;
  readonly rows: number;
  readonly adopted: number;
}

const filesAtOnce = 64;

/** `adopt`: the index is new, so files without a row are taken over instead of deleted. Files of other people's making stay. */
export async function sweep(folder: string, index: SpillIndex, adopt: boolean): Promise<Swept> {
  const names = await readdir(folder);
  const rows = index.all();
  const known = new Set(rows.map(({ name }) => name));
  const drafts = names.filter(isAbandoned);
  const orphans = names.filter((name) => readSpillFileName(name) !== undefined && !known.has(name));
  await inBatches(adopt ? drafts : [...drafts, ...orphans], (name) => rm(join(folder, name), { force: true }));
  const lost: string[] = [];
  await inBatches(rows, async ({ id, name, bytes }) => {
    const size = await stat(join(folder, name)).then(
      (stats) => (stats.isFile() ? stats.size : -1),
      () => -1,
    );
    if (size === bytes) return;
    // Cut short by a power failure: it would be told as if it were whole.
    lost.push(id);
    if (size >= 0) await rm(join(folder, name), { force: true });
  });
  index.remove(lost);
  if (adopt) await inBatches(orphans, (name) => takeOver(folder, index, name));
  return {
    files: drafts.length + (adopt ? 0 : orphans.length),
    rows: lost.length,
    adopted: adopt ? orphans.length : 0,
  };
}

/** Unfinished, and nobody writes it any more; what has this process's id is left over from an earlier one. */
function isAbandoned(name: string): boolean {
  const writer = draftWriter(name);
  if (writer === undefined) return false;
  if (writer === process.pid) return true;
  try {
    process.kill(writer, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** What the name and the file tell; the rest is lost with the old index. */
async function takeOver(folder: string, index: SpillIndex, name: string): Promise<void> {
  const parts = readSpillFileName(name);
  const file = join(folder, name);
  const stats = await stat(file).catch(() => undefined);
  if (parts === undefined || stats === undefined || !stats.isFile()) return;
  const { id, server, tool } = parts;
  const extension = extname(name).slice(1);
  const spill: Spill = {
    ...{ id, answerId: id, file, server, tool, sessionId: '', app: '' },
    kind: kindOfExtension(extension) ?? 'binary',
    mimeType: extensionMediaType(extension),
    bytes: stats.size,
    tokens: Math.ceil(stats.size / 4),
    tokensEstimated: true,
    lines: undefined,
    createdAt: Math.trunc(stats.mtimeMs),
    ...{ pinned: false, reads: 0, lastReadAt: undefined },
  };
  index.insert([{ spill, name }]);
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += filesAtOnce) await Promise.all(items.slice(at, at + filesAtOnce).map(work));
}
