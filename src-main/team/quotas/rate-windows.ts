/**
 * Counts of windows of time (a minute, an hour, a day of UTC), for all replicas together. A replica takes a sixteenth
 * of what is left at a time, by one statement that says how much it got, and gives back what it does not use: so what
 * was taken was counted before it is used, and no row is asked for by each call. When a window ends the database's
 * clock says; of ours only how long ago it was asked.
 */
import type { Sql } from 'postgres';
import { rethrowDatabaseError } from '../database/database.ts';

/** One count: `key` says of what quota, and whose. */
export interface Window {
  readonly key: string;
  readonly limit: number;
  readonly lengthMs: number;
}

/** Nothing is left of it; times in ms from now. */
export interface WindowExhausted {
  readonly leftMs: number;
}

/** One of it, of the window that began then. */
interface One {
  readonly starts: string;
}

interface Share {
  left: number;
  /** Start of the window, in the database's format. */
  readonly starts: string;
  /** Expiry of the window on the monotonic clock. */
  readonly endsAt: number;
  usedAt: number;
}

interface Known {
  share: Share | undefined;
  /** It was used up when it was asked for last; others may give something back. */
  none: (WindowExhausted & { readonly until: number; readonly endsAt: number }) | undefined;
  asking: Promise<void> | undefined;
}

interface Taken {
  readonly starts: string;
  readonly granted: number;
  readonly left_ms: number;
}

interface Used {
  readonly starts: string;
  readonly used: number;
  readonly left_ms: number;
}

/** Sum over all replicas, as of `at`. */
interface Sum {
  readonly starts: string;
  readonly used: number;
  readonly endsAt: number;
  readonly at: number;
}

/** A replica takes one part in so many of what is left. */
const sharesPerWindow = 16;
/** Interval after which an unused share is returned and a used-up one is requested again, in ms. */
const backoffMs = 1_000;
const retryAfterMs = 250;
/** A sum is asked for again after this, in ms. */
const refreshMs = 1_000;
/** Counts that nobody used for so long are forgotten, here and in the database. */
const rowRetention = '2 days';

