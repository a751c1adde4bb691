/**
 * The OpenID Connect issuer of a team: its metadata and keys, and verification of its access tokens. Sources: OpenID
 * Connect Discovery 1.0, 4; RFC 8414, 3; RFC 9068, 4 (access tokens); RFC 8725 (common mistakes with JWTs).
 */
import { createRemoteJWKSet, customFetch as jwksFetch, decodeJwt, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';
import { HttpFetch, isSafeUrl } from '../../core/edition.ts';
import { AppError, errorText } from '../../core/base/errors.ts';
import { isObject } from '../../core/base/json.ts';

/** The dashboard, as the issuer has registered it. */
export interface OidcClient {
  readonly id: string;
  /** Undefined for a public client: PKCE alone binds the code to it. */
  readonly secret: string | undefined;
}

export interface IssuerOptions {
  /** The issuer's name exactly as in its metadata. */
  readonly issuer: string;
  readonly client?: OidcClient | undefined;
  /** Accept only access tokens of type `at+jwt`; many issuers use `JWT`. */
  readonly needsType?: boolean | undefined;
  /** Source of the proxy variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Claims of a valid token that the issuer signed for this audience. */
export type Claims = JWTPayload & { readonly sub: string; readonly exp: number };

/** A valid logout token. Source: OpenID Connect Back-Channel Logout 1.0, 2.4. */
export interface LogoutToken {
  readonly jti: string;
  /** At least one of the two is present. */
  readonly sub: string | undefined;
  readonly sid: string | undefined;
  /** Time of issue, and the end of the time in which it is accepted, in ms since 1970. */
  readonly at: number;
  readonly until: number;
}

interface IssuerState {
  readonly configuration: oidc.Configuration;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
  /** When they were read, in ms since 1970. */
  readonly at: number;
}

/** Asymmetric only: a service with a shared key could also forge the tokens that it verifies. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const clockSkewSeconds = 60;
/** Maximum age of a logout token; older issuers give it no expiry. */
const logoutAgeSeconds = 300;
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const refreshAfterMs = 5 * 60_000;
/** Maximum age of keys while the issuer is unreachable: a revoked key must not stay valid for days. */
const maxAgeMs = 12 * 60 * 60_000;
/** Minimum time between two requests to the issuer, whatever tokens arrive. */
const cooldownMs = 5_000;
const requestTimeoutSeconds = 5;

export class OidcIssuer {
  readonly name: string;
  readonly #options: IssuerOptions;
  readonly #http: HttpFetch;
  #state: IssuerState | undefined;
  #refreshing: Promise<IssuerState> | undefined;
  #failure: { readonly error: AppError; readonly at: number } | undefined;

  /** Sends no request yet. Throws AppError `bad_request` unless the issuer is an HTTPS or loopback URL. */
  constructor(options: IssuerOptions) {
    const url = URL.canParse(options.issuer) ? new URL(options.issuer) : undefined;
    if (url === undefined || url.search !== '' || url.hash !== '' || !isSafeUrl(url, 'loopback'))
      throw new AppError('bad_request', `${JSON.stringify(options.issuer)} is not a valid issuer.`, {
        fix: 'Use the HTTPS URL exactly as in the issuer’s metadata, without a query.',
      });
    this.#options = options;
    this.name = options.issuer;
    this.#http = new HttpFetch({ env: options.env });
  }

  /** Metadata of the issuer with the dashboard as its client. Rejects with AppError `server_unreachable`. */
  async configuration(): Promise<oidc.Configuration> {
    return (await this.#current()).configuration;
  }

  /** Whether the token names this issuer. Not verified: the claim can be forged. */
  issued(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.name;
    } catch {
      return false;
    }
  }

  /**
   * Returns the claims of a valid access token for one of our audiences, `over` for an expired one, and undefined for
   * any other. Rejects with AppError `server_unreachable`.
   */
  async accessToken(token: string, isOurs: (audience: string) => boolean): Promise<Claims | 'over' | undefined> {
    if (!this.issued(token)) return undefined;
    const claims = await this.#verified(token);
    if (claims === undefined || claims === 'over') return claims;
    if (![claims.aud ?? []].flat().some(isOurs)) return undefined;
    // ID tokens, and tokens bound to a key, which a bearer does not prove.
    const isOther = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events', 'cnf'].some((name) => name in claims);
    return isOther ? undefined : claims;
  }

  /**
   * Returns a valid logout token for our client, and undefined for any other. Rejects with AppError
   * `server_unreachable`. Source: OpenID Connect Back-Channel Logout 1.0, 2.6.
   */
  async logoutToken(token: string): Promise<LogoutToken | undefined> {
    const rules = { algorithms, issuer: this.name, audience: this.#options.client?.id ?? '' };
    const age = { maxTokenAge: logoutAgeSeconds, clockTolerance: clockSkewSeconds, requiredClaims: ['iat'] };
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#key, { ...rules, ...age });
      const { jti, sub, sid, events, iat = 0 } = payload;
      const isLogout = isObject(events) && isObject(events[logoutEvent]) && !('nonce' in payload);
      const isTyped = ['logout+jwt', 'jwt', undefined].includes(typeOf(protectedHeader.typ));
      if (!isLogout || !isTyped || !isText(jti) || !(isText(sub) || isText(sid))) return undefined;
      const until = (iat + logoutAgeSeconds + clockSkewSeconds) * 1000;
      return { jti, sub: isText(sub) ? sub : undefined, sid: isText(sid) ? sid : undefined, at: iat * 1000, until };
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }

  close(): void {
    this.#http.close();
  }

  async #verified(token: string): Promise<Claims | 'over' | undefined> {
    const required = { issuer: this.name, requiredClaims: ['sub', 'exp'], clockTolerance: clockSkewSeconds };
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#key, { algorithms, ...required });
      const { sub, exp = 0 } = payload;
      // The tolerance is for the start only: a client knows when its token expires, and renews it before.
      if (exp * 1000 <= Date.now()) return 'over';
      if (typeof sub !== 'string' || sub === '' || !this.#isAccessType(protectedHeader.typ)) return undefined;
      return { ...payload, sub, exp };
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'over';
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }

  #isAccessType(header: string | undefined): boolean {
    const type = typeOf(header);
    return type === 'at+jwt' || (this.#options.needsType !== true && (type === undefined || type === 'jwt'));
  }

  readonly #key: JWTVerifyGetKey = async (header, token) => {
    const { keys, at } = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || Date.now() - at < cooldownMs) throw error;
      return (await this.#refresh()).keys(header, token);
    }
  };

  async #current(): Promise<IssuerState> {
    const state = this.#state;
    const ageMs = Date.now() - (state?.at ?? -Infinity);
    if (state !== undefined && ageMs <= refreshAfterMs) return state;
    try {
      return await this.#refresh();
    } catch (error) {
      if (state !== undefined && ageMs <= maxAgeMs) return state;
      throw error;
    }
  }

  /** Concurrent callers share one request. Rejects with AppError `server_unreachable`. */
  #refresh(): Promise<IssuerState> {
    const { error, at } = this.#failure ?? { at: -Infinity };
    if (error !== undefined && Date.now() - at < cooldownMs) return Promise.reject(error);
    this.#refreshing ??= this.#read()
      .then((state) => {
        this.#failure = undefined;
        return (this.#state = state);
      })
      .catch((cause: unknown) => {
        this.#failure = { error: this.unavailable(cause), at: Date.now() };
        throw this.#failure.error;
      })
      .finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #read(): Promise<IssuerState> {
    const configuration = await this.#discover('oidc').catch(() => this.#discover('oauth2'));
    const { issuer, jwks_uri: address = '' } = configuration.serverMetadata();
    if (issuer !== this.name) throw new Error(`its metadata names ${JSON.stringify(issuer)}`);
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || !(url.protocol === 'https:' || this.#isInsecure)) throw new Error('it has no jwks_uri');
    // Refreshed here, so that an unreachable issuer does not invalidate the keys that are known.
    const age = { cacheMaxAge: Infinity, cooldownDuration: Infinity };
    const keys = createRemoteJWKSet(url, { ...age, [jwksFetch]: this.#http.fetch });
    await keys.reload();
    return { configuration, keys, at: Date.now() };
  }

  #discover(algorithm: 'oidc' | 'oauth2'): Promise<oidc.Configuration> {
    const { id = 'tooltray', secret } = this.#options.client ?? {};
    return oidc.discovery(new URL(this.name), id, undefined, clientAuthentication(secret), {
      algorithm,
      timeout: requestTimeoutSeconds,
      [oidc.customFetch]: (url, { body, ...init }) =>
        this.#http.fetch(url, { ...init, ...(body instanceof URLSearchParams && { body: body.toString() }) }),
      execute: [oidc.enableNonRepudiationChecks, ...(this.#isInsecure ? [oidc.allowInsecureRequests] : [])],
    });
  }

  /** Only an issuer on this machine may be named without HTTPS. */
  get #isInsecure(): boolean {
    return this.name.startsWith('http:');
  }

  /** Error text for client apps and browsers. */
  unavailable(cause: unknown): AppError {
    return new AppError(
      'server_unreachable',
      `Cannot verify tokens: the issuer ${new URL(this.name).host} is unreachable.`,
      {
        fix: 'Try again later. Personal access tokens still work.',
        cause: new Error(errorText(cause), { cause }),
      },
    );
  }
}

function typeOf(header: string | undefined): string | undefined {
  return header?.toLowerCase().replace(/^application\//, '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Basic, unless the metadata names only the other one. Source: RFC 8414, 2. */
function clientAuthentication(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    (isPost ? post : basic)(server, client, body, headers);
  };
}
