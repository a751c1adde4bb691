/** One OAuth authorization: discovery, client registration, PKCE, and the callback that completes it. */
import { randomBytes } from 'node:crypto';
import {
  exchangeAuthorization,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import type { OAuthClient } from '../../config/server-config.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { accountNames } from './account-name.ts';
import { chooseScopes } from './choose-scopes.ts';
import {
  resolveClientIdentity,
  clientAuthentication,
  type OAuthClientIdentity,
  registerOAuthClient,
  withoutSecret,
} from './client-registration.ts';
import {
  type AuthorizationServerInfo,
  discoverAuthorization,
  memberOf,
  parseChallenge,
} from './discover-authorization.ts';
import { quoteForeignText, oauthError } from './oauth-errors.ts';
import { resourceAddress, type Grant, type Registration } from './grant-store.ts';

export interface PendingAuthorizationOptions {
  readonly serverName: string;
  readonly serverUrl: string;
  /** Client registration from the entry. */
  readonly client?: OAuthClient | undefined;
  /** URL of the client ID metadata document, used as the client id where supported. */
  readonly documentUrl?: string | undefined;
  /** The WWW-Authenticate header that led to the sign-in. */
  readonly challenge: string | undefined;
  readonly grant: Grant | undefined;
  readonly registration: Registration | undefined;
  /** Additional scopes that the user approved. */
  readonly agreed?: string | undefined;
  /** Another entry is signed in to the same address, so the browser must ask for an account. */
  readonly asksAccount: boolean;
  readonly saveRegistration: (registration: Registration) => Promise<void>;
  readonly saveGrant: (grant: Grant) => Promise<void>;
  readonly fetch: FetchLike;
  /** Rejects with AppError if a browser must not be sent to the address. */
  readonly requireSafe: (url: URL) => Promise<void>;
  /** Creates the state that identifies the callback; random by default. */
  readonly newState?: (() => string) | undefined;
}

/** Resolves when the user can open `url`. Rejects with AppError, or with the SDK's error. */
export async function startPendingAuthorization(
  options: PendingAuthorizationOptions,
  redirectUrl: string,
): Promise<AuthorizationState> {
  const { challenge, fetch } = options;
  const authorization = await discoverAuthorization({ ...options, challenge: parseChallenge(challenge), fetch });
  const identity = await resolveClientIdentity({ ...options, authorization, redirectUrl });
  return openAuthorization(authorization, identity, redirectUrl, options);
}

/** One authorization flow as plain JSON: the verifier, the state, and the expected issuer of the response. */
export interface AuthorizationState {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly scope: string | undefined;
  readonly redirectUrl: string;
  readonly authorization: AuthorizationServerInfo;
  readonly identity: OAuthClientIdentity;
  /** Whether the client was already registered again, so that this does not help any more. */
  readonly isSecond: boolean;
}

/** Stores our registration, and creates the URL for the browser. */
async function openAuthorization(
  authorization: AuthorizationServerInfo,
  identity: OAuthClientIdentity,
  redirectUrl: string,
  options: PendingAuthorizationOptions,
  isSecond = false,
): Promise<AuthorizationState> {
  const { client, grant, agreed, serverName } = options;
  if (identity.registration !== undefined) await options.saveRegistration(identity.registration);
  const state = options.newState?.() ?? randomBytes(32).toString('base64url');
  const isSame = grant?.discovery.authorizationServerMetadata?.issuer === authorization.issuer;
  const before = isSame ? (grant.requestedScope ?? grant.tokens.scope) : undefined;
  const { scope: challenged } = parseChallenge(options.challenge);
  const scope = chooseScopes({ client, challenged, before, agreed, authorization });
  const { metadata, resource, discovery } = authorization;
  const { authorizationUrl, codeVerifier } = await startAuthorization(discovery.authorizationServerUrl, {
    metadata,
    clientInformation: identity.client,
    redirectUrl,
    state,
    resource,
    ...(scope !== undefined && { scope }),
  });
  addParameters(authorizationUrl, authorization, options);
  await options.requireSafe(authorizationUrl);
  if (authorizationUrl.hash !== '') throw oauthError(serverName, 'returned an invalid authorization URL');
  const url = authorizationUrl.href;
  return { url, state, verifier: codeVerifier, scope, redirectUrl, authorization, identity, isSecond };
}

/** Parameters of the authorization itself, which an entry cannot change. */
const reserved: ReadonlySet<string> = new Set(
  'response_type client_id redirect_uri state code_challenge code_challenge_method resource scope'.split(' '),
);

function addParameters(
  url: URL,
  { metadata }: AuthorizationServerInfo,
  { client, asksAccount }: PendingAuthorizationOptions,
): void {
  if (client?.account !== undefined) url.searchParams.set('login_hint', client.account);
  const prompts = memberOf(metadata, 'prompt_values_supported');
  const asking = ['select_account', 'login'].find((one) => Array.isArray(prompts) && prompts.includes(one));
  // A browser that is signed in there would use the known account without asking.
  if (asksAccount && asking !== undefined) {
    const prompt = [url.searchParams.get('prompt'), asking].filter((one) => one !== null).join(' ');
    url.searchParams.set('prompt', prompt);
  }
  for (const [name, value] of Object.entries(client?.extraParams ?? {}))
    if (!reserved.has(name)) url.searchParams.set(name, value);
}

/** Exchanges the callback for stored tokens, or starts over. Rejects with AppError, or with the SDK's error. */
export async function completeAuthorization(
  params: URLSearchParams,
  state: AuthorizationState,
  options: PendingAuthorizationOptions,
): Promise<{ readonly text: string } | { readonly next: AuthorizationState }> {
  requireIssuer(params, state);
  const refusal = params.get('error');
  if (refusal === null) return { text: await exchange(params, state, options) };
  if (refusal === 'invalid_scope' && state.identity.how === 'own' && !state.isSecond) {
    const { authorization, redirectUrl, scope } = state;
    const identity = await registerOAuthClient({ ...options, authorization, redirectUrl }, scope);
    return { next: await openAuthorization(authorization, identity, redirectUrl, options, true) };
  }
  throw new OAuthError(refusal, params.get('error_description') ?? refusal);
}

/** Checked before anything else in the response, including errors (RFC 9207 section 2.4). */
function requireIssuer(params: URLSearchParams, { authorization }: AuthorizationState): void {
  const { metadata, issuer } = authorization;
  validateAuthorizationResponseIssuer({
    iss: params.get('iss') ?? undefined,
    expectedIssuer: issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
}

/** Exchanges the code; returns the text for the callback page. */
async function exchange(
  params: URLSearchParams,
  flow: AuthorizationState,
  options: PendingAuthorizationOptions,
): Promise<string> {
  const { serverName, client, fetch } = options;
  const { authorization, identity, redirectUrl, verifier, scope } = flow;
  const { metadata, resource, issuer, discovery } = authorization;
  const code = params.get('code');
  if (code === null || code === '') throw oauthError(serverName, 'returned no authorization code');
  const iss = params.get('iss');
  const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
    metadata,
    clientInformation: identity.client,
    authorizationCode: code,
    ...(iss !== null && { iss }),
    codeVerifier: verifier,
    redirectUri: redirectUrl,
    resource,
    addClientAuthentication: clientAuthentication(identity.client),
    fetchFn: fetch,
  });
  const names = accountNames(tokens.id_token);
  const wanted = client?.account;
  if (wanted !== undefined && names !== undefined && !names.all.includes(wanted.toLowerCase())) {
    const what = `was signed in to as ${names.shown}, but its entry requires ${quoteForeignText(wanted)}; no token was stored`;
    throw oauthError(serverName, what, {
      fix: 'Choose that account in the browser, or change "account" in its entry.',
    });
  }
  await options.saveGrant({
    tokens: { ...tokens, issuer },
    client: withoutSecret(identity.client, client),
    discovery,
    server: serverName,
    address: resourceAddress(options.serverUrl),
    grantedAt: Date.now(),
    ...(scope !== undefined && { requestedScope: scope }),
    ...(names !== undefined && { account: names.shown }),
  });
  return `Tooltray is signed in to ${serverName}${names === undefined ? '' : ` as ${names.shown}`}.`;
}
