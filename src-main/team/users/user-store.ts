/** The team's users and service accounts, and the grants of their groups. Changes are announced to every replica. */
import { randomBytes } from 'node:crypto';
import type { ISql, Sql } from 'postgres';
import { AppError } from '../../core/base/errors.ts';
import { notifyChange } from '../database/change-feed.ts';
import { databaseError } from '../database/database.ts';
import { checkName, nameKey } from './names.ts';
import { routingKey } from './routing-key.ts';

/** Notified when a user gains or loses access. */
export const usersTopic = 'people';

export type Role = 'admin' | 'member';

export interface User {
  readonly id: string;
  /** Unique name, as users write it. */
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  /** Service accounts cannot sign in. */
  readonly isService: boolean;
  /** Groups from the command line, and groups from the issuer. */
  readonly groups: readonly string[];
  readonly isSuspended: boolean;
  /** When the issuer last signed the user out: its tokens issued before are no longer valid. */
  readonly signedOutAt: Date | null;
}

export interface NewUser {
  readonly name: string;
  readonly email?: string | undefined;
  readonly role?: Role | undefined;
  readonly isService?: boolean | undefined;
  readonly groups?: readonly string[] | undefined;
  /** Identity at the team's issuer; absent if the user has personal access tokens only. */
  readonly identity?: { readonly issuer: string; readonly subject: string } | undefined;
}

export class UserStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Rejects with AppError `bad_request`, `config_conflict` if the name or the email address is taken, or
   * `store_unreachable`.
   */
  async add(user: NewUser): Promise<User> {
    const { name, email = null, role = 'member', isService = false, groups = [], identity } = user;
    checkName(name);
    const id = randomBytes(9).toString('base64url');
    const key = identity === undefined ? routingKey('', id) : routingKey(identity.issuer, identity.subject);
    const made = await this.#change(
      id,
      (sql) => sql<User[]>`
        INSERT INTO tooltray.users (id, name, name_key, email, role, is_service, groups, issuer, subject, routing_key)
        VALUES (${id}, ${name}, ${nameKey(name)}, ${email}, ${role}, ${isService}, ${[...groups]},
          ${identity?.issuer ?? null}, ${identity?.subject ?? null}, ${key})
        RETURNING ${userColumns(sql)}`,
    );
    return required(made[0], name);
  }

  /** Lists users by name. Rejects with AppError `store_unreachable`. */
  async list(): Promise<readonly User[]> {
    return this.#sql<User[]>`
      SELECT ${userColumns(this.#sql)} FROM tooltray.users ORDER BY name`.catch(rethrow);
  }

  /** Rejects with AppError `not_found` or `store_unreachable`. */
  async byName(name: string): Promise<User> {
    const [user] = await this.#sql<User[]>`
      SELECT ${userColumns(this.#sql)} FROM tooltray.users WHERE name = ${name}`.catch(rethrow);
    return required(user, name);
  }

  /** Rejects with AppError `store_unreachable`. */
  async byId(ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
    const users = await this.#sql<User[]>`
      SELECT ${userColumns(this.#sql)} FROM tooltray.users
      WHERE id = ANY(${[...new Set(ids)]})`.catch(rethrow);
    return new Map(users.map((user) => [user.id, user]));
  }

  /** Omitted fields stay unchanged. Rejects with AppError `not_found`, `config_conflict`, `store_unreachable`. */
  async change(name: string, to: Partial<Pick<User, 'role' | 'groups' | 'isSuspended'>>): Promise<User> {
    const before = await this.byName(name);
    const { role, isSuspended } = { ...before, ...to };
    const { groups } = to;
    const changed = await this.#change(
      before.id,
      (sql) => sql<User[]>`
        UPDATE tooltray.users SET role = ${role}, groups = ${groups === undefined ? sql`groups` : [...groups]},
          off_at = ${isSuspended ? sql`coalesce(off_at, now())` : null}
        WHERE id = ${before.id} RETURNING ${userColumns(sql)}`,
    );
    return required(changed[0], name);
  }

  /**
   * Grants a profile, or `everything`, to a group, in addition to its grants. Rejects with AppError `bad_request` or
   * `store_unreachable`.
   */
  async grant(group: string, profile: string): Promise<void> {
    checkName(group);
    await this.#change(
      undefined,
      (sql) => sql`
        INSERT INTO tooltray.group_grants (name, profile) VALUES (${group}, ${profile})
        ON CONFLICT DO NOTHING`,
    );
  }

  /** Revokes one grant of a group, or all of them. Rejects with AppError `store_unreachable`. */
  async ungrant(group: string, profile?: string): Promise<void> {
    await this.#change(
      undefined,
      (sql) => sql`
        DELETE FROM tooltray.group_grants WHERE name = ${group}
          ${profile === undefined ? sql`` : sql`AND profile = ${profile}`}`,
    );
  }

  /** Returns the profiles granted to each group. Rejects with AppError `store_unreachable`. */
  async grants(): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#sql<{ name: string; profiles: string[] }[]>`
      SELECT name, array_agg(profile ORDER BY profile) AS profiles FROM tooltray.group_grants GROUP BY name ORDER BY name`.catch(
      rethrow,
    );
    return new Map(rows.map(({ name, profiles }) => [name, profiles]));
  }

  /** `user` is the user concerned; undefined for all users. */
  async #change<T>(user: string | undefined, work: (sql: ISql) => Promise<T>): Promise<T> {
    return this.#sql
      .begin(async (sql) => {
        const done = await work(sql);
        await notifyChange(sql, usersTopic, user);
        return done;
      })
      .catch(rethrow) as Promise<T>;
  }
}

/** Group of all users. It grants nothing unless an administrator adds a grant. */
export const everyone = 'everyone';

/** SQL expression for the groups of a user row. */
export function allGroups(alias: string): string {
  return `ARRAY(SELECT DISTINCT unnest(${alias}.groups || ${alias}.issued_groups) ORDER BY 1)`;
}

/** The columns of a user, named as in `User`. */
export function userColumns(sql: ISql): ReturnType<ISql['unsafe']> {
  return sql.unsafe(
    `id, name, email, role, is_service AS "isService", ${allGroups('users')} AS groups, off_at IS NOT NULL AS "isSuspended", signed_out_at AS "signedOutAt"`,
  );
}

function rethrow(error: unknown): never {
  if ((error as { readonly code?: unknown }).code === '23505')
    throw new AppError('config_conflict', 'A user with this name, email address, or identity already exists.', {
      fix: '`tooltray team user list` lists the users.',
      cause: error,
    });
  throw databaseError(error);
}

function required(user: User | undefined, name: string): User {
  if (user !== undefined) return user;
  throw new AppError('not_found', `No user named ${JSON.stringify(name.slice(0, 100))}.`, {
    fix: '`tooltray team user list` lists the users.',
  });
}
