/**
 * Deletes a team's expired spills and leftovers of interrupted writes. Each row is marked by one statement, so that
 * only one replica deletes it: first it becomes unreadable, then its bytes are deleted, then the row. Interrupted
 * deletions are resumed later.
 */
import type { Pruned, ResultSettings } from '../../core/edition.ts';
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { BlobStore } from './blob-store.ts';
import type { SpillCache } from './spill-cache.ts';
import type { SpillTable, PendingDeletion } from './spill-table.ts';

interface SpillRetentionOptions {
  readonly rows: SpillTable;
  readonly cache: SpillCache;
  /** undefined: this replica never spills, and deletes nothing. */
  readonly bytes: BlobStore | undefined;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  readonly now: () => number;
  readonly onRemoved: () => void;
}

const dayMs = 86_400_000;
const pruneIntervalMs = 60 * 60_000;
/** After a spill was stored, a replica deletes expired ones at most this often, in ms. */
const minPruneIntervalMs = 60_000;
/** Age in seconds after which an unfinished write or deletion is an orphan. */
const orphanAgeSeconds = 60 * 60;
const deleteTimeoutMs = 30_000;
const deleteConcurrency = 8;

export class SpillRetention {
  readonly #options: SpillRetentionOptions;
  #tendedAt = -Infinity;
  #isStopped = false;
  #tending: Promise<unknown> = Promise.resolve();
  readonly #working = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SpillRetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#backlog(() => this.#everyHour()), pruneIntervalMs).unref();
  }

  /** Resolves when no work is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.allSettled(this.#working);
  }

  /** Applies the limits after a spill was stored. */
  afterStore(answerId: string): void {
    const now = performance.now();
    if (this.#isStopped || now - this.#tendedAt < minPruneIntervalMs) return;
    this.#tendedAt = now;
    this.#backlog(() => this.prune(answerId));
  }

  /** Deletes spills beyond the limits and returns their total. Rejects with AppError. */
  prune(except?: string): Promise<Pruned> {
    // A pass in progress may have started before there was something to delete.
    const tending = this.#tending.then(() => this.#tend(except));
    this.#tending = tending.catch(() => undefined);
    return tending;
  }

  async #tend(except: string | undefined): Promise<Pruned> {
    const { bytes, rows, settings, now } = this.#options;
    if (bytes === undefined) return { removed: 0, bytes: 0 };
    const { retentionDays, maxBytes, maxCount } = settings();
    const before = Math.trunc(now()) - retentionDays * dayMs;
    const overdue = await rows.markExpired({ before, maxBytes, maxCount, except });
    await this.deleteBlobs(overdue);
    await this.deleteBlobs(await rows.findOrphans(orphanAgeSeconds));
    return { removed: overdue.length, bytes: overdue.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /**
   * Deletes the bytes of evicted spills, then their rows. What cannot be deleted now becomes an orphan and is found
   * later.
   */
  async deleteBlobs(deletions: readonly PendingDeletion[]): Promise<void> {
    const { rows, cache, bytes, onRemoved } = this.#options;
    if (deletions.length === 0 || bytes === undefined) return;
    onRemoved();
    await cache.drop(deletions.map(({ id }) => id));
    for (let at = 0; at < deletions.length; at += deleteConcurrency) {
      const some = deletions.slice(at, at + deleteConcurrency);
      const gone = await Promise.all(
        some.map(async ({ id }) =>
          bytes.remove({ id }, AbortSignal.timeout(deleteTimeoutMs)).then(
            () => [id],
            (error: unknown) => {
              this.#warn(error);
              return [];
            },
          ),
        ),
      );
      await rows.deleteRow(gone.flat()).catch((error: unknown) => this.#warn(error));
    }
  }

  async #everyHour(): Promise<void> {
    await this.#options.cache.evict();
    await this.prune();
  }

  #backlog(work: () => Promise<unknown>): void {
    const working = work().catch((error: unknown) => this.#warn(error));
    this.#working.add(working);
    void working.finally(() => this.#working.delete(working));
  }

  #warn(error: unknown): void {
    this.#options.log.warn(`Could not delete expired spills: ${errorText(error)}.`, { error });
  }
}
