/** Deletes spills beyond age and quota, after each new one and every hour. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { SpillIndexHolder } from './spill-index-holder.ts';
import type { SpillIndex, SpillRow } from './spill-index.ts';

interface SpillQuotaOptions {
  readonly folder: string;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  readonly now: () => number;
  readonly index: SpillIndexHolder;
  readonly onRemoved: () => void;
}

export interface Pruned {
  readonly removed: number;
  readonly bytes: number;
}

const pruneEveryMs = 60 * 60_000;

export class SpillPruner {
  readonly #options: SpillQuotaOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SpillQuotaOptions) {
    this.#options = options;
  }

  /** Also prunes on a timer, because days may pass without a new spill. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#unlessItFails(() => this.prune()), pruneEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Deletes spills beyond age and quota. Rejects with errors of the file system and SQLite, or AppError
   * `spill_failed`.
   */
  async prune(): Promise<Pruned> {
    return this.#make(await this.#options.index.open());
  }

  /** Prunes after a store; never removes the new spill, even if nothing else can be deleted. Never rejects. */
  async pruneAfter(answerId: string): Promise<void> {
    const { current } = this.#options.index;
    if (current !== undefined) await this.#unlessItFails(() => this.#make(current, answerId));
  }

  async #make(index: SpillIndex, retained?: string): Promise<Pruned> {
    const { folder, settings, now, onRemoved } = this.#options;
    const rows = overdue(index, settings(), Math.trunc(now()), retained);
    if (rows.length === 0) return { removed: 0, bytes: 0 };
    await removeSpills(index, folder, rows);
    onRemoved();
    return { removed: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  async #unlessItFails(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.warn('Could not delete expired spills.', { error });
    }
  }
}

// Chooses the spills to delete: expired ones, then the oldest beyond the quota. Never pinned ones.

const dayMs = 86_400_000;
/** Rows deleted per turn, which takes a millisecond or two; ten thousand at once would block. */
const rowsAtOnce = 50;

type RetentionSettings = Pick<ResultSettings, 'retentionDays' | 'maxBytes' | 'maxCount'>;

/** `retained` is the spill that was just stored; it stays whatever the limits. */
function overdue(index: SpillIndex, settings: RetentionSettings, now: number, retained?: string): SpillRow[] {
  const found = new Map(index.unpinnedBefore(now - settings.retentionDays * dayMs, now).map((row) => [row.id, row]));
  const usage = index.usage();
  let count = usage.count - found.size;
  let bytes = usage.bytes - [...found.values()].reduce((sum, row) => sum + row.bytes, 0);
  if (count > settings.maxCount || bytes > settings.maxBytes) {
    for (const row of index.unpinned()) {
      if (count <= settings.maxCount && bytes <= settings.maxBytes) break;
      if (found.has(row.id) || row.answerId === retained) continue;
      found.set(row.id, row);
      count--;
      bytes -= row.bytes;
    }
  }
  return [...found.values()].filter(({ answerId }) => answerId !== retained);
}

/** Deletes the rows first: an unlisted file is never returned, and the next sweep finds it. */
export async function removeSpills(index: SpillIndex, folder: string, rows: readonly SpillRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const some = rows.slice(at, at + rowsAtOnce);
    index.remove(some.map(({ id }) => id));
    // On Windows a file that is being read stays until the next sweep.
    await Promise.all(some.map(({ name }) => rm(join(folder, name), { force: true }).catch(() => undefined)));
    if (at + rowsAtOnce < rows.length) await nextTurn();
  }
}

// Deletions that the user can undo briefly; pending ones are carried out at shutdown.

/** Duration in ms. */
const undoWindowMs = 10_000;

export class ScheduledDeletions {
  readonly #remove: (id: string) => Promise<unknown>;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(remove: (id: string) => Promise<unknown>) {
    this.#remove = remove;
  }

  has(id: string): boolean {
    return this.#timers.has(id);
  }

  schedule(id: string): void {
    this.cancel(id);
    this.#timers.set(id, setTimeout(() => void this.#carryOut(id), undoWindowMs).unref());
  }

  /** Returns whether there was still time. */
  cancel(id: string): boolean {
    clearTimeout(this.#timers.get(id));
    return this.#timers.delete(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#timers.keys()].map((id) => this.#carryOut(id)));
  }

  async #carryOut(id: string): Promise<void> {
    this.cancel(id);
    await this.#remove(id);
  }
}
