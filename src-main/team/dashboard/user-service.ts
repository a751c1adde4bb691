/** Users of a team and their tokens, for the dashboard: all for admins, their own for members. */
import { AppError } from '../../core/base/errors.ts';
import type { TeamAdmin } from '../admin/team-admin.ts';
import type { UserRow, AccessTokenRow, TeamMethods } from '../../rpc/contract.ts';
import type { UserStore } from '../users/user-store.ts';
import type { AccessToken, AccessTokenStore } from '../users/access-tokens.ts';
import { isAdmin, type Viewer } from './viewer.ts';

export interface UserServiceDeps {
  readonly people: UserStore;
  readonly tokens: AccessTokenStore;
  readonly admin: TeamAdmin;
}

type Answer<M extends keyof TeamMethods> = Promise<TeamMethods[M]['output']>;
type Input<M extends keyof TeamMethods> = TeamMethods[M]['input'];

/** For one viewer. All methods reject with AppError `store_unreachable`. */
export class UserService {
  readonly #parts: UserServiceDeps;
  readonly #viewer: Viewer;

  constructor(parts: UserServiceDeps, viewer: Viewer) {
    this.#parts = parts;
    this.#viewer = viewer;
  }

  async list(): Answer<'users'> {
    const [all, tokens] = await Promise.all([this.#parts.people.list(), this.#parts.tokens.list()]);
    const inForce = Map.groupBy(tokens.map(tokenRow), ({ user, state }) => (state === 'active' ? user : ''));
    return {
      users: all.map(({ name, email, role, isService, groups, isSuspended }): UserRow => ({
        name,
        email: email ?? '',
        role,
        isService,
        groups,
        isSuspended,
        tokens: inForce.get(name)?.length ?? 0,
      })),
    };
  }

  /**
   * Rejects with AppError `not_found`, or `not_allowed` for the admin's own account, so that an admin who can undo it
   * always remains.
   */
  async setSuspended({ name, isSuspended }: Input<'setUserSuspended'>): Answer<'setUserSuspended'> {
    if (name === this.#viewer.name)
      throw new AppError('not_allowed', 'You cannot suspend yourself.', { fix: 'Ask another admin.' });
    await this.#parts.admin.setSuspended(name, isSuspended);
    return {};
  }

  async tokens({ everybody = false }: Input<'accessTokens'>): Answer<'accessTokens'> {
    if (everybody && !isAdmin(this.#viewer))
      throw new AppError('not_allowed', 'Only admins can manage other users’ tokens.');
    const tokens = await this.#parts.tokens.list(everybody ? undefined : this.#viewer.name);
    return { tokens: tokens.toReversed().map(tokenRow) };
  }

  /** Rejects with AppError `bad_request` for an invalid expiry, `not_allowed` if there are too many. */
  async createToken({ label, expiresAt, readOnly }: Input<'createAccessToken'>): Answer<'createAccessToken'> {
    const { name: user } = this.#viewer;
    const { token, ...given } = await this.#parts.admin.createToken({ user, label, expiresAt, readOnly });
    return { ...tokenRow(given), token };
  }

  /** Rejects with AppError `not_found`, also for another user's token unless the viewer is an admin. */
  async revoke({ id }: Input<'revokeAccessToken'>): Answer<'revokeAccessToken'> {
    if (!isAdmin(this.#viewer)) {
      const own = await this.#parts.tokens.list(this.#viewer.name);
      if (!own.some((token) => token.id === id))
        throw new AppError('not_found', 'Token not found.', { fix: 'It may have been revoked. Reload the list.' });
    }
    return tokenRow(await this.#parts.admin.revokeToken(id));
  }
}

function tokenRow(token: AccessToken): AccessTokenRow {
  const { id, user, label, profile, readOnly, createdAt, expiresAt, lastUsedAt, revokedAt } = token;
  const isOver = expiresAt.getTime() <= Date.now();
  return {
    id,
    user,
    label,
    profile: profile ?? '',
    readOnly,
    createdAt: createdAt.getTime(),
    expiresAt: expiresAt.getTime(),
    lastUsedAt: lastUsedAt?.getTime(),
    state: revokedAt === null ? (isOver ? 'expired' : 'active') : 'revoked',
  };
}
