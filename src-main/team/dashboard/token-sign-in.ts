/** Signs a user in to the dashboard with a personal access token, without adding rights that the token lacks. */
import { AppError } from '../../core/base/errors.ts';
import { formatCount } from '../../core/base/text-format.ts';
import type { Authenticator } from '../users/authenticator.ts';
import type { UserStore } from '../users/user-store.ts';
import type { DashboardSessions } from './dashboard-sessions.ts';

interface TokenSignInDeps {
  readonly gate: Pick<Authenticator, 'authenticate'>;
  readonly people: Pick<UserStore, 'byId'>;
  readonly sessions: DashboardSessions;
  readonly entered: (user: { readonly id: string; readonly name: string }) => void;
}

export class TokenSignIn {
  readonly #parts: TokenSignInDeps;

  constructor(parts: TokenSignInDeps) {
    this.#parts = parts;
  }

  /**
   * `address`: the client's address. Resolves as `DashboardSessions.begin`. Rejects with AppError: `unauthorized` for
   * an invalid
   * token, `session_limit` after too many attempts, `not_allowed` for a restricted token (which could otherwise create
   * an unrestricted one),
   * an issuer's or a service account's.
   */
  async signIn(token: string, address: string): ReturnType<DashboardSessions['begin']> {
    const { gate, people, sessions, entered } = this.#parts;
    const judged = await gate.authenticate(token, address);
    if (!('user' in judged)) {
      if (judged.why === 'too often')
        throw new AppError('session_limit', 'Too many failed requests from your address.', {
          fix: `Wait ${formatCount(judged.seconds, 'second')}.`,
        });
      throw new AppError('unauthorized', 'Invalid token.', { fix: 'Use another token, or ask an admin.' });
    }
    // An issuer's token belongs to a client app: it is short-lived, and grants the app's rights rather than the user's.
    const isPersons = judged.tokenId !== undefined && judged.paths === undefined && judged.ownBounds.length === 0;
    if (!isPersons) throw forPrograms();
    const user = (await people.byId([judged.user])).get(judged.user);
    if (user === undefined) throw new AppError('unauthorized', 'Invalid token.');
    if (user.isService) throw forPrograms();
    const session = await sessions.begin(user.id, { tokenId: judged.tokenId });
    entered(user);
    return session;
  }
}

function forPrograms(): AppError {
  const why =
    'This token cannot open the dashboard: it is restricted, was issued to an app, or belongs to a service account.';
  return new AppError('not_allowed', why, {
    fix: 'Create an unrestricted token of your own: tooltray team token create NAME.',
  });
}
