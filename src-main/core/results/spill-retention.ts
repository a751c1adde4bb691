/** Which kept answers have to go: the too old ones, then the oldest, until what is left may stay. Pinned ones never do. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ResultSettings } from '../config/app-config.ts';
import type { SpillIndex, SpillRow } from './spill-index.ts';

const dayMs = 86_400_000;
/** Rows that are deleted in one turn, a millisecond or two; ten thousand at once would hold up everybody. */
const rowsAtOnce = 50;

export type RetentionSettings = Pick<ResultSettings, 'keepDays' | 'maxBytes' | 'maxCount'>;

/** `kept`: the answer that was written just now, which stays whatever the limits say. */
export function overdue(index: SpillIndex, settings: RetentionSettings, now: number, kept?: string): SpillRow[] {
  index.redate(now);
  const found = new Map(index.unpinnedBefore(now - settings.keepDays * dayMs).map((row) => [row.id, row]));
  const usage = index.usage();
  let count = usage.count - found.size;
  let bytes = usage.bytes - [...found.values()].reduce((sum, row) => sum + row.bytes, 0);
  if (count > settings.maxCount || bytes > settings.maxBytes) {
    for (const row of index.unpinned()) {
      if (count <= settings.maxCount && bytes <= settings.maxBytes) break;
      if (found.has(row.id) || row.answerId === kept) continue;
      found.set(row.id, row);
      count--;
      bytes -= row.bytes;
    }
  }
  return [...found.values()].filter(({ answerId }) => answerId !== kept);
}

/** The rows first: what is no longer known is never given to anybody, and the next sweep finds the file. */
export async function removeSpills(index: SpillIndex, folder: string, rows: readonly SpillRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce);
    index.remove(some.map(({ id }) => id));
    // On Windows a file that somebody reads stays until the next sweep.
    await Promise.all(some.map(({ name }) => rm(join(folder, name), { force: true }).catch(() => undefined)));
    if (at + rowsAtOnce < rows.length) await nextTurn();
  }
}
