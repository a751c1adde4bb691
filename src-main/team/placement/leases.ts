/**
 * The right to run one person's process of a server: a row in the database with an end, put off again and again. Who has it counts from
 * before they asked, by a clock that only goes forward, and ends the process while it is still theirs; so no clock of anybody's, and no
 * pause of theirs, lets two run.
 */
import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';
import type { Person } from '../../core/servers/personal-lines.ts';
import { databaseError } from '../database/database.ts';
import type { Hold } from './personal-runner.ts';

export interface LeasesOptions {
  /** A tenant's own. */
  readonly sql: (tenant: string) => Sql;
  /** Which replica this is, for those who find a process here. */
  readonly runner: string;
  readonly leaseMs?: number;
  /** What of it is kept for ending the process. */
  readonly endingMs?: number;
}

const usualLeaseMs = 15_000;
const usualEndingMs = 3000;

export class Leases {
  readonly #options: Required<LeasesOptions>;

  constructor(options: LeasesOptions) {
    this.#options = { leaseMs: usualLeaseMs, endingMs: usualEndingMs, ...options };
  }

  /** Rejects with AppError server_starting, whose data names the `runner` that has it, or store_unreachable. */
  async hold(person: Person, server: string): Promise<Hold> {
    const { runner, leaseMs } = this.#options;
    const { tenant, user } = person;
    const sql = this.#options.sql(tenant);
    const token = randomUUID();
    const asked = performance.now();
    const [taken] = await sql`
      INSERT INTO tooltray.personal_leases (tenant, person, server, runner, token, until)
      VALUES (${tenant}, ${user}, ${server}, ${runner}, ${token}, clock_timestamp() + ${leaseMs} * interval '1 ms')
      ON CONFLICT (tenant, person, server) DO UPDATE
      SET runner = EXCLUDED.runner, token = EXCLUDED.token, until = EXCLUDED.until
      WHERE tooltray.personal_leases.until <= clock_timestamp()
      RETURNING token`.catch(rethrow);
    if (taken !== undefined) return new Lease(this.#options, sql, token, asked);
    const [held] = await sql<{ runner: string }[]>`
      SELECT runner FROM tooltray.personal_leases
      WHERE tenant = ${tenant} AND person = ${user} AND server = ${server}`.catch(rethrow);
    throw new AppError(
      'server_starting',
      `${server} still runs for this person on another runner, or has just ended there.`,
      {
        fix: 'Try again in a few seconds.',
        ...(held && { data: { runner: held.runner } }),
      },
    );
  }
}

class Lease implements Hold {
  readonly #options: Required<LeasesOptions>;
  readonly #sql: Sql;
  readonly #token: string;
  readonly #over = new AbortController();
  /** By our own clock; before the database's end. */
  #until = 0;
  #timer: NodeJS.Timeout | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #released = false;
  #onRenewed: (ms: number) => void = () => undefined;

  constructor(options: Required<LeasesOptions>, sql: Sql, token: string, asked: number) {
    this.#options = options;
    this.#sql = sql;
    this.#token = token;
    this.#extend(asked);
    this.#renewSoon(options.leaseMs / 3);
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  isOver(): boolean {
    return this.#over.signal.aborted || performance.now() >= this.#until;
  }

  /** Told now and whenever it is put off: how long the process may run from then on, in ms. */
  follow(onRenewed: (ms: number) => void): void {
    this.#onRenewed = onRenewed;
    onRenewed(this.#until - performance.now());
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#end();
    this.#released = true;
    const sql = this.#sql;
    // Else it ends by itself.
    await sql`DELETE FROM tooltray.personal_leases WHERE token = ${this.#token}`.catch(() => undefined);
  }

  #extend(asked: number): void {
    const { leaseMs, endingMs } = this.#options;
    this.#until = asked + leaseMs - endingMs;
    clearTimeout(this.#timer);
    const left = this.#until - performance.now();
    this.#timer = setTimeout(() => this.#end(), Math.max(0, left));
    this.#onRenewed(left);
  }

  #renewSoon(ms: number): void {
    this.#renewing = setTimeout(() => void this.#renew(), ms);
  }

  async #renew(): Promise<void> {
    const { leaseMs } = this.#options;
    const sql = this.#sql;
    const asked = performance.now();
    try {
      const [kept] = await sql`
        UPDATE tooltray.personal_leases SET until = clock_timestamp() + ${leaseMs} * interval '1 ms'
        WHERE token = ${this.#token} AND until > clock_timestamp() RETURNING token`;
      if (this.isOver()) return;
      if (kept === undefined) return this.#end();
      this.#extend(asked);
      this.#renewSoon(leaseMs / 3);
    } catch {
      // The database may be there again before the end.
      if (!this.isOver()) this.#renewSoon(leaseMs / 15);
    }
  }

  #end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#renewing);
    this.#over.abort();
  }
}

function rethrow(error: unknown): never {
  throw databaseError(error);
}
