/**
 * Which replicas there are, in the database: each says again and again that it is there, and is taken for gone when it has not for a
 * while. All times are the database's, so that no replica's clock counts.
 */
import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { AppError, errorText } from '../../core/base/errors.ts';
import { Event } from '../../core/base/events.ts';
import type { Log } from '../../core/base/log.ts';
import { announce } from '../database/changes.ts';
import { databaseError } from '../database/database.ts';
import type { ReplicaRole } from './replica-role.ts';

export interface Replica {
  /** `name_tag`: another one for each life. */
  readonly id: string;
  readonly tenant: string;
  readonly role: ReplicaRole;
  /** `host:port` of its inner door. */
  readonly address: string;
  readonly version: string;
  /** It ends soon, and opens nothing new. */
  readonly isDraining: boolean;
  /** Of its config (`ConfigStore.version`). */
  readonly config: string;
}

export interface RegistryOptions {
  /** No tenant's connections. */
  readonly sql: Sql;
  /** Whose it is: others of the same database may serve other tenants. */
  readonly tenant: string;
  readonly role: ReplicaRole;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** What people call it, and balancers may go by; letters, digits and dashes. */
  readonly name: string;
  readonly version: string;
  /** Of its config as it is now. */
  readonly config: () => string;
  /** How long it is taken to be there without a word, in ms, and how often it says so. */
  readonly leaseMs?: number;
  readonly beatMs?: number;
}

/** Without another one there is a row all the same. */
interface Row {
  readonly other: string | null;
  readonly tenant: string;
  readonly role: ReplicaRole;
  readonly address: string;
  readonly version: string;
  readonly draining: boolean;
  readonly config: string;
  /** Its lease has not ended. */
  readonly holds: boolean;
  readonly now: number;
}

const usualLeaseMs = 8_000;
const usualBeatMs = 2_000;
/** Rows of replicas that are gone are kept for people to look at. */
const keptFor = '1 day';
/** Topic of `Changes`, of no tenant. */
export const replicasTopic = 'replicas';

export class ReplicaRegistry {
  readonly id: string;
  /** It could not say that it is there for longer than it is taken to be: others may have taken over what it has. */
  readonly lapsed = new Event();
  /** It has asked who else is there. */
  readonly looked = new Event();
  /** One of the others is not there any more: its id. */
  readonly gone = new Event<string>();
  readonly #options: RegistryOptions;
  readonly #leaseMs: number;
  #address = '';
  #isDraining = false;
  #others = new Map<string, Replica>();
  /** The database's clock, in ms since 1970, at a moment of ours. */
  #clock = { theirs: Date.now(), ours: performance.now() };
  #saidAt = 0;
  #isBlind = false;
  /** Until then, by `performance.now()`, the others need no lease: all of them were without a database, and say that they are there by and by. */
  #waitsUntil = 0;
  #beating: Promise<void> = Promise.resolve();
  /** Looks that were asked for in between. */
  #looking: Promise<unknown> = Promise.resolve();
  #leave = new AbortController();

