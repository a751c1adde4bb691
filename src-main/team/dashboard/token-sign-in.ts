/**
 * Signs a user in to the dashboard by a token of their own. What it cannot do elsewhere, it is not to become able to do
 * here.
 */
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
   * `address`: where it comes from. Answers as `PageSessions.begin`. Rejects with AppError: unauthorized for what opens
   * nothing, `session_limit` for who guesses, `not_allowed` for a token that is bounded (it could make one here that is
   * not), an issuer's or a program's.
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
    // One of an issuer is a client app's: it ends in minutes, and says what the app may, not what its person may.
    const isPersons = judged.tokenId !== undefined && judged.paths === undefined && judged.ownBounds.length === 0;
    if (!isPersons) throw forPrograms();
    const user = (await people.byId([judged.user])).get(judged.user);
    if (user === undefined) throw new AppError('unauthorized', 'Invalid token.');
    if (user.isService) throw forPrograms();
    const session = await sessions.begin(user.id, judged.tokenId);
    entered(user);
    return session;
  }
}

function forPrograms(): AppError {
  const why =
    'This token cannot open the dashboard: it is restricted, was issued to an app, or belongs to a service account.';
  return new AppError('not_allowed', why, {
    fix: 'Take one of your own that is not: tooltray team token create NAME.',
  });
}
