/**
 * Personal access tokens of a team: shown once, stored as hashes, restricted by a profile or to reading, with an
 * expiry.
 */
import { hash, randomBytes } from 'node:crypto';
import type { ISql, Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';
import { notifyChange } from '../database/change-feed.ts';
import { rethrowDatabaseError } from '../database/database.ts';
import { allGroups, usersTopic, type Role } from './user-store.ts';

export interface AccessToken {
  readonly id: string;
  /** Name of the owning user. */
  readonly user: string;
  /** The owner's description of the token. */
  readonly label: string;
  readonly profile: string | null;
  readonly readOnly: boolean;
  readonly createdAt: Date;
  /** Expiry. */
  readonly expiresAt: Date;
  /** Accurate to the minute. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface NewToken {
  /** Name of the owning user. */
  readonly user: string;
  readonly label: string;
  readonly profile?: string | undefined;
  readonly readOnly?: boolean | undefined;
  /** ms since 1970, at most 30 days from now, a year for a service account. */
  readonly expiresAt: number;
}

/** The holder of a valid token. */
export interface Bearer {
  readonly token: string;
  readonly user: string;
  readonly name: string;
  readonly role: Role;
  readonly groups: readonly string[];
  /** Whether it belongs to a service account. */
  readonly isService: boolean;
  readonly profile: string | null;
  readonly readOnly: boolean;
  readonly expiresAt: Date;
}

const clockSkewMs = 60_000;
const dayMs = 24 * 60 * 60_000;
export const maxPersonDays = 30;
const maxServiceDays = 366;
/** Maximum number of active tokens of one user. */
const maxActive = 100;
/** `tt_<routing key>_<secret>`; 43 letters of base64url are 256 random bits. */
const shape = /^tt_\d{1,10}_[\w-]{43}$/;

/** Whether it has the form of a personal access token. */
export function isPersonToken(token: string): boolean {
  return shape.test(token);
}

/** Stored and looked up instead of the token: a leaked hash yields no token, and lookup time reveals nothing. */
export function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

export class AccessTokenStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * The token itself is returned only here. Rejects with AppError `bad_request` for an invalid expiry, `not_found` for
   * an unknown user, `not_allowed` if there are too many, `store_unreachable`.
   */
  async create({
    user,
    label,
    profile,
    readOnly = false,
    expiresAt,
  }: NewToken): Promise<AccessToken & { token: string }> {
    const { key, isService } = await this.#keyOf(user);
    const now = Date.now();
    const maxDays = isService ? maxServiceDays : maxPersonDays;
    // The client's clock may be ahead.
    if (!(expiresAt > now && expiresAt - now <= maxDays * dayMs + clockSkewMs)) throw badEnd(maxDays);
    const token = `tt_${key}_${randomBytes(32).toString('base64url')}`;
    const id = randomBytes(6).toString('hex');
    const sql = this.#sql;
    const [made] = await sql<AccessToken[]>`
        WITH made AS (
          INSERT INTO tooltray.user_tokens (id, user_id, label, hash, profile, read_only, expires_at)
          SELECT ${id}, u.id, ${label}, ${hashOf(token)}, ${profile ?? null}, ${readOnly}, ${new Date(expiresAt)}
          FROM tooltray.users u WHERE u.name = ${user} AND (
            SELECT count(*) FROM tooltray.user_tokens t
            WHERE t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > now()) < ${maxActive}
          RETURNING *)
        SELECT ${shown(sql)} FROM made t, tooltray.users u WHERE u.id = t.user_id`.catch(rethrowDatabaseError);
    if (made === undefined) throw noneFor(user);
    return { ...made, token };
  }

  /** Tokens of one user, or of all; oldest first. Rejects with AppError `store_unreachable`. */
  async list(user?: string): Promise<readonly AccessToken[]> {
    const sql = this.#sql;
    return sql<AccessToken[]>`
      SELECT ${shown(sql)} FROM tooltray.user_tokens t JOIN tooltray.users u ON u.id = t.user_id ${user === undefined ? sql`` : sql`AND u.name = ${user}`}
      ORDER BY t.created_at`.catch(rethrowDatabaseError);
  }

  /** Idempotent. Rejects with AppError `not_found` or `store_unreachable`. */
  async revoke(id: string): Promise<AccessToken> {
    const revoked = await this.#sql
      .begin(async (sql) => {
        const [row] = await sql<(AccessToken & { userId: string })[]>`
          UPDATE tooltray.user_tokens t SET revoked_at = coalesce(t.revoked_at, now()) FROM tooltray.users u
          WHERE t.id = ${id} AND u.id = t.user_id
          RETURNING ${shown(sql)}, u.id AS "userId"`;
        if (row === undefined) return undefined;
        const { userId, ...token } = row;
        await notifyChange(sql, usersTopic, userId);
        return token;
      })
      .catch(rethrowDatabaseError);
    if (revoked !== undefined) return revoked;
    throw new AppError('not_found', `No token with the ID ${JSON.stringify(id.slice(0, 100))}.`, {
      fix: '`tooltray team token list` shows them.',
    });
  }

  /** undefined if it is not valid, or its owner is suspended. Rejects with AppError `store_unreachable`. */
  async authenticate(token: string): Promise<Bearer | undefined> {
    const [found] = await this.#sql<Bearer[]>`
      SELECT t.id AS token, u.id AS user, u.name, u.role, u.is_service AS "isService", ${this.#sql.unsafe(allGroups('u'))} AS groups, t.profile, t.read_only AS "readOnly", t.expires_at AS "expiresAt"
      FROM tooltray.user_tokens t JOIN tooltray.users u ON u.id = t.user_id
      WHERE t.hash = ${hashOf(token)}
        AND t.revoked_at IS NULL AND t.expires_at > now() AND u.off_at IS NULL`.catch(rethrowDatabaseError);
    return found;
  }

  /** The valid ones of these IDs. Rejects with AppError `store_unreachable`. */
  async active(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#sql<{ id: string }[]>`
      SELECT t.id FROM tooltray.user_tokens t
      WHERE t.id = ANY(${[...ids]}) AND t.revoked_at IS NULL AND t.expires_at > now()
    `.catch(rethrowDatabaseError);
    return new Set(rows.map(({ id }) => id));
  }

  /** Records that they were used now. Rejects with AppError `store_unreachable`. */
  async used(ids: readonly string[]): Promise<void> {
    await this.#sql`
      UPDATE tooltray.user_tokens SET last_used_at = now() WHERE id = ANY(${[...ids]})
    `.catch(rethrowDatabaseError);
  }

  async #keyOf(user: string): Promise<{ readonly key: string; readonly isService: boolean }> {
    const [row] = await this.#sql<{ key: string; isService: boolean }[]>`
      SELECT routing_key AS key, is_service AS "isService" FROM tooltray.users WHERE name = ${user}`.catch(
      rethrowDatabaseError,
    );
    if (row === undefined) throw noneFor(user);
    return row;
  }
}

function shown(sql: ISql): ReturnType<ISql['unsafe']> {
  return sql.unsafe(`t.id, u.name AS user, t.label, t.profile, t.read_only AS "readOnly", t.created_at AS "createdAt",
    t.expires_at AS "expiresAt", t.last_used_at AS "lastUsedAt", t.revoked_at AS "revokedAt"`);
}

function badEnd(maxDays: number): AppError {
  return new AppError('bad_request', `Tokens of this user must expire in the future, within ${maxDays} days.`, {
    fix: 'Use a duration (30d, 12h) or a date.',
  });
}

function noneFor(user: string): AppError {
  const name = JSON.stringify(user.slice(0, 100));
  return new AppError('not_found', `No user named ${name}, or the user already has ${maxActive} active tokens.`, {
    fix: '`tooltray team user list` and `tooltray team token list` show them.',
  });
}
