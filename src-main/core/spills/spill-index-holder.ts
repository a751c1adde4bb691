/** Opens the folder of spills and its index, and makes them consistent. */
import { readdir, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { fileBesideNewer, isCorruptError, NewerDatabaseError, moveCorruptFile } from '../base/private-database.ts';
import { extensionMediaType, kindOfExtension } from './spill-writer-messages.ts';
import { openSpillDatabase, SpillIndex, spillIndexKind } from './spill-index.ts';
import { spillTempFilePid, parseSpillFileName, type Spill } from './spill.ts';
import { isProcessRunning } from '../base/file-lock.ts';

/** Throws AppError, or errors of the file system and SQLite. */
async function openSpills(folder: string, log: Log): Promise<SpillIndex> {
  const { database, orphans } = openDatabase(join(folder, 'index.db'), log);
  const index = new SpillIndex(database, folder);
  try {
    const swept = await sweep(folder, index, orphans);
    if (swept.files + swept.rows + swept.adopted > 0) log.info('The spill store was cleaned up.', { ...swept });
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

/** Handling of files without a row in the index. */
type Orphans = 'delete' | 'adopt' | 'leave';

function openDatabase(file: string, log: Log): { database: DatabaseSync; orphans: Orphans } {
  try {
    return openOrMend(file, log);
  } catch (error) {
    if (!(error instanceof NewerDatabaseError)) throw error;
    log.warn('The index of spilled results was written by a newer version of Tooltray; a separate index is used.', {
      file,
    });
    // The other files in the folder belong to the newer index.
    return { database: openOrMend(fileBesideNewer(file, spillIndexKind), log).database, orphans: 'leave' };
  }
}

/** A damaged index is set aside; complete files are adopted by the new one. */
function openOrMend(file: string, log: Log): { database: DatabaseSync; orphans: Orphans } {
  try {
    return { database: checked(openSpillDatabase(file)), orphans: 'delete' };
  } catch (error) {
    if (!isCorruptError(error)) throw error;
    const aside = moveCorruptFile(file);
    log.warn('The spill index could not be read; it was moved aside and a new one was created.', { aside, error });
    return { database: openSpillDatabase(file), orphans: 'adopt' };
  }
}

/** Damage in the middle of the file shows only when it is read. */
function checked(database: DatabaseSync): DatabaseSync {
  try {
    database.prepare('SELECT * FROM spills').all();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

// Makes folder and index consistent after a crash: a row for every file, a file for every row.

interface Swept {
  readonly files: number;
  readonly rows: number;
  readonly adopted: number;
}

const filesAtOnce = 64;

/** Files of other programs stay. */
async function sweep(folder: string, index: SpillIndex, what: Orphans): Promise<Swept> {
  const names = await readdir(folder);
  const rows = index.all();
  const known = new Set(rows.map(({ name }) => name));
  const drafts = names.filter(isAbandoned);
  const orphans = names.filter((name) => parseSpillFileName(name) !== undefined && !known.has(name));
  await inBatches(what === 'delete' ? [...drafts, ...orphans] : drafts, (name) =>
    rm(join(folder, name), { force: true }),
  );
  const lost: string[] = [];
  await inBatches(rows, async ({ id, name, bytes }) => {
    const size = await stat(join(folder, name)).then(
      (stats) => (stats.isFile() ? stats.size : -1),
      () => -1,
    );
    if (size === bytes) return;
    // Truncated by a power failure; otherwise it would be returned as if complete.
    lost.push(id);
    if (size >= 0) await rm(join(folder, name), { force: true });
  });
  index.remove(lost);
  if (what === 'adopt') await inBatches(orphans, (name) => takeOver(folder, index, name));
  return {
    files: drafts.length + (what === 'delete' ? orphans.length : 0),
    rows: lost.length,
    adopted: what === 'adopt' ? orphans.length : 0,
  };
}

/** Whether an unfinished file is abandoned; a file with our own process id is left over from an earlier process. */
function isAbandoned(name: string): boolean {
  const writer = spillTempFilePid(name);
  if (writer === undefined) return false;
  return writer === process.pid || !isProcessRunning(writer);
}

/** Adopts a file with what its name and content reveal; other facts are lost with the old index. */
async function takeOver(folder: string, index: SpillIndex, name: string): Promise<void> {
  const parts = parseSpillFileName(name);
  const file = join(folder, name);
  const stats = await stat(file).catch(() => undefined);
  if (parts === undefined || stats === undefined || !stats.isFile()) return;
  const { id, server, tool } = parts;
  const extension = extname(name).slice(1);
  const spill: Spill = {
    id,
    answerId: id,
    file,
    server,
    tool,
    owner: '',
    sessionId: '',
    app: '',
    kind: kindOfExtension(extension) ?? 'binary',
    mimeType: extensionMediaType(extension),
    bytes: stats.size,
    tokens: Math.ceil(stats.size / 4),
    tokensEstimated: true,
    sentBytes: undefined,
    sentTokens: undefined,
    sentEstimated: false,
    lines: undefined,
    createdAt: Math.trunc(stats.mtimeMs),
    pinned: false,
    reads: 0,
    lastReadAt: undefined,
  };
  index.insert([{ spill, name }]);
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += filesAtOnce) await Promise.all(items.slice(at, at + filesAtOnce).map(work));
}

/** Keeps the index of spills open, and reopens it after damage or removal of its folder. */
export class SpillIndexHolder {
  readonly #folder: string;
  readonly #log: Log;
  #index: SpillIndex | undefined;
  #opening: Promise<SpillIndex> | undefined;
  #sealed = false;

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** The index, opened if needed. Opening is retried at the next call, because the disk may be back. */
  open(): Promise<SpillIndex> {
    if (this.#sealed)
      return Promise.reject(new AppError('spill_failed', 'Tooltray is shutting down; no more results are stored.'));
    this.#opening ??= openSpills(this.#folder, this.#log).then(
      (index) => (this.#index = index),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /** Undefined if there is no index, or if it cannot be queried now. */
  use<T>(work: (index: SpillIndex) => T): T | undefined {
    try {
      return this.#index === undefined ? undefined : work(this.#index);
    } catch (error) {
      this.#log.warn('The spill index could not be used.', { error });
      return undefined;
    }
  }

  get current(): SpillIndex | undefined {
    return this.#index;
  }

  /** The next caller reopens it. */
  reset(): void {
    try {
      this.#index?.close();
    } catch (error) {
      this.#log.debug('The spill index could not be closed.', { error });
    }
    this.#index = undefined;
    this.#opening = undefined;
  }

  /** Whether nothing is opened any more. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Opens nothing from now on; an open index stays usable until it is closed. */
  freeze(): void {
    this.#sealed = true;
  }

  /** `last`: runs before it is closed. */
  async close(last: (index: SpillIndex) => Promise<void>): Promise<void> {
    const index = await this.#opening?.catch(() => undefined);
    if (index === undefined) return;
    await last(index);
    this.#index = undefined;
    index.close();
  }
}
