/**
 * Signs a user in at the issuer in a browser: authorization code flow with PKCE. Sources: OpenID Connect Core
 * 1.0, 3.1 (the flow); RFC 7636 (PKCE); RFC 9207 (issuer identification); RFC 6749, 2.3.1 (client
 * authentication).
 */
import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../core/base/errors.ts';
import { isObject } from '../../core/base/json.ts';
import type { DiscoveryDocument } from './discovery-document.ts';
import type { Claims, OidcIssuer } from './issuer.ts';

/** The dashboard's client registration at the issuer. */
export interface OidcClient {
  readonly id: string;
  /** undefined for a public client, which is protected by PKCE. */
  readonly secret: string | undefined;
}

/** Private state of one sign-in; never sent to a browser. */
export interface PkceState {
  readonly nonce: string;
  readonly verifier: string;
}

interface CodeFlowDeps {
  readonly issuer: Pick<OidcIssuer, 'name' | 'document' | 'request' | 'idToken'>;
  readonly client: OidcClient;
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
    return { nonce: randomBytes(32).toString('base64url'), verifier: randomBytes(32).toString('base64url') };
  }

  /** Returns the authorization URL. Rejects with AppError `server_unreachable`. */
  async authorizationUrl({ nonce, verifier }: PkceState, state: string): Promise<string> {
    const { client, issuer, redirect } = this.#parts;
    const document = await issuer.document();
    const url = document.address('authorization_endpoint');
    if (url === undefined)
      throw new AppError('server_unreachable', `The issuer ${this.host} has no secure authorization endpoint.`);
    const asked = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: redirect(),
      scope: scopeAt(document),
      state,
      nonce,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * The claims for a callback; undefined if the ID token does not belong to this sign-in. The caller must validate the
   * state first. Rejects with AppError: `not_allowed` if the issuer refused or another one responded,
   * `server_unreachable`.
   */
  async claims(params: URLSearchParams, { nonce, verifier }: PkceState): Promise<Claims | undefined> {
    const { client, issuer, redirect } = this.#parts;
    const document = await issuer.document();
    this.#requireThisIssuer(params.get('iss'), document);
    const refused = params.get('error');
    if (refused !== null) throw this.#refusal(refused, params.get('error_description'));
    const code = params.get('code') ?? '';
    if (code === '') throw notAllowed('The authorization response has no code.');
    const { fields, headers } = clientAuthentication(client, document);
    const given = { grant_type: 'authorization_code', code, redirect_uri: redirect(), code_verifier: verifier };
    const form = new URLSearchParams({ ...given, ...fields });
    const { status, body } = await issuer.request('token_endpoint', form, headers);
    const token = status === 200 && isObject(body) ? body['id_token'] : undefined;
    if (typeof token === 'string') return issuer.idToken(token, { client: client.id, nonce });
    throw this.#exchangeFailed(status, isObject(body) ? body['error'] : undefined);
  }

  /** Throws AppError `not_allowed`: otherwise a mix-up attack could send one issuer's code to another. */
  #requireThisIssuer(said: string | null, document: DiscoveryDocument): void {
    const isNeeded = document.member('authorization_response_iss_parameter_supported') === true;
    if (said === this.#parts.issuer.name || (said === null && !isNeeded)) return;
    throw notAllowed('The authorization response is from another issuer.');
  }

  #refusal(error: string, description: string | null): AppError {
    const why = description === null ? plain(error) : `${plain(error)} (${plain(description)})`;
    return notAllowed(`The issuer ${this.host} did not sign you in: ${why}.`);
  }

  #exchangeFailed(status: number, error: unknown): AppError {
    if (error === 'invalid_grant')
      return notAllowed('The issuer rejected the authorization code: it was already used or has expired.');
    const said = typeof error === 'string' ? plain(error) : `HTTP ${status}`;
    return new AppError('server_unreachable', `The issuer ${this.host} rejected the token request: ${said}.`, {
      fix: 'Check --client-id, TOOLTRAY_OIDC_SECRET, and the client registration.',
    });
  }
}

/** Some issuers require a scope for groups, others reject it. */
function scopeAt(document: DiscoveryDocument): string {
  const known = document.member('scopes_supported');
  const groups = Array.isArray(known) && known.includes('groups') ? ['groups'] : [];
  return ['openid', 'profile', 'email', ...groups].join(' ');
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Client authentication method. If the metadata names none, it is Basic (RFC 8414, 2). */
function clientAuthentication(
  { id, secret }: OidcClient,
  document: DiscoveryDocument,
): { readonly fields: Record<string, string>; readonly headers: Record<string, string> } {
  if (secret === undefined) return { fields: { client_id: id }, headers: {} };
  const ways = document.member('token_endpoint_auth_methods_supported');
  const isPost = Array.isArray(ways) && !ways.includes('client_secret_basic') && ways.includes('client_secret_post');
  if (isPost) return { fields: { client_id: id, client_secret: secret }, headers: {} };
  const pair = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');
  return { fields: {}, headers: { authorization: `Basic ${pair}` } };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice('v='.length);
}

/** The text on one line, truncated. */
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