  /** Throws AppError bad_request for a name that is none. */
  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? usualLeaseMs;
    this.id = `${checkedName(options.name)}_${randomInt(36 ** 6)
      .toString(36)
      .padStart(6, '0')}`;
  }

  /** Says from now on that it is there. Rejects with AppError store_unreachable. */
  async start(address: string): Promise<void> {
    this.#address = address;
    try {
      await this.#beat();
      await announce(this.#options.sql, '', replicasTopic);
    } catch (error) {
      throw databaseError(error);
    }
    this.#beating = this.#goOn();
  }

  /** From now on nothing new is to be opened here. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.refresh();
    await announce(this.#options.sql, '', replicasTopic).catch(() => undefined);
  }

  /** It is gone at once. */
  async stop(): Promise<void> {
    this.#leave.abort();
    // One that is on its way would say that it is there, after it has said that it is gone.
    await Promise.all([this.#beating, this.#looking]);
    const { sql } = this.#options;
    const gone = async (): Promise<void> => {
      await sql`DELETE FROM tooltray.replicas WHERE id = ${this.id}`;
      await announce(sql, '', replicasTopic);
    };
    // Else its lease ends by itself.
    await gone().catch(() => undefined);
  }

  /** The database's time, in ms since 1970, about. */
  get now(): number {
    return this.#clock.theirs + performance.now() - this.#clock.ours;
  }

  /** What the database last said; while it cannot be reached, and for a lease after it, that goes on. */
  isLive(id: string): boolean {
    return id === this.id || this.#others.has(id);
  }

  get others(): readonly Replica[] {
    return [...this.#others.values()];
  }

  find(id: string): Replica | undefined {
    return this.#others.get(id);
  }

  /** One that may open sessions instead of this one. */
  get another(): Replica | undefined {
    return this.#alike.find(({ role }) => role !== 'runner');
  }

  /** Ids of those that take client apps and do not end soon, this one among them where it does. */
  get lastingFronts(): readonly string[] {
    const others = this.#alike.flatMap(({ id, role }) => (role === 'runner' ? [] : id));
    return this.#isDraining || this.#options.role === 'runner' ? others : [this.id, ...others];
  }

  /** Of the same tenant, without this one: those that take client apps, also those that are about to end. */
  get otherFronts(): readonly Replica[] {
    const { tenant } = this.#options;
    return this.others.filter((other) => other.tenant === tenant && other.role !== 'runner');
  }

  /** Those that begin processes of single people, without this one. */
  get otherRunners(): readonly Replica[] {
    return this.#alike.filter(({ role }) => role !== 'front');
  }

  /** Of the same tenant, and not about to end. */
  get #alike(): readonly Replica[] {
    const { tenant } = this.#options;
    return [...this.#others.values()].filter((other) => other.tenant === tenant && !other.isDraining);
  }

  /** Whether nobody answered when the database was asked last. */
  get isBlind(): boolean {
    return this.#isBlind;
  }

  /** Asks the database now. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#leave.signal.aborted) return;
    const looking = this.#look();
    this.#looking = Promise.all([this.#looking, looking]);
    await looking;
  }

  async #look(): Promise<void> {
    try {
      await this.#beat();
    } catch (error) {
      if (!this.#isBlind) this.#options.log.warn(`The team’s database does not answer: ${errorText(error)}`);
      this.#isBlind = true;
    }
  }

  async #goOn(): Promise<void> {
    const { beatMs = usualBeatMs } = this.#options;
    const { signal } = this.#leave;
    for (;;) {
      await sleep(beatMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.refresh();
    }
  }

  /** One statement says that it is there, once it has an address, and asks who else is. */
  async #beat(): Promise<void> {
    const { config, sql, tenant, role, version } = this.#options;
    const asked = performance.now();
    const has = this.#address === '' ? '' : config();
    const wasBlind = this.#isBlind;
    const known = [...this.#others.keys()];
    const rows = await sql<Row[]>`
      WITH own AS (
        INSERT INTO tooltray.replicas (id, tenant, role, address, version, draining, config, until)
        SELECT ${this.id}, ${tenant}, ${role}, ${this.#address}, ${version}, ${this.#isDraining}, ${has},
          now() + ${this.#leaseMs} * interval '1 ms'
        WHERE ${this.#address !== ''}
        ON CONFLICT (id) DO UPDATE SET until = excluded.until, draining = excluded.draining, config = excluded.config
      ), old AS (DELETE FROM tooltray.replicas WHERE until < now() - ${keptFor}::interval)
      SELECT other.id AS other, other.tenant, other.role, other.address, other.version, other.draining, other.config,
        other.until > now() AS holds, extract(epoch FROM clock_timestamp())::float8 * 1000 AS now
      FROM (VALUES (true)) AS always LEFT JOIN tooltray.replicas other
        ON other.id <> ${this.id} AND (other.until > now() OR other.id = ANY(${known}))`;
    const answered = performance.now();
    const wasLapsed = this.#saidAt !== 0 && asked - this.#saidAt > this.#leaseMs;
    const wasAway = wasBlind || (this.#saidAt !== 0 && answered - this.#saidAt > this.#leaseMs);
    if (wasAway) this.#waitsUntil = answered + this.#leaseMs;
    if (this.#address !== '') this.#saidAt = asked;
    this.#isBlind = false;
    const [first] = rows;
    if (first !== undefined) this.#clock = { theirs: first.now, ours: (asked + answered) / 2 };
    const before = [...this.#others.keys()];
    this.#others = new Map(
      rows.flatMap(({ other, draining, holds, now: _now, ...more }) =>
        other === null || !(holds || answered < this.#waitsUntil)
          ? []
          : [[other, { id: other, ...more, isDraining: draining }]],
      ),
    );
    for (const id of before) if (!this.#others.has(id)) this.gone.emit(id);
    if (wasLapsed) this.lapsed.emit();
    this.looked.emit();
  }
}

function checkedName(name: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(name)) return name;
  throw new AppError('bad_request', `${JSON.stringify(name)} is no name of a replica.`, {
    fix: 'Use up to 40 small letters, digits and dashes.',
  });
}
