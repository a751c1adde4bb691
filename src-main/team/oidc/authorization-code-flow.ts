/**
 * Signs a user in at the issuer in a browser: the authorization code flow with PKCE. Sources: OpenID Connect Core 1.0,
 * 3.1 (the flow); RFC 7636 (PKCE); RFC 9207 (issuer of the response).
 */
import * as oidc from 'openid-client';
import { AppError } from '../../core/base/errors.ts';
import { isObject } from '../../core/base/json.ts';
import type { Claims, OidcIssuer } from './issuer.ts';

/** Private state of one sign-in; never sent to a browser. */
export interface PkceState {
  readonly nonce: string;
  readonly verifier: string;
}

interface CodeFlowDeps {
  readonly issuer: Pick<OidcIssuer, 'name' | 'configuration' | 'unavailable'>;
  /** Returns the redirect URI. Throws AppError if none is configured. */
  readonly redirect: () => string;
}

/** Maximum length of an issuer's error text, in characters. */
const maxErrorLength = 300;

export class CodeFlow {
  readonly #parts: CodeFlowDeps;

  constructor(parts: CodeFlowDeps) {
    this.#parts = parts;
  }

  /** Host of the issuer, as shown to users. */
  get host(): string {
    return new URL(this.#parts.issuer.name).host;
  }

  createPkceState(): PkceState {
    return { nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
  }

  /** Returns the authorization URL. Rejects with AppError `server_unreachable`. */
  async authorizationUrl({ nonce, verifier }: PkceState, state: string): Promise<string> {
    const { issuer, redirect } = this.#parts;
    const configuration = await issuer.configuration();
    const server = configuration.serverMetadata();
    if (server.authorization_endpoint === undefined)
      throw new AppError('server_unreachable', `The issuer ${this.host} has no authorization endpoint.`);
    // Groups are a scope of their own at some issuers, and an error at others.
    const groups = server.scopes_supported?.includes('groups') === true ? ['groups'] : [];
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirect(),
      scope: ['openid', 'profile', 'email', ...groups].join(' '),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Returns the claims of the user who signed in, or undefined if the ID token is not for this sign-in. The caller has
   * checked the state. Rejects with AppError: `not_allowed` if the issuer refused or another one responded,
   * `server_unreachable`.
   */
  async claims(params: URLSearchParams, { nonce, verifier }: PkceState): Promise<Claims | undefined> {
    const { issuer, redirect } = this.#parts;
    const configuration = await issuer.configuration();
    if (!params.has('code') && !params.has('error')) throw notAllowed('The authorization response has no code.');
    const address = new URL(redirect());
    address.search = params.toString();
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, address, {
        expectedNonce: nonce,
        expectedState: oidc.skipStateCheck,
        pkceCodeVerifier: verifier,
      });
      return tokens.claims();
    } catch (error) {
      if (isClaimError(error)) return undefined;
      throw this.#refusal(error);
    }
  }

  #refusal(error: unknown): AppError {
    if (error instanceof oidc.AuthorizationResponseError) {
      const { error: code, error_description: text } = error;
      const why = text === undefined ? plain(code) : `${plain(code)} (${plain(text)})`;
      return notAllowed(`The issuer ${this.host} did not sign you in: ${why}.`);
    }
    if (isOfOtherIssuer(error)) return notAllowed('The authorization response is from another issuer.');
    const code = tokenError(error);
    if (code === 'invalid_grant')
      return notAllowed('The issuer rejected the authorization code: it was already used or has expired.');
    if (code === undefined) return this.#parts.issuer.unavailable(error);
    return new AppError('server_unreachable', `The issuer ${this.host} rejected the token request: ${code}.`, {
      fix: 'Check --client-id, TOOLTRAY_OIDC_SECRET, and the client registration.',
      cause: error,
    });
  }
}

/** Error code of the token endpoint; undefined if it did not respond with one. */
function tokenError(error: unknown): string | undefined {
  if (error instanceof oidc.ResponseBodyError) return plain(error.error);
  if (error instanceof oidc.WWWAuthenticateChallengeError)
    return plain(error.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters.error ?? 'HTTP 401');
  return undefined;
}

function isClaimError(error: unknown): boolean {
  return error instanceof oidc.ClientError && error.code?.startsWith('OAUTH_JWT_') === true;
}

/** The library names the parameters of the redirect in errors about them. */
function isOfOtherIssuer(error: unknown): boolean {
  if (!(error instanceof oidc.ClientError) || !(error.cause instanceof Error)) return false;
  return isObject(error.cause.cause) && 'parameters' in error.cause.cause;
}

/** Returns foreign text as one short line. */
function plain(text: string): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, maxErrorLength)
    .replace(/\.$/, '');
}

function notAllowed(why: string): AppError {
  return new AppError('not_allowed', why, { fix: 'Sign in again.' });
}
