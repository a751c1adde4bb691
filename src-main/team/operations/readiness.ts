/**
 * Whether a load balancer should send requests to this replica: it listens, is not draining, and its database had a
 * usable schema when it last responded. While the database is unavailable, the replica continues with cached data, so
 * it stays ready.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { AppError, errorText } from '../../core/base/errors.ts';
import { requireSchema } from '../database/migrate.ts';

/** Timeout for the database, in ms. */
const timeoutMs = 2_000;
/** Load balancers poll often, and there may be several: they share a result for this time, in ms. */
const cacheMs = 500;

export class Readiness {
  /** Whether it accepts requests. */
  isListening = false;
  isDraining = false;
  readonly #sql: Sql;
  /** The last known status of the database's schema. */
  #last: string | undefined;
  #looking: { readonly at: number; readonly why: Promise<string | undefined> } | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Why it is not ready, in a few words; undefined if it is. */
  async problem(): Promise<string | undefined> {
    if (this.isDraining) return 'ending';
    if (!this.isListening) return 'starting';
    const now = performance.now();
    if (this.#looking === undefined || now - this.#looking.at > cacheMs)
      this.#looking = { at: now, why: this.#check() };
    return this.#looking.why;
  }

  async #check(): Promise<string | undefined> {
    const looked = requireSchema(this.#sql).then(
      () => undefined,
      (error: unknown) => (isAway(error) ? this.#last : errorText(error)),
    );
    const late = Symbol('late');
    const answer = await Promise.race([looked, sleep(timeoutMs, late, { ref: false })]);
    if (typeof answer !== 'symbol') this.#last = answer;
    return this.#last;
  }
}

function isAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'store_unreachable';
}
