/**
 * An OIDC provider from npm, for trying a team on one computer and for tests: it accepts any password for the users in
 * its list. Never for production.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface Person {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface OidcEngine {
  readonly issuer: string;
  /** Replaces the signing keys: sessions stay valid, earlier tokens do not. */
  useKeys(keys: SigningKeys): void;
  stop(): Promise<void>;
}

/** A private JWK Set; the first key signs. */
export interface SigningKeys {
  readonly keys: readonly object[];
}

export interface OidcOptions {
  readonly people: readonly Person[];
  /** Audience of access tokens: the URL of the team's endpoint. */
  readonly audience: string;
  /** Supported scopes besides OpenID's. */
  readonly scopes: readonly string[];
  readonly port?: number;
  /** Absent: the provider's development keys. */
  readonly keys?: SigningKeys | undefined;
  /** Lifetime of an access token, in seconds. */
  readonly tokenSeconds?: number | undefined;
  /** A client registered from the start, such as the dashboard. */
  readonly client?: {
    readonly id: string;
    readonly secret: string;
    readonly redirect: string;
    /** Receives logout tokens, without a session ID unless `needsSid`. */
    readonly logout?: { readonly url: string; readonly needsSid: boolean };
  };
  /** Client authentication methods; absent: all that the provider supports. */
  readonly clientAuth?: readonly string[];
}

export async function startOidc(options: OidcOptions): Promise<OidcEngine> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provide = (keys: SigningKeys | undefined) =>
    quietly(() => new Provider(issuer, settings({ ...options, keys }))).callback();
  let answer = provide(options.keys);
  server.on('request', (request, response) => answer(request, response));
  return {
    issuer,
    useKeys: (keys) => {
      answer = provide(keys);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Suppresses the provider's warnings about its development settings. */
function quietly<T>(begin: () => T): T {
  const { warn, info } = console;
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  try {
    return begin();
  } finally {
    Object.assign(console, { warn, info });
  }
}

function settings({ people, audience, scopes, client, clientAuth, keys, tokenSeconds = 600 }: OidcOptions): object {
  const claimsOf = (id: string): object => {
    const person = people.find(({ name }) => name === id);
    const email = { email: `${id}@example.org`, email_verified: true };
    return { sub: id, preferred_username: id, name: id, ...email, groups: person?.groups ?? [] };
  };
  const minutes = 60;
  return {
    clients: client === undefined ? [] : [registered(client, clientAuth?.[0])],
    ...(clientAuth !== undefined && { clientAuthMethods: clientAuth }),
    scopes: ['openid', 'offline_access', 'email', 'profile', ...scopes],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username', 'groups'] },
    ...(keys !== undefined && { jwks: keys }),
    conformIdTokenClaims: false,
    cookies: { keys: ['to try a team with'] },
    // Unknown users cannot sign in.
    findAccount: (_context: unknown, id: string) =>
      people.some(({ name }) => name === id) ? { accountId: id, claims: () => claimsOf(id) } : undefined,
    extraTokenClaims: (_context: unknown, token: { accountId?: string }) =>
      token.accountId === undefined ? {} : claimsOf(token.accountId),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: tokenSeconds,
      AuthorizationCode: minutes,
      Grant: 24 * 60 * minutes,
      IdToken: 10 * minutes,
      Interaction: 60 * minutes,
      RefreshToken: 24 * 60 * minutes,
      Session: 24 * 60 * minutes,
    },
    // The provider's own refuses loopback addresses.
    fetch: (url: string, { dispatcher: _, ...rest }: RequestInit & { dispatcher?: unknown }) => fetch(url, rest),
    features: {
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { logoutSource: (context: { body: string }, form: string) => void (context.body = form) },
      // Pages that accept any name and password.
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: scopes.join(' '),
          audience,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
}

function registered(
  { id, secret, redirect, logout }: NonNullable<OidcOptions['client']>,
  auth = 'client_secret_basic',
): object {
  return {
    client_id: id,
    client_secret: secret,
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: auth,
    ...(logout && { backchannel_logout_uri: logout.url, backchannel_logout_session_required: logout.needsSid }),
  };
}
