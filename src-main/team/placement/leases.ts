/**
 * The right to run one person's process of a server: a row in the database with an end, put off again and again. Who has it counts from
 * before they asked, by a clock that only goes forward, and ends the process while it is still theirs; so no clock of anybody's, and no
 * pause of theirs, lets two run.
 */
import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';
import { count } from '../../core/base/wording.ts';
import type { Person } from '../../core/servers/personal-lines.ts';
import { databaseError, type Query } from '../database/database.ts';
import type { Hold } from './personal-runner.ts';

export interface LeasesOptions {
  /** A tenant's own. */
  readonly sql: (tenant: string) => Sql;
  /** Which replica this is, for those who find a process here. */
  readonly runner: string;
  readonly limits: () => LeaseLimits;
}

export interface LeaseLimits {
  readonly leaseMs: number;
  /** Of one person, wherever they are. */
  readonly mostPerPerson: number;
}

/** What of a lease is kept for ending the process. */
const endingPart = 0.2;

export class Leases {
  readonly #options: LeasesOptions;
  #refused = 0;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** Processes that were not begun because their person has as many as there may be. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Rejects with AppError server_starting, whose data names the `runner` that has it, server_not_started where the person has too many,
   * or store_unreachable.
   */
  async hold(person: Person, server: string): Promise<Hold> {
    const { leaseMs, mostPerPerson } = this.#options.limits();
    const sql = this.#options.sql(person.tenant);
    const token = randomUUID();
    const asked = performance.now();
    const taken = await sql.begin((work) => this.#take(work, person, server, token)).catch(rethrow);
    if (taken === 'ours') return new Lease({ sql, token, leaseMs }, asked);
    if (taken.kind === 'held') throw heldElsewhere(server, taken.runner);
    this.#refused++;
    throw tooMany(server, taken.servers, mostPerPerson);
  }

  async #take(sql: Query, person: Person, server: string, token: string): Promise<Taken> {
    const { runner, limits } = this.#options;
    const { leaseMs, mostPerPerson } = limits();
    const { tenant, user } = person;
    // Two that begin at once would each find room for the last one.
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`personal ${JSON.stringify([tenant, user])}`}, 0))`;
    const running = await sql<{ server: string; runner: string }[]>`
      SELECT server, runner FROM tooltray.personal_leases
      WHERE tenant = ${tenant} AND person = ${user} AND until > clock_timestamp() ORDER BY server`;
    const held = running.find((one) => one.server === server);
    if (held !== undefined) return { kind: 'held', runner: held.runner };
    if (running.length >= mostPerPerson) return { kind: 'too many', servers: running.map((one) => one.server) };
    await sql`
      INSERT INTO tooltray.personal_leases (tenant, person, server, runner, token, until)
      VALUES (${tenant}, ${user}, ${server}, ${runner}, ${token}, clock_timestamp() + ${leaseMs} * interval '1 ms')
      ON CONFLICT (tenant, person, server) DO UPDATE
      SET runner = EXCLUDED.runner, token = EXCLUDED.token, until = EXCLUDED.until`;
    return 'ours';
  }
}

type Taken =
  | 'ours'
  | { readonly kind: 'held'; readonly runner: string }
  | { readonly kind: 'too many'; readonly servers: readonly string[] };

interface LeaseOptions {
  readonly sql: Sql;
  readonly token: string;
  readonly leaseMs: number;
}

class Lease implements Hold {
  readonly #options: LeaseOptions;
  readonly #over = new AbortController();
  /** By our own clock; before the database's end. */
  #until = 0;
  #timer: NodeJS.Timeout | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #released = false;
  #onRenewed: (ms: number) => void = () => undefined;

  constructor(options: LeaseOptions, asked: number) {
    this.#options = options;
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
    const { sql, token } = this.#options;
    // Else it ends by itself.
    await sql`DELETE FROM tooltray.personal_leases WHERE token = ${token}`.catch(() => undefined);
  }

  #extend(asked: number): void {
    const { leaseMs } = this.#options;
    this.#until = asked + leaseMs * (1 - endingPart);
    clearTimeout(this.#timer);
    const left = this.#until - performance.now();
    this.#timer = setTimeout(() => this.#end(), Math.max(0, left));
    this.#onRenewed(left);
  }

  #renewSoon(ms: number): void {
    this.#renewing = setTimeout(() => void this.#renew(), ms);
  }

  async #renew(): Promise<void> {
    const { sql, token, leaseMs } = this.#options;
    const asked = performance.now();
    try {
      const [kept] = await sql`
        UPDATE tooltray.personal_leases SET until = clock_timestamp() + ${leaseMs} * interval '1 ms'
        WHERE token = ${token} AND until > clock_timestamp() RETURNING token`;
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

function heldElsewhere(server: string, runner: string): AppError {
  return new AppError(
    'server_starting',
    `${server} still runs for this person on another runner, or has just ended there.`,
    { fix: 'Try again in a few seconds.', data: { runner } },
  );
}

function tooMany(server: string, running: readonly string[], most: number): AppError {
  return new AppError(
    'server_not_started',
    `${server} did not start: you have ${running.join(', ')} running, and ${count(most, 'server')} at a time is the limit (personal.perPerson).`,
    { fix: 'They end when they are not used for a while: try again then.' },
  );
}

function rethrow(error: unknown): never {
  throw databaseError(error);
}
