/**
 * Makes room among a team's kept answers and takes away what was left over: one of its replicas at a time, by a lease in
 * the database. A row is taken from readers first, then the bytes go, then the row, so that whatever is interrupted is found again.
 */
import { errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import type { ResultSettings } from '../../core/config/app-config.ts';
import type { Pruned } from '../../core/spills/spill-room.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { AnswerRows, LeavingAnswer } from './answer-rows.ts';

interface UpkeepOptions {
  readonly tenant: string;
  readonly rows: AnswerRows;
  readonly cache: AnswerCache;
  /** undefined: nothing was ever spilled by this replica, and it deletes nothing. */
  readonly bytes: AnswerBytes | undefined;
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
  #tendedAt = -Infinity;
  #isStopped = false;
  #tending: Promise<unknown> = Promise.resolve();
  readonly #working = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#behind(() => this.#everyHour()), everyMs).unref();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.allSettled(this.#working);
  }

  /** Behind the answer that was kept just now. */
  afterKeep(answerId: string): void {
    const now = performance.now();
    if (this.#isStopped || now - this.#tendedAt < afterKeepMs) return;
    this.#tendedAt = now;
    this.#behind(() => this.tend(answerId));
  }

  /** Answers what was too old or too much; nothing where another replica does it now. Rejects with AppError. */
  tend(except?: string): Promise<Pruned> {
    // What is under way here already may have begun before there was something to delete.
    const tending = this.#tending.then(() => this.#tend(except));
    this.#tending = tending.catch(() => undefined);
    return tending;
  }

  async #tend(except: string | undefined): Promise<Pruned> {
    const { bytes, rows, settings, now } = this.#options;
    if (bytes === undefined) return { removed: 0, bytes: 0 };
    const done = await rows.claim(leaseSeconds);
    if (done === undefined) return { removed: 0, bytes: 0 };
    try {
      const { keepDays, maxBytes, maxCount } = settings();
      const before = Math.trunc(now()) - keepDays * dayMs;
      const overdue = await rows.leaveOverdue({ before, maxBytes, maxCount, except });
      await this.takeAway(overdue);
      await this.takeAway(await rows.leftOver(leftOverSeconds));
      return { removed: overdue.length, bytes: overdue.reduce((sum, { bytes }) => sum + bytes, 0) };
    } finally {
      await done().catch((error: unknown) => this.#warn(error));
    }
  }

  /** Of answers that nobody reads any more: their bytes, then their rows. What cannot be deleted now is left over, and found later. */
  async takeAway(answers: readonly LeavingAnswer[]): Promise<void> {
    const { tenant, rows, cache, bytes, onRemoved } = this.#options;
    if (answers.length === 0 || bytes === undefined) return;
    onRemoved();
    await cache.drop(answers.map(({ id }) => id));
    for (let at = 0; at < answers.length; at += removedAtOnce) {
      const some = answers.slice(at, at + removedAtOnce);
      const gone = await Promise.all(
        some.map(async ({ id }) =>
          bytes.remove({ tenant, id }, AbortSignal.timeout(removeMs)).then(
            () => [id],
            (error: unknown) => {
              this.#warn(error);
              return [];
            },
          ),
        ),
      );
      await rows.forget(gone.flat()).catch((error: unknown) => this.#warn(error));
    }
  }

  async #everyHour(): Promise<void> {
    await this.#options.cache.tidy();
    await this.tend();
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
