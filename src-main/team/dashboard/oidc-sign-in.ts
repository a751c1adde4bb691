/**
 * Signs a user in to the dashboard at the team's issuer. A sign-in may start on one replica and return to another: its
 * data is sent with the browser as the state parameter, encrypted with the team's keys, and is valid once, only in the
 * same browser.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { seal, unseal } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import type { AccessAudit } from '../http/access-audit.ts';
import type { CodeFlow, PkceState } from '../oidc/authorization-code-flow.ts';
import type { OidcIssuer } from '../oidc/issuer.ts';
import { type ClaimRules, identityFromClaims } from '../oidc/read-claims.ts';
import type { OidcUsers } from '../users/oidc-users.ts';
import { hashOf } from '../users/access-tokens.ts';
import type { User } from '../users/user-store.ts';
import type { DashboardSessions, ViewerName } from './dashboard-sessions.ts';

interface OidcSignInDeps {
  readonly flow: CodeFlow;
  readonly issuer: Pick<OidcIssuer, 'name' | 'logoutToken'>;
  readonly rules: ClaimRules;
  readonly people: Pick<OidcUsers, 'provision'>;
  readonly sessions: DashboardSessions;
  /** Keys for this purpose, 32 bytes each: the first encrypts, all decrypt. */
  readonly ring: readonly Buffer[];
  readonly notes: AccessAudit;
  readonly entered: (user: { readonly id: string; readonly name: string }) => void;
  /** Called for each user whom the issuer signed out. */
  readonly left: (user: ViewerName) => void;
  readonly now: () => number;
}

/** Content of the encrypted state. */
interface Sealed extends PkceState {
  /** Hash of the binding value of the browser that started it. */
  readonly bound: string;
  /** Expiry in ms since 1970. */
  readonly until: number;
}

/** Time for the user to sign in, in ms. */
const signInTtlMs = 10 * 60_000;
const about = 'tooltray login to the dashboard';

export class OidcSignIn {
  readonly #parts: OidcSignInDeps;

  constructor(parts: OidcSignInDeps) {
    this.#parts = parts;
  }

  /** Host of the issuer, as shown to users. */
  get host(): string {
    return this.#parts.flow.host;
  }

  /**
   * Starts a sign-in: the URL for the browser, and the value it must return within `seconds`. Rejects with AppError.
   */
  async begin(): Promise<{ readonly goTo: string; readonly binding: string; readonly seconds: number }> {
    const { flow, ring, now } = this.#parts;
    const [key] = ring;
    if (key === undefined) throw new AppError('internal', 'No team key is configured.');
    const binding = randomBytes(32).toString('base64url');
    const visit = flow.createPkceState();
    const sealed: Sealed = { ...visit, bound: boundTo(binding), until: now() + signInTtlMs };
    const goTo = await flow.authorizationUrl(visit, seal(key, JSON.stringify(sealed), about));
    return { goTo, binding, seconds: signInTtlMs / 1000 };
  }

  /**
   * `binding`: the browser's value. `address`: the client's address. Resolves as `DashboardSessions.begin`. Rejects
   * with
   * AppError: `not_allowed` if it belongs to another browser or issuer, was used before, or the user may not
   * sign in; `server_unreachable`, `store_unreachable`.
   */
  async finish(params: URLSearchParams, binding: string, address: string): ReturnType<DashboardSessions['begin']> {
    const { entered, flow, notes, sessions } = this.#parts;
    const visit = this.#open(params.get('state') ?? '');
    // Prevents login CSRF: a user who receives the callback of another user's sign-in would act as that user
    // unknowingly.
    if (!timingSafeEqual(Buffer.from(visit.bound), Buffer.from(boundTo(binding))))
      throw signInAgain('This sign-in was started in another browser or was replaced by a newer one.');
    if (visit.until < this.#parts.now()) throw signInAgain('This sign-in has expired.');
    const claims = await flow.claims(params, visit);
    if (claims === undefined) {
      notes.refused('unknown', address);
      throw signInAgain(`The response of ${flow.host} does not belong to this sign-in.`);
    }
    // Compared by nonce, because different encodings of the state can decode to the same bytes.
    if (!(await sessions.consumeState(visit.nonce, visit.until))) throw signInAgain('This sign-in was already used.');
    const user = await this.#admitted(claims, address);
    const { sid } = claims;
    const begun = await sessions.begin(user.id, { sid: typeof sid === 'string' ? sid : undefined });
    entered(user);
    return begun;
  }

  /**
   * Signs the logout token's user out everywhere. `address`: the issuer's address. Rejects with AppError:
   * `bad_request` for an invalid logout token, or one used before; `server_unreachable`, `store_unreachable`.
   */
  async logOut(token: string, address: string): Promise<void> {
    const { issuer, left, notes, sessions } = this.#parts;
    const valid = await issuer.logoutToken(token);
    const users = valid && (await sessions.endAll(issuer.name, valid));
    if (users === undefined) {
      notes.refused('unknown', address);
      throw new AppError('bad_request', 'Invalid logout token, or used before.');
    }
    for (const user of users) left(user);
  }

  /** Rejects with AppError `not_allowed` or `store_unreachable`. */
  async #admitted(claims: Parameters<typeof identityFromClaims>[0], address: string): Promise<User> {
    const { flow, issuer, notes, people, rules } = this.#parts;
    const identity = identityFromClaims(claims, issuer.name, rules);
    const admitted = await people.provision(identity);
    if (admitted === undefined) {
      notes.refused('stranger', address);
      throw new AppError('not_allowed', `${flow.host} signed you in, but you are not a member of this team.`, {
        fix: 'Ask an admin of your team to add you.',
      });
    }
    const { user, how } = admitted;
    if (how !== 'known') notes.met(admitted, identity);
    if (!user.isSuspended) return user;
    notes.refused('off', address);
    throw new AppError('not_allowed', `${user.name} is suspended.`, { fix: 'Ask an admin of your team.' });
  }

  /** Throws AppError `not_allowed`. */
  #open(state: string): Sealed {
    for (const key of this.#parts.ring) {
      const text = unseal(key, state, about);
      if (text !== undefined) return JSON.parse(text) as Sealed;
    }
    throw signInAgain('Unknown sign-in.');
  }
}

function boundTo(binding: string): string {
  return hashOf(binding).toString('base64url');
}

function signInAgain(why: string): AppError {
  return new AppError('not_allowed', why, { fix: 'Sign in again.' });
}
