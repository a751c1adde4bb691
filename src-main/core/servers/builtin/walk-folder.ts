/** Goes through a folder breadth first, in the order of names, without ever following a symbolic link. */
import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwnPath, type OwnPlaces } from '../../security/own-places.ts';
import { pinFolder } from '../../security/pin-folder.ts';

export interface WalkLimits {
  /** 1: the folder's own entries only. */
  readonly depth: number;
  /** Entries looked at altogether. */
  readonly entries: number;
  /** Folders of these names are shown and not entered. */
  readonly skip?: ReadonlySet<string>;
  /** Also asks for sizes, which costs a system call per file. */
  readonly sizes?: boolean;
  readonly signal?: AbortSignal;
  /** Resolved; neither shown nor entered. */
  readonly own?: OwnPlaces | undefined;
}

export interface WalkEntry {
  /** Resolved folder and name; open it with `openReal`. */
  readonly real: string;
  /** Path below the start, with `/`. */
  readonly way: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size?: number;
}

/** What kept a walk from being complete; grows while it goes. */
export interface WalkReport {
  full: boolean;
  unreadable: number;
  readonly skipped: Set<string>;
}

export function newReport(): WalkReport {
  return { full: false, unreadable: 0, skipped: new Set() };
}

/** `start` must come from `confinePath`. Folders that cannot be read are counted in the report. */
export async function* walkFolder(start: string, limits: WalkLimits, report: WalkReport): AsyncGenerator<WalkEntry> {
  let level: { readonly real: string; readonly way: string }[] = [{ real: start, way: '' }];
  let left = limits.entries;
  const isOwn = (real: string): boolean => limits.own !== undefined && isOwnPath(limits.own, real);
  for (let depth = 1; depth <= limits.depth && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const folder of level) {
      if (isOwn(folder.real)) continue;
      limits.signal?.throwIfAborted();
      for (const entry of await readEntries(folder, left + 1, limits.sizes ?? false, report)) {
        if (left-- <= 0) {
          report.full = true;
          return;
        }
        if (isOwn(entry.real)) continue;
        yield entry;
        if (entry.kind !== 'folder') continue;
        const name = entry.way.slice(entry.way.lastIndexOf('/') + 1);
        if (limits.skip?.has(name)) report.skipped.add(name);
        else next.push(entry);
      }
    }
    level = next;
  }
}

type Folder = Pick<WalkEntry, 'real' | 'way'>;

async function readEntries(folder: Folder, most: number, sizes: boolean, report: WalkReport): Promise<WalkEntry[]> {
  try {
    await using pinned = await pinFolder(folder.real);
    const found: Dirent[] = [];
    for await (const entry of await opendir(pinned.at)) {
      if (found.push(entry) >= most) break;
    }
    // Where a folder cannot be held by its handle, its names count only if it is still the same one.
    if (pinned.at === folder.real && (await realpath(folder.real)) !== folder.real) throw new Error('replaced');
    found.sort((left, right) => (left.name < right.name ? -1 : 1));
    return await Promise.all(found.map((entry) => toEntry(folder, entry, pinned.at, sizes)));
  } catch {
    report.unreadable++;
    return [];
  }
}

async function toEntry(folder: Folder, entry: Dirent, at: string, sizes: boolean): Promise<WalkEntry> {
  const way = folder.way === '' ? entry.name : `${folder.way}/${entry.name}`;
  const base = { real: join(folder.real, entry.name), way, kind: kindOf(entry) };
  // Some file systems do not say in the listing what an entry is.
  if (base.kind !== 'other' && !(sizes && base.kind === 'file')) return base;
  const stats = await lstat(join(at, entry.name)).catch(() => undefined);
  return stats === undefined ? base : { ...base, kind: kindOf(stats), size: stats.size };
}

function kindOf(entry: Dirent | Stats): WalkEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}
