/** Users from the issuer: created at their first sign-in, and updated from later claims. */
import { randomBytes } from 'node:crypto';
import type { ISql, Sql } from 'postgres';
import { notifyChange } from '../database/change-feed.ts';
import { databaseError } from '../database/database.ts';
import type { Identity } from '../oidc/read-claims.ts';
import { usersTopic, type User, userColumns } from './user-store.ts';
import { mixesScripts, nameKey } from './names.ts';
import { routingKey } from './routing-key.ts';

/** `how`: `new` once for each user. */
export interface Provisioned {
  readonly user: User;
  readonly how: 'known' | 'new';
}

export interface IssuedPeopleOptions {
  /** Whether users who were not added before may sign in. */
  readonly takesNew: boolean;
}

export class OidcUsers {
  readonly #sql: Sql;
  readonly #options: IssuedPeopleOptions;

  constructor(sql: Sql, options: IssuedPeopleOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /**
   * Resolves to undefined if the identity is not a user of the team. Suspended users are returned, too. Rejects with
   * AppError `store_unreachable`.
   */
  async provision(identity: Identity): Promise<Provisioned | undefined> {
    try {
      const known = await this.#bySubject(this.#sql, identity);
      if (known !== undefined) return { user: await this.#asSaid(known.user, known.issued, identity), how: 'known' };
      return await this.#first(identity);
    } catch (error) {
      throw databaseError(error);
    }
  }

  async #bySubject(
    sql: ISql,
    { issuer, subject }: Identity,
  ): Promise<{ readonly user: User; readonly issued: readonly string[] } | undefined> {
    const [found] = await sql<(User & { issued: string[] })[]>`
      SELECT ${userColumns(sql)}, issued_groups AS issued FROM tooltray.users
      WHERE issuer = ${issuer} AND subject = ${subject}`;
    if (found === undefined) return undefined;
    const { issued, ...user } = found;
    return { user, issued };
  }

  /** Ignores older claims than the stored ones: an old and a new token may both be in use. */
  async #asSaid(
    user: User,
    issued: readonly string[],
    { groups = issued, role = user.role, saidAt }: Identity,
  ): Promise<User> {
    if (role === user.role && groups.join('\n') === [...issued].sort().join('\n')) return user;
    return this.#sql.begin(async (sql) => {
      const [changed] = await sql<User[]>`
        UPDATE tooltray.users SET issued_groups = ${[...groups]}, role = ${role}, claims_at = ${new Date(saidAt)}
        WHERE id = ${user.id} AND coalesce(claims_at, '-infinity') < ${new Date(saidAt)}
        RETURNING ${userColumns(sql)}`;
      if (changed !== undefined) await notifyChange(sql, usersTopic, user.id);
      return changed ?? user;
    });
  }

  async #first(identity: Identity): Promise<Provisioned | undefined> {
    return this.#sql.begin(async (sql) => {
      const admitted = this.#options.takesNew ? await this.#make(sql, identity) : undefined;
      if (admitted !== undefined) await notifyChange(sql, usersTopic, admitted.user.id);
      return admitted;
    });
  }

  async #make(sql: ISql, identity: Identity): Promise<Provisioned | undefined> {
    const { issuer, subject, names, email = null, groups = [], role = 'member', saidAt } = identity;
    for (const each of [...names.filter((one) => !mixesScripts(one)), `user ${randomBytes(3).toString('hex')}`]) {
      // Waits if another replica is creating the same user.
      const [made] = await sql<User[]>`
        INSERT INTO tooltray.users (id, name, name_key, email, role, is_service, groups, issued_groups, issuer, subject, routing_key, claims_at)
        SELECT ${randomBytes(9).toString('base64url')}, ${each}, ${nameKey(each)},
          CASE WHEN EXISTS (SELECT FROM tooltray.users o WHERE lower(o.email) = lower(${email}))
            THEN NULL ELSE ${email} END,
          ${role}, false, '{}', ${[...groups]}::text[], ${issuer}, ${subject}, ${routingKey(issuer, subject)},
          ${new Date(saidAt)}
        ON CONFLICT DO NOTHING RETURNING ${userColumns(sql)}`;
      if (made !== undefined) return { user: made, how: 'new' };
      const known = await this.#bySubject(sql, identity);
      if (known !== undefined) return { user: known.user, how: 'known' };
    }
    return undefined;
  }
}
