/**
 * Sends a replica's activity log to the team's database, in batches, asynchronously. While the database is
 * unavailable, the replica's own log holds pending rows; rows dropped for lack of space are reported.
 */
import type { ActivityLog } from '../../core/edition.ts';
import { toAppError } from '../../core/base/errors.ts';
import type { Emitter } from '../../core/base/emitter.ts';
import type { Log } from '../../core/base/log.ts';
import { formatCount } from '../../core/base/text-format.ts';
import type { ActivityRows } from './activity-rows.ts';
import { type OutboxBatch, Outbox, outboxKinds } from './outbox.ts';

export interface ActivityShipperOptions {
  readonly rows: Pick<ActivityRows, 'put'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** Emitters that fire when rows may be due. */
  readonly changed: readonly Emitter[];
  readonly now?: () => number;
}

const shipIntervalMs = 1000;
/** The current hour's totals change with every result, so they are sent at this interval. */
const totalsIntervalMs = 10_000;
const batchRows = 1000;
const maxRetryDelayMs = 10_000;
/** Maximum time for the final flush, in ms. */
const closeTimeoutMs = 5000;

export class ActivityShipper {
  readonly #options: ActivityShipperOptions;
  readonly #outbox: Outbox;
  readonly #stops: readonly (() => void)[];
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #shipping: Promise<boolean> | undefined;
  #retryMs = 0;
  #sumsAt = 0;
  #isClosed = false;

  constructor(record: Pick<ActivityLog, 'ask'>, options: ActivityShipperOptions) {
    this.#outbox = new Outbox(record);
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#stops = options.changed.map((event) => event.on(() => this.#schedule(shipIntervalMs)));
    // Ships records left by a previous run.
    this.#schedule(shipIntervalMs);
  }

  /** Sends the rows that are due; `isLast`: all rows. Resolves to whether the database accepted them. Never rejects. */
  async ship(isLast = false): Promise<boolean> {
    // Records added during a write go into the next batch.
    await this.#shipping;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#shipping ??= this.#ship(isLast).finally(() => {
      this.#shipping = undefined;
    }));
  }

  /** Called after the last row is written and before the log is closed. Unsent rows remain for the next start. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const until = this.#now() + closeTimeoutMs;
    while (!(await this.ship(true)) && this.#now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    clearTimeout(this.#timer);
    const waiting = await this.#waiting();
    if (waiting > 0)
      this.#options.log.warn(
        `The database is unreachable: ${formatCount(waiting, 'row')} of activity will be sent after the next start.`,
      );
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.ship(), Math.max(delayMs, this.#retryMs)).unref();
  }

  async #ship(isLast: boolean): Promise<boolean> {
    try {
      await this.#logDropped();
      const withSums = isLast || this.#now() - this.#sumsAt >= totalsIntervalMs;
      for (const kind of outboxKinds) {
        if (kind === 'ledgerHours' && !withSums) continue;
        for (;;) {
          const lot = await this.#outbox.take(kind, batchRows, this.#now(), isLast);
          if (lot.rows.length === 0) break;
          await this.#put(lot);
          await this.#outbox.acknowledge(lot);
          if (lot.rows.length < batchRows) break;
        }
      }
      if (this.#retryMs > 0) this.#options.log.info('Activity is being sent to the database again.');
      this.#retryMs = 0;
      if (withSums) this.#sumsAt = this.#now();
      // Rows that wait for their token counts.
      if ((await this.#waiting()) > 0) this.#schedule(shipIntervalMs);
      return true;
    } catch (error) {
      if (this.#retryMs === 0) this.#options.log.warn('Could not send activity to the database.', { error });
      this.#retryMs = Math.min(maxRetryDelayMs, Math.max(shipIntervalMs, this.#retryMs * 2));
      this.#schedule(this.#retryMs);
      return false;
    }
  }

  /** A row that PostgreSQL rejects must not block the others: it is found by bisection and skipped. */
  async #put(lot: OutboxBatch): Promise<void> {
    try {
      await this.#options.rows.put(lot);
    } catch (error) {
      if (toAppError(error).code === 'store_unreachable' || !isRefused(error)) throw error;
      if (lot.rows.length === 1) {
        this.#options.log.warn('The database rejected an activity row; it was skipped.', { error });
        return;
      }
      const half = Math.ceil(lot.rows.length / 2);
      await this.#put({ ...lot, rows: lot.rows.slice(0, half) });
      await this.#put({ ...lot, rows: lot.rows.slice(half) });
    }
  }

  async #logDropped(): Promise<void> {
    const dropped = await this.#outbox.takeDropped();
    if (dropped > 0)
      this.#options.log.warn(
        `${formatCount(dropped, 'row')} of activity were dropped because the outbox was full while the database was unreachable.`,
      );
  }

  /** Zero if SQLite itself fails, which the log reports. */
  #waiting(): Promise<number> {
    return this.#outbox.pendingCount().catch(() => 0);
  }
}

/** PostgreSQL error classes 22 (data), 23 (constraints) and 54 (limits), which are permanent. */
function isRefused(error: unknown): boolean {
  return /^(22|23|54)/.test(String((error as { code?: unknown } | undefined)?.code));
}