export class RateWindows {
  readonly #sql: Sql;
  readonly #known = new Map<string, Known>();
  readonly #sums = new Map<string, Sum>();
  /** Amounts being written to the database, by key. */
  readonly #unwritten = new Map<string, number>();
  readonly #backoffUntil: NodeJS.Timeout;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#backoffUntil = setInterval(() => void this.#backOff(performance.now() - backoffMs), backoffMs / 2).unref();
  }

  /** One of it, or that there is none left. Rejects with AppError store_unreachable. */
  async take(window: Window): Promise<WindowExhausted | One> {
    const known = this.#known.get(window.key) ?? { share: undefined, none: undefined, asking: undefined };
    this.#known.set(window.key, known);
    for (;;) {
      const now = performance.now();
      const { share, none } = known;
      if (share !== undefined && share.left > 0 && now < share.endsAt) {
        share.left--;
        share.usedAt = now;
        return share;
      }
      if (none !== undefined && now < none.until) return { leftMs: Math.max(0, none.endsAt - now) };
      known.asking ??= this.#ask(window, known).finally(() => (known.asking = undefined));
      await known.asking;
    }
  }

  /** One that was taken is not used after all. */
  refund({ key }: Window, { starts }: One): void {
    const share = this.#known.get(key)?.share;
    // One of a window that is over counts in no other.
    if (share?.starts === starts) share.left++;
  }

  /**
   * Whether a sum has reached its limit, as it was known within the last second. Rejects with AppError
   * store_unreachable.
   */
  async isFull({ key, limit, lengthMs }: Window): Promise<WindowExhausted | undefined> {
    const now = performance.now();
    let sum = this.#sums.get(key);
    if (sum === undefined || now >= sum.endsAt || now - sum.at > refreshMs) sum = await this.#addTo(key, lengthMs, 0);
    return sum.used + (this.#unwritten.get(key) ?? 0) < limit
      ? undefined
      : { leftMs: Math.max(0, sum.endsAt - performance.now()) };
  }

  /** Rejects with AppError store_unreachable. */
  async add({ key, lengthMs }: Window, amount: number): Promise<void> {
    this.#wait(key, amount);
    try {
      await this.#addTo(key, lengthMs, amount);
    } finally {
      this.#wait(key, -amount);
    }
  }

  #wait(key: string, amount: number): void {
    const all = (this.#unwritten.get(key) ?? 0) + amount;
    if (all === 0) this.#unwritten.delete(key);
    else this.#unwritten.set(key, all);
  }

  async close(): Promise<void> {
    clearInterval(this.#backoffUntil);
    await this.#backOff(Infinity);
  }

  /** Forgets what nobody counts any more. Rejects with AppError store_unreachable. */
  async sweep(): Promise<void> {
    await this.#sql`
      DELETE FROM tooltray.quota_windows
      WHERE starts < extract(epoch FROM now() - ${rowRetention}::interval) * 1000
    `.catch(rethrowDatabaseError);
  }

  async #ask({ key, limit, lengthMs }: Window, known: Known): Promise<void> {
    const asked = performance.now();
    const sql = this.#sql;
    const [taken] = await sql<Taken[]>`
      INSERT INTO tooltray.quota_windows AS q (key, starts, used, granted)
      VALUES (${key}, ${this.#start(lengthMs)}, ${grantOf(limit, 0)}, ${grantOf(limit, 0)})
      ON CONFLICT (key) DO UPDATE SET
        starts = greatest(q.starts, excluded.starts),
        granted = ${this.#grant(limit)},
        used = CASE WHEN q.starts < excluded.starts THEN 0 ELSE q.used END + ${this.#grant(limit)}
      RETURNING starts::text, granted::float8, ${this.#left(lengthMs)} AS left_ms`.catch(rethrowDatabaseError);
    if (taken === undefined) return;
    const endsAt = asked + taken.left_ms;
    const now = performance.now();
    if (taken.granted === 0) {
      known.none = { leftMs: 0, endsAt, until: Math.min(endsAt, now + retryAfterMs) };
      return;
    }
    const { share } = known;
    // What was given back while this was asked for is of the same window.
    const rest = share?.starts === taken.starts ? share.left : 0;
    known.share = { left: taken.granted + rest, starts: taken.starts, endsAt, usedAt: now };
    known.none = undefined;
  }

  async #addTo(key: string, lengthMs: number, amount: number): Promise<Sum> {
    const at = performance.now();
    const [row] = await this.#sql<Used[]>`
      INSERT INTO tooltray.quota_windows AS q (key, starts, used, granted)
      VALUES (${key}, ${this.#start(lengthMs)}, ${amount}, 0)
      ON CONFLICT (key) DO UPDATE SET
        starts = greatest(q.starts, excluded.starts),
        used = CASE WHEN q.starts < excluded.starts THEN 0 ELSE q.used END + excluded.used
      RETURNING starts::text, used::float8, ${this.#left(lengthMs)} AS left_ms`.catch(rethrowDatabaseError);
    const { starts = '', used = 0, left_ms: leftMs = 0 } = row ?? {};
    // Of two that are under way at once, the one that was counted first may be heard last.
    const known = this.#sums.get(key);
    const most = known?.starts === starts ? Math.max(used, known.used) : used;
    const sum = { starts, used: most, endsAt: at + leftMs, at };
    this.#sums.set(key, sum);
    return sum;
  }

  /** When the window of now began, in ms since 1970. */
  #start(lengthMs: number) {
    return this.#sql`(floor(extract(epoch FROM clock_timestamp()) * 1000 / ${lengthMs}::bigint) * ${lengthMs}::bigint)::bigint`;
  }

  #left(lengthMs: number) {
    return this.#sql`(starts + ${lengthMs}::bigint - extract(epoch FROM clock_timestamp()) * 1000)::float8`;
  }

  /** Never more than is left, also where the limit was lowered meanwhile. */
  #grant(limit: number) {
    return this.#sql`CASE WHEN q.starts < excluded.starts THEN excluded.granted
      ELSE least(greatest(${limit}::bigint - q.used, 0), greatest(1, (${limit}::bigint - q.used) / ${sharesPerWindow}::bigint)) END`;
  }

  /** Gives back what was not used since then. */
  async #backOff(since: number): Promise<void> {
    const now = performance.now();
    const idle = [...this.#known].flatMap(([key, known]) => {
      const { asking, none, share } = known;
      if (asking !== undefined || (share !== undefined && share.usedAt > since && now < share.endsAt)) return [];
      if (share === undefined ? none === undefined || now >= none.until : true) this.#known.delete(key);
      return share !== undefined && share.left > 0 && now < share.endsAt ? [{ key, share }] : [];
    });
    for (const [key, { endsAt }] of this.#sums) if (now >= endsAt) this.#sums.delete(key);
    const giving = idle.map(
      ({ key, share: { left, starts } }) => this.#sql`
        UPDATE tooltray.quota_windows SET used = used - ${left}
        WHERE key = ${key} AND starts = ${starts}`,
    );
    // What cannot be given back is lost to this window, and nobody gets more than there is.
    await Promise.allSettled(giving);
  }
}

function grantOf(limit: number, used: number): number {
  return Math.min(Math.max(limit - used, 0), Math.max(1, Math.floor((limit - used) / sharesPerWindow)));
}
