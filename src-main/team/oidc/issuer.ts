/**
 * Validates tokens of the team's issuer. Sources: RFC 9068, 4 (access tokens); OpenID Connect Core
 * 1.0, 3.1.3.7 (ID tokens); RFC 8725 (JWT best practices).
 */
import { decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import { HttpFetch } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';
import { type DiscoveryDocument, IssuerFetch } from './discovery-document.ts';
import { JwksCache } from './jwks.ts';

export interface IssuerOptions {
  /** Issuer identifier, as in its metadata. */
  readonly issuer: string;
  /** Accept only access tokens with the type `at+jwt`; many issuers use `JWT`. */
  readonly needsType?: boolean | undefined;
  /** May configure a proxy. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Current time in ms since 1970. */
  readonly now?: () => number;
}

/** Claims of a valid token that the issuer signed for this audience. */
export type Claims = JWTPayload & { readonly sub: string; readonly exp: number };

/** Asymmetric algorithms only: with a symmetric key, whoever verifies tokens could also create them. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Tolerated clock difference, in seconds. */
const leewaySeconds = 60;

export class OidcIssuer {
  readonly name: string;
  readonly #options: IssuerOptions;
  readonly #http: HttpFetch;
  readonly #fetch: IssuerFetch;
  readonly #keys: JwksCache;
  readonly #now: () => number;

  /** Sends no request yet. Throws AppError `bad_request` for an invalid issuer identifier. */
  constructor(options: IssuerOptions) {
    const { issuer, env, now = Date.now } = options;
    this.#options = options;
    this.name = issuer;
    this.#now = now;
    this.#http = new HttpFetch({ env });
    this.#fetch = new IssuerFetch(issuer, this.#http);
    this.#keys = new JwksCache(this.#fetch, now);
  }

  /** Metadata of the issuer, refreshed regularly. Rejects with AppError `server_unreachable`. */
  document(): Promise<DiscoveryDocument> {
    return this.#keys.document();
  }

  /**
   * Sends a form to an endpoint of its metadata, such as `token_endpoint`. Rejects with AppError `server_unreachable`.
   */
  async request(
    member: string,
    form: URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const address = (await this.document()).address(member);
    if (address === undefined) throw this.#fetch.unavailable(new Error(`its metadata has no ${member} that is safe`));
    const type = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    return this.#fetch.ask(address, { method: 'POST', body: form.toString(), headers: { ...type, ...headers } });
  }

  /** Whether the token claims to be from this issuer, without verification. */
  issued(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.name;
    } catch {
      return false;
    }
  }

  /**
   * Validates an access token for one of the accepted audiences; undefined if invalid, `over` if expired. Rejects with
   * AppError `server_unreachable`.
   */
  async accessToken(token: string, isOurs: (audience: string) => boolean): Promise<Claims | 'over' | undefined> {
    if (!this.issued(token)) return undefined;
    const claims = await this.#verified(token, (type) => this.#isAccessType(type));
    if (claims === 'over') return claims;
    if (claims === undefined || !audiencesOf(claims).some(isOurs)) return undefined;
    // Rejects ID tokens for a client of our name, and sender-constrained tokens, for which a bearer proves nothing.
    const isOther = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events', 'cnf'].some((name) => name in claims);
    return isOther ? undefined : claims;
  }

  /**
   * Validates the ID token of the sign-in with this nonce; undefined if invalid. Rejects with AppError
   * `server_unreachable`.
   */
  async idToken(token: string, of: { readonly client: string; readonly nonce: string }): Promise<Claims | undefined> {
    const claims = await this.#verified(token, (type) => type === undefined || type === 'jwt');
    if (claims === undefined || claims === 'over' || claims['nonce'] !== of.nonce) return undefined;
    const audiences = audiencesOf(claims);
    const { azp } = claims;
    if (!audiences.includes(of.client)) return undefined;
    return azp === of.client || (azp === undefined && audiences.length === 1) ? claims : undefined;
  }

  close(): void {
    this.#http.close();
  }

  async #verified(token: string, isType: (type: string | undefined) => boolean): Promise<Claims | 'over' | undefined> {
    const options: JWTVerifyOptions = {
      algorithms,
      issuer: this.name,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: leewaySeconds,
      currentDate: new Date(this.#now()),
    };
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys.find, options);
      const { sub, exp = 0 } = payload;
      // The leeway is for `nbf` and `iat` only: clients know the expiry and refresh before.
      if (exp * 1000 <= this.#now()) return 'over';
      if (typeof sub !== 'string' || sub === '' || !isType(typeOf(protectedHeader.typ))) return undefined;
      return { ...payload, sub, exp };
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Checked after signature and issuer.
      if (error instanceof errors.JWTExpired) return 'over';
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }

  #isAccessType(type: string | undefined): boolean {
    return type === 'at+jwt' || (this.#options.needsType !== true && (type === undefined || type === 'jwt'));
  }
}

function typeOf(said: unknown): string | undefined {
  return typeof said === 'string' ? said.toLowerCase().replace(/^application\//, '') : undefined;
}

function audiencesOf({ aud }: JWTPayload): readonly string[] {
  return aud === undefined ? [] : [aud].flat();
}
