/**
 * Sessions of the handshake era in the database, so that another replica goes on with them when theirs is gone. A row says who has one;
 * it changes hands under its lock, and only where that replica is not there any more or has let go of it: one of several wins.
 */
import { createHash } from 'node:crypto';
import type { Sql } from 'postgres';
import { errorText } from '../../core/base/errors.ts';
import { isObject, jsonIn } from '../../core/base/json.ts';
import type { Log } from '../../core/base/log.ts';
import type { Person } from '../../core/security/owned-ids.ts';
import { isAt, type LeftSession, type SessionBook } from '../../core/sessions/http/session-book.ts';
import type { SessionPlace, SessionSeed } from '../../core/sessions/http/legacy-line.ts';
import { type Database, databaseError, type Query } from '../database/database.ts';

interface SharedSessionsParts {
  readonly database: Database;
  /** This replica. */
  readonly replica: string;
  readonly log: Pick<Log, 'warn'>;
  /** What nobody has asked for so long is over, in ms. */
  readonly idleMs: () => number;
}

/** Whose a session is now. */
export type Holding = { readonly by: 'us' } | { readonly by: 'other'; readonly replica: string };

/** How often is written down which sessions were heard of, in ms: what it costs must not go with the calls. */
const noteMs = 60_000;
const mostAtOnce = 1_000;

