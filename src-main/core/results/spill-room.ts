/** Makes room for kept answers: what is too old or too much is deleted after each new one, and every hour. */
import type { Log } from '../base/log.ts';
import type { ResultSettings } from '../config/app-config.ts';
import type { SpillIndexHolder } from './spill-index-holder.ts';
import type { SpillIndex } from './spill-index.ts';
import { overdue, removeSpills } from './spill-retention.ts';

export interface SpillRoomOptions {
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

export class SpillRoom {
  readonly #options: SpillRoomOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SpillRoomOptions) {
    this.#options = options;
  }

  /** Days pass while a core runs, in which nothing may be kept that would make room. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#unlessItFails(() => this.prune()), pruneEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Deletes what is too old or too much. Rejects with what the file system and SQLite throw, or AppError spill_failed. */
  async prune(): Promise<Pruned> {
    return this.#make(await this.#options.index.opened());
  }

  /** What was kept stays kept, also where nothing else can be deleted; never rejects. */
  async makeFor(answerId: string): Promise<void> {
    const { current } = this.#options.index;
    if (current !== undefined) await this.#unlessItFails(() => this.#make(current, answerId));
  }

  async #make(index: SpillIndex, kept?: string): Promise<Pruned> {
    const { folder, settings, now, onRemoved } = this.#options;
    const rows = overdue(index, settings(), Math.trunc(now()), kept);
    if (rows.length === 0) return { removed: 0, bytes: 0 };
    await removeSpills(index, folder, rows);
    onRemoved();
    return { removed: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  async #unlessItFails(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.warn('Old kept answers could not be deleted.', { error });
    }
  }
}
