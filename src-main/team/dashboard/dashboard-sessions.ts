/**
 * Dashboard sessions in the team's database, valid on all replicas. They are checked at every request, so suspension,
 * sign-out, and role changes apply immediately. A browser holds its user's routing key and 256 random bits, of which
 * only the hash is stored.
 */
import { randomBytes } from 'node:crypto';
import type { ISql, Sql } from 'postgres';
import { grantOf } from '../../core/edition.ts';
import { notifyChange } from '../database/change-feed.ts';
import { rethrowDatabaseError } from '../database/database.ts';
import type { LogoutToken } from '../oidc/issuer.ts';
import { allGroups, everyone, usersTopic, type Role } from '../users/user-store.ts';
import { hashOf } from '../users/access-tokens.ts';
import type { Viewer } from './viewer.ts';

/** Maximum age of a session in ms: an active user signs in once a day. */
const maxMs = 12 * 60 * 60_000;
/** Maximum number of sessions of one user; the oldest are ended beyond it. */
const maxPerUser = 20;
/** `<routing key>.<secret>` */
const shape = /^\d{1,10}\.[\w-]{43}$/;

interface Row {
  readonly user: string;
  readonly name: string;
  readonly role: Role;
  readonly groups: readonly string[];
  readonly given: readonly string[];
}

export interface ViewerName {
  readonly id: string;
  readonly name: string;
}

export class DashboardSessions {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Returns the secret for the browser, and its lifetime in s. `tokenId`: the personal token used to sign in; the
   * session ends with it. `sid`: the session's ID at the issuer. Rejects with AppError `store_unreachable`.
   */
  async begin(
    user: string,
    { tokenId, sid }: { readonly tokenId?: string | undefined; readonly sid?: string | undefined },
  ): Promise<{ readonly secret: string; readonly seconds: number }> {
    const random = randomBytes(32).toString('base64url');
    const secret = await this.#sql
      .begin(async (sql) => {
        const [row] = await sql<{ key: string }[]>`
          SELECT routing_key AS key FROM tooltray.users WHERE id = ${user}`;
        const made = `${row?.key ?? '0'}.${random}`;
        await sql`
          INSERT INTO tooltray.page_sessions (hash, user_id, token_id, sid, expires_at)
          VALUES (${hashOf(made)}, ${user}, ${tokenId ?? null}, ${sid ?? null}, ${new Date(Date.now() + maxMs)})`;
        await sql`
          DELETE FROM tooltray.page_sessions WHERE (expires_at < now() OR hash IN (
            SELECT hash FROM tooltray.page_sessions WHERE user_id = ${user}
            ORDER BY created_at DESC OFFSET ${maxPerUser}))`;
        return made;
      })
      .catch(rethrowDatabaseError);
    return { secret, seconds: Math.floor(maxMs / 1000) };
  }

  /**
   * Whether this sign-in state is used for the first time. `until`: its expiry, in ms since 1970. Rejects with
   * AppError `store_unreachable`.
   */
  async consumeState(id: string, until: number): Promise<boolean> {
    return this.#sql.begin((sql) => isFirstUse(sql, id, until)).catch(rethrowDatabaseError);
  }

  /** undefined if it has ended or never existed. Rejects with AppError `store_unreachable`. */
  async viewer(secret: string): Promise<Viewer | undefined> {
    if (!shape.test(secret)) return undefined;
    const [row] = await this.#sql<Row[]>`
      SELECT u.id AS user, u.name, u.role, ${this.#sql.unsafe(allGroups('u'))} AS groups, ARRAY(
        SELECT DISTINCT g.profile FROM tooltray.group_grants g
        WHERE g.name = ANY(u.groups || u.issued_groups || ${everyone}::text) ORDER BY 1) AS given
      FROM tooltray.page_sessions s JOIN tooltray.users u ON u.id = s.user_id
      LEFT JOIN tooltray.user_tokens t ON t.id = s.token_id
      WHERE s.hash = ${hashOf(secret)} AND s.expires_at > now() AND u.off_at IS NULL
        AND (s.token_id IS NULL OR (t.revoked_at IS NULL AND t.expires_at > now()))`.catch(rethrowDatabaseError);
    if (row === undefined) return undefined;
    const { given, ...viewer } = row;
    return { ...viewer, grant: grantOf(given) };
  }

  /**
   * Ends a user's dashboard sessions and all tokens on every replica, as the issuer's logout token demands: personal
   * access tokens are revoked, and the issuer's are refused if issued before. Returns the users, or undefined if this
   * logout token was used before. Rejects with AppError `store_unreachable`.
   */
  async endAll(issuer: string, { jti, sub, sid, at, until }: LogoutToken): Promise<readonly ViewerName[] | undefined> {
    return this.#sql
      .begin(async (sql) => {
        if (!(await isFirstUse(sql, `logout ${jti}`, until))) return undefined;
        const users = await sql<ViewerName[]>`
          UPDATE tooltray.users u SET signed_out_at = greatest(u.signed_out_at, ${new Date(at)})
          WHERE u.issuer = ${issuer} AND ${
            sub === undefined
              ? sql`u.id IN (SELECT user_id FROM tooltray.page_sessions WHERE sid = ${sid ?? ''})`
              : sql`u.subject = ${sub}`
          }
          RETURNING u.id, u.name`;
        for (const { id } of users) {
          await sql`DELETE FROM tooltray.page_sessions WHERE user_id = ${id}`;
          await sql`UPDATE tooltray.user_tokens SET revoked_at = now() WHERE user_id = ${id} AND revoked_at IS NULL`;
          await notifyChange(sql, usersTopic, id);
        }
        return users;
      })
      .catch(rethrowDatabaseError);
  }

  /**
   * Ends the browser's session on every replica. Writes nothing if nobody is signed in. Rejects with AppError
   * `store_unreachable`.
   */
  async end(secret: string): Promise<void> {
    if (!shape.test(secret)) return;
    await this.#sql
      .begin(async (sql) => {
        const [ended] = await sql<{ user: string }[]>`
          DELETE FROM tooltray.page_sessions WHERE hash = ${hashOf(secret)}
          RETURNING user_id AS user`;
        if (ended !== undefined) await notifyChange(sql, usersTopic, ended.user);
      })
      .catch(rethrowDatabaseError);
  }
}

async function isFirstUse(sql: ISql, id: string, until: number): Promise<boolean> {
  await sql`DELETE FROM tooltray.page_visits WHERE expires_at < now() - interval '1 hour'`;
  const taken = await sql`
    INSERT INTO tooltray.page_visits (hash, expires_at) VALUES (${hashOf(id)}, ${new Date(until)})
    ON CONFLICT DO NOTHING RETURNING hash`;
  return taken.length > 0;
}