export class SharedSessions implements SessionBook {
  readonly #parts: SharedSessionsParts;
  /** Of those that are this replica's. */
  readonly #persons = new Map<string, Person>();
  /** Those of them that stand in the database. */
  readonly #written = new Set<string>();
  /** Taken over, and not opened yet. */
  readonly #claimed = new Map<string, LeftSession>();
  readonly #heard = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: SharedSessionsParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.note(), noteMs).unref();
  }

  /** Whose the session will be that is opened under this id. */
  expect(id: string, person: Person): void {
    this.#persons.set(id, person);
  }

  async opened(seed: SessionSeed): Promise<void> {
    const { replica } = this.#parts;
    const { tenant, user } = this.#personOf(seed.id);
    const { id, ...kept } = seed;
    const row = { tenant, id: keyOf(id), person: user, seed: JSON.stringify(kept), owner: replica };
    try {
      await this.#of(tenant)`INSERT INTO tooltray.sessions ${this.#of(tenant)(row)}`;
      this.#written.add(id);
    } catch (error) {
      this.#persons.delete(id);
      throw databaseError(error);
    }
  }

  async ended({ id }: SessionSeed): Promise<void> {
    const person = this.#persons.get(id);
    this.#forget(id);
    if (person === undefined) return;
    const sql = this.#of(person.tenant);
    try {
      await sql`
        DELETE FROM tooltray.sessions
        WHERE tenant = ${person.tenant} AND id = ${keyOf(id)} AND owner = ${this.#parts.replica}`;
    } catch (error) {
      // Its app may go on with what it has ended, and nobody else.
      this.#parts.log.warn(`The end of a session was not written down: ${errorText(error)}`);
    }
  }

  /** Whether it was taken over, and is about to be opened. */
  isClaimed(id: string): boolean {
    return this.#claimed.has(id);
  }

  /** Takes it over where nobody has it. undefined: there is none of this person. Rejects with AppError store_unreachable. */
  async claim(id: string, person: Person): Promise<Holding | undefined> {
    try {
      return await this.#of(person.tenant).begin((sql) => this.#claim(sql, id, person));
    } catch (error) {
      throw databaseError(error);
    }
  }

  async take(id: string, place: SessionPlace): Promise<LeftSession | undefined> {
    const left = this.#claimed.get(id);
    if (left === undefined || !isAt(place, left)) return undefined;
    this.#claimed.delete(id);
    return left;
  }

  forget(): void {
    // Whoever comes with a token that is over is not let in, so that nobody takes these up.
  }

  async leave(sessions: readonly LeftSession[]): Promise<void> {
    const byTenant = new Map<string, LeftSession[]>();
    for (const session of sessions) {
      const tenant = this.#persons.get(session.id)?.tenant;
      if (tenant !== undefined) byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), session]);
    }
    for (const [tenant, own] of byTenant) await this.#leave(tenant, own);
  }

  /** One of this replica's was asked something. */
  heard(id: string): void {
    if (this.#persons.has(id)) this.#heard.add(id);
  }

  /** Writes down which were heard of since, and does away with what is over. */
  async note(): Promise<void> {
    const heard = [...this.#heard];
    this.#heard.clear();
    for (const tenant of new Set([...this.#persons.values()].map((person) => person.tenant))) {
      const keys = heard.filter((id) => this.#persons.get(id)?.tenant === tenant).map(keyOf);
      await this.#note(tenant, keys).catch((error: unknown) =>
        this.#parts.log.warn(`Which sessions are in use was not written down: ${errorText(error)}`),
      );
    }
  }

  /** Those that other replicas have taken over, while this one could not say that it was there. */
  async lost(): Promise<ReadonlySet<string>> {
    const lost = new Set<string>();
    // One that is written meanwhile is not among those that are read.
    const written = [...this.#written];
    for (const tenant of new Set([...this.#persons.values()].map((person) => person.tenant))) {
      const sql = this.#of(tenant);
      const rows = await sql<{ id: string }[]>`
        SELECT id FROM tooltray.sessions WHERE tenant = ${tenant} AND owner = ${this.#parts.replica}`;
      const ours = new Set(rows.map(({ id }) => id));
      for (const id of written) if (this.#persons.get(id)?.tenant === tenant && !ours.has(keyOf(id))) lost.add(id);
    }
    return lost;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #claim(sql: Query, id: string, person: Person): Promise<Holding | undefined> {
    const { replica } = this.#parts;
    const key = keyOf(id);
    // Locked first: who comes second sees in a statement of its own what the first one has written.
    const [row] = await sql<{ owner: string | null }[]>`
      SELECT owner FROM tooltray.sessions WHERE tenant = ${person.tenant} AND id = ${key} AND person = ${person.user} FOR UPDATE`;
    if (row === undefined) return undefined;
    const [mine] = await sql<{ seed: string; silent: number }[]>`
      UPDATE tooltray.sessions SET owner = ${replica}
      WHERE tenant = ${person.tenant} AND id = ${key} AND (owner IS NULL OR owner = ${replica} OR NOT EXISTS (
        SELECT FROM tooltray.replicas WHERE replicas.id = owner AND until > now()
      ))
      RETURNING seed, extract(epoch FROM now() - seen)::float8 * 1000 AS silent`;
    if (mine === undefined) return row.owner === null ? undefined : { by: 'other', replica: row.owner };
    const seed = jsonIn(mine.seed);
    if (!isObject(seed)) return undefined;
    this.#persons.set(id, person);
    this.#written.add(id);
    this.#claimed.set(id, { ...(seed as unknown as SessionSeed), id, seenAt: Date.now() - mine.silent });
    return { by: 'us' };
  }

  async #leave(tenant: string, sessions: readonly LeftSession[]): Promise<void> {
    const sql = this.#of(tenant);
    try {
      for (let at = 0; at < sessions.length; at += mostAtOnce) {
        const some = sessions.slice(at, at + mostAtOnce);
        const keys = some.map(({ id }) => keyOf(id));
        // As long ago as we know it: the clocks of this computer and of the database may differ.
        const silent = some.map(({ seenAt }) => Math.max(0, Date.now() - seenAt));
        await sql`
          UPDATE tooltray.sessions SET owner = NULL, seen = now() - left_one.silent * interval '1 ms'
          FROM unnest(${keys}::text[], ${silent}::float8[]) AS left_one (id, silent)
          WHERE sessions.tenant = ${tenant} AND sessions.id = left_one.id AND owner = ${this.#parts.replica}`;
      }
    } catch (error) {
      // They can be had when this replica's lease is over.
      this.#parts.log.warn(`Sessions could not be handed over: ${errorText(error)}`);
    }
    for (const { id } of sessions) this.#forget(id);
  }

  async #note(tenant: string, keys: readonly string[]): Promise<void> {
    const sql = this.#of(tenant);
    for (let at = 0; at < keys.length; at += mostAtOnce)
      await sql`UPDATE tooltray.sessions SET seen = now() WHERE tenant = ${tenant} AND id = ANY(${keys.slice(at, at + mostAtOnce)}::text[])`;
    await sql`
      DELETE FROM tooltray.sessions WHERE tenant = ${tenant} AND seen < now() - ${this.#parts.idleMs()} * interval '1 ms'
        AND NOT EXISTS (SELECT FROM tooltray.replicas WHERE replicas.id = owner AND until > now())`;
  }

  #forget(id: string): void {
    this.#persons.delete(id);
    this.#written.delete(id);
    this.#claimed.delete(id);
    this.#heard.delete(id);
  }

  #personOf(id: string): Person {
    const person = this.#persons.get(id);
    if (person === undefined) throw new Error('A session was opened that nobody is known to have.');
    return person;
  }

  #of(tenant: string): Sql {
    return this.#parts.database.of(tenant);
  }
}

/** The id itself opens the session, and stands nowhere. */
function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
