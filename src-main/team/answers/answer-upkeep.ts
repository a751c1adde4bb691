/**
 * Makes room among a team's kept answers and takes away what was left over: one replica at a time for each tenant, by a lease in the
 * database. A row is taken from readers first, then the bytes go, then the row, so that whatever is interrupted is found again.
 */
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { ResultSettings } from '../../core/config/app-config.ts';
import type { Pruned } from '../../core/spills/spill-room.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { AnswerRows, BytesPlace, LeavingAnswer } from './answer-rows.ts';

interface UpkeepOptions {
  readonly rows: AnswerRows;
  readonly cache: AnswerCache;
  readonly bytes: ReadonlyMap<BytesPlace, AnswerBytes>;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  readonly now: () => number;
  readonly onRemoved: () => void;
}

const dayMs = 86_400_000;
const everyMs = 60 * 60_000;
/** After an answer was kept the tenant's are tended at most so often, by one replica, in ms. */
const afterKeepMs = 60_000;
/** A replica that tends them and dies is waited for so long, in seconds. */
const leaseSeconds = 120;
/** What is being written or deleted for so long, nobody does any more, in seconds. */
const leftOverSeconds = 60 * 60;
const removeMs = 30_000;
const removedAtOnce = 8;

export class AnswerUpkeep {
  readonly #options: UpkeepOptions;
  readonly #tendedAt = new Map<string, number>();
  readonly #tending = new Map<string, Promise<Pruned>>();
  readonly #working = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#behind(() => this.#tendAll()), everyMs).unref();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#working);
  }

  /** Behind the answer that was kept just now. */
  afterKeep(tenant: string, answerId: string): void {
    const now = performance.now();
    if (now - (this.#tendedAt.get(tenant) ?? -Infinity) < afterKeepMs) return;
    this.#tendedAt.set(tenant, now);
    this.#behind(() => this.tend(tenant, answerId));
  }

  /** Answers what was too old or too much; nothing where another replica does it now. Rejects with AppError. */
  async tend(tenant: string, except?: string): Promise<Pruned> {
    // What is under way here already may have begun before there was something to delete.
    const before = this.#tending.get(tenant);
    const tending = Promise.resolve(before)
      .catch(() => undefined)
      .then(() => this.#tend(tenant, except));
    this.#tending.set(tenant, tending);
    try {
      return await tending;
    } finally {
      if (this.#tending.get(tenant) === tending) this.#tending.delete(tenant);
    }
  }

  async #tend(tenant: string, except: string | undefined): Promise<Pruned> {
    const { rows, settings, now } = this.#options;
    const done = await rows.claim(tenant, leaseSeconds);
    if (done === undefined) return { removed: 0, bytes: 0 };
    try {
      const { keepDays, maxBytes, maxCount } = settings();
      const before = Math.trunc(now()) - keepDays * dayMs;
      const overdue = await rows.leaveOverdue(tenant, { before, maxBytes, maxCount, except });
      await this.takeAway(tenant, overdue);
      await this.takeAway(tenant, await rows.leftOver(tenant, leftOverSeconds));
      return { removed: overdue.length, bytes: overdue.reduce((sum, { bytes }) => sum + bytes, 0) };
    } finally {
      await done().catch((error: unknown) => this.#warn(error));
    }
  }

  /** Of answers that nobody reads any more: their bytes, then their rows. What cannot be deleted now is left over, and found later. */
  async takeAway(tenant: string, answers: readonly LeavingAnswer[]): Promise<void> {
    const { rows, cache, bytes, onRemoved } = this.#options;
    if (answers.length === 0) return;
    onRemoved();
    await cache.drop(answers.map(({ id }) => id));
    for (let at = 0; at < answers.length; at += removedAtOnce) {
      const some = answers.slice(at, at + removedAtOnce);
      const gone = await Promise.all(
        some.map(async ({ id, place }) => {
          const where = bytes.get(place);
          if (where === undefined) return [];
          return where.remove({ tenant, id }, AbortSignal.timeout(removeMs)).then(
            () => [id],
            (error: unknown) => {
              this.#warn(error);
              return [];
            },
          );
        }),
      );
      await rows.forget(tenant, gone.flat()).catch((error: unknown) => this.#warn(error));
    }
  }

  async #tendAll(): Promise<void> {
    await this.#options.cache.tidy();
    for (const tenant of await this.#options.rows.tenants()) await this.tend(tenant);
  }

  #behind(work: () => Promise<unknown>): void {
    const working = work().catch((error: unknown) => this.#warn(error));
    this.#working.add(working);
    void working.finally(() => this.#working.delete(working));
  }

  #warn(error: unknown): void {
    this.#options.log.warn(`Old kept answers could not be deleted: ${errorText(error)}.`, { error });
  }
}
