/** One sign-in from the address for the browser to the tokens: listener, discovery, registration, PKCE, exchange. */
import { randomBytes } from 'node:crypto';
import {
  exchangeAuthorization,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { AppError } from '../../base/errors.ts';
import type { OAuthClient } from '../../config/app-config.ts';
import { sameToken } from '../../security/access-token.ts';
import type { FetchLike } from '../network/http-fetch.ts';
import { accountNames } from './account-name.ts';
import { type CallbackAnswer, CallbackListener } from './callback-listener.ts';
import { chooseScopes } from './choose-scopes.ts';
import { chooseIdentity, clientAuthentication, type Identity, register, withoutSecret } from './client-identity.ts';
import { type Authorization, findAuthorization, memberOf, readChallenge } from './find-authorization.ts';
import { describeSignInFailure, quote, signInError } from './sign-in-failures.ts';
import type { Grant, Registration } from './sign-in-store.ts';

export interface SignInAttempt {
  /** Where the person signs in, for a browser: https, or http on this machine. */
  readonly url: string;
  /** Resolves when the tokens are stored. Rejects with AppError: denied, refused, too late, cancelled. */
  readonly done: Promise<void>;
  readonly cancel: () => void;
}

export interface SignInAttemptOptions {
  readonly serverName: string;
  readonly serverUrl: string;
  /** Who we are there, as the entry says. */
  readonly client?: OAuthClient | undefined;
  /** The WWW-Authenticate header of the refusal that led here. */
  readonly challenge: string | undefined;
  /** What counts until now. */
  readonly grant: Grant | undefined;
  readonly registration: Registration | undefined;
  /** Rights that the person agreed to besides. */
  readonly agreed?: string | undefined;
  /** Another entry is signed in to the same address: the browser is asked for an account, not to take the one it knows. */
  readonly asksAccount: boolean;
  readonly saveRegistration: (registration: Registration) => Promise<void>;
  readonly saveGrant: (grant: Grant) => Promise<void>;
  readonly fetch: FetchLike;
  /** Rejects with AppError where a browser must not be sent there. */
  readonly requireSafe: (url: URL) => Promise<void>;
  /** How long the person may take, in ms. */
  readonly waitMs: number;
}

/** Resolves when the person can be sent off. Rejects with AppError server_unauthorized or server_unreachable. */
export async function beginSignIn(options: SignInAttemptOptions): Promise<SignInAttempt> {
  const { serverName, waitMs, registration, client } = options;
  const done = Promise.withResolvers<void>();
  const flow: { now?: Flow } = {};
  const listener = await CallbackListener.open({
    knowsState: (state) => flow.now !== undefined && sameToken(state, flow.now.state),
    wishedPort: registration && Number(new URL(registration.redirectUrl).port),
    registered: client?.redirectUri === undefined ? undefined : new URL(client.redirectUri),
    onCallback: async (params) => {
      try {
        const answer = await takeCallback(params, flow, options);
        if ('text' in answer) done.resolve();
        return answer;
      } catch (error) {
        const told = describeSignInFailure(serverName, error);
        done.reject(told);
        throw told;
      }
    },
  });
  const late = (): void => done.reject(signInError(serverName, `was not signed in to within ${minutes(waitMs)}`));
  const timer = setTimeout(late, waitMs);
  const end = (): void => {
    clearTimeout(timer);
    listener.close();
  };
  done.promise.then(end, end);
  try {
    const { challenge, fetch } = options;
    const authorization = await findAuthorization({ ...options, challenge: readChallenge(challenge), fetch });
    const { redirectUrl } = listener;
    const identity = await chooseIdentity({ ...options, authorization, redirectUrl });
    flow.now = await openFlow(authorization, identity, redirectUrl, options);
    return {
      url: flow.now.url,
      done: done.promise,
      cancel: () => done.reject(new AppError('cancelled', 'The sign-in was given up.')),
    };
  } catch (error) {
    const told = describeSignInFailure(serverName, error);
    done.reject(told);
    throw told;
  }
}

/** What belongs to one visit of the browser, in memory only: the verifier, the state, and whom the answer has to come from. */
interface Flow {
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
  readonly scope: string | undefined;
  readonly redirectUrl: string;
  readonly authorization: Authorization;
  readonly identity: Identity;
  /** We registered anew on the way, so that is no remedy any more. */
  readonly isSecond: boolean;
}

/** Keeps who we are, and makes the address for the browser. */
async function openFlow(
  authorization: Authorization,
  identity: Identity,
  redirectUrl: string,
  options: SignInAttemptOptions,
  isSecond = false,
): Promise<Flow> {
  const { client, grant, agreed, serverName } = options;
  if (identity.registration !== undefined) await options.saveRegistration(identity.registration);
  const state = randomBytes(32).toString('base64url');
  const isSame = grant?.discovery.authorizationServerMetadata?.issuer === authorization.issuer;
  const before = isSame ? (grant.requestedScope ?? grant.tokens.scope) : undefined;
  const { scope: challenged } = readChallenge(options.challenge);
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
  if (authorizationUrl.hash !== '') throw signInError(serverName, 'named a page for signing in that cannot be one');
  const url = authorizationUrl.href;
  return { url, state, verifier: codeVerifier, scope, redirectUrl, authorization, identity, isSecond };
}

/** What the sign-in itself says is not the entry's to change. */
const reserved: ReadonlySet<string> = new Set(
  'response_type client_id redirect_uri state code_challenge code_challenge_method resource scope'.split(' '),
);

function addParameters(url: URL, { metadata }: Authorization, { client, asksAccount }: SignInAttemptOptions): void {
  if (client?.account !== undefined) url.searchParams.set('login_hint', client.account);
  const prompts = memberOf(metadata, 'prompt_values_supported');
  const asking = ['select_account', 'login'].find((one) => Array.isArray(prompts) && prompts.includes(one));
  // A browser that is signed in there would take the account it knows without a word.
  if (asksAccount && asking !== undefined) {
    const prompt = [url.searchParams.get('prompt'), asking].filter((one) => one !== null).join(' ');
    url.searchParams.set('prompt', prompt);
  }
  for (const [name, value] of Object.entries(client?.extraParams ?? {}))
    if (!reserved.has(name)) url.searchParams.set(name, value);
}

/** Turns what the browser brought back into stored tokens, or sends it off once more. */
async function takeCallback(
  params: URLSearchParams,
  flow: { now?: Flow },
  options: SignInAttemptOptions,
): Promise<CallbackAnswer> {
  const { now } = flow;
  if (now === undefined) throw signInError(options.serverName, 'was not signed in to');
  requireIssuer(params, now);
  const refusal = params.get('error');
  if (refusal === null) return { text: await exchange(params, now, options) };
  if (refusal === 'invalid_scope' && now.identity.how === 'own' && !now.isSecond) {
    const { authorization, redirectUrl, scope } = now;
    const identity = await register({ ...options, authorization, redirectUrl }, scope);
    flow.now = await openFlow(authorization, identity, redirectUrl, options, true);
    return { goTo: flow.now.url };
  }
  throw new OAuthError(refusal, params.get('error_description') ?? refusal);
}

/** Before anything else of the answer is looked at, errors too (RFC 9207 section 2.4). */
function requireIssuer(params: URLSearchParams, { authorization }: Flow): void {
  const { metadata, issuer } = authorization;
  validateAuthorizationResponseIssuer({
    iss: params.get('iss') ?? undefined,
    expectedIssuer: issuer,
    issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
  });
}

/** Answers what the page says. */
async function exchange(params: URLSearchParams, flow: Flow, options: SignInAttemptOptions): Promise<string> {
  const { serverName, client, fetch } = options;
  const { authorization, identity, redirectUrl, verifier, scope } = flow;
  const { metadata, resource, issuer, discovery } = authorization;
  const code = params.get('code');
  if (code === null || code === '') throw signInError(serverName, 'sent the browser back without a code');
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
    const what = `was signed in to as ${names.shown}, and its entry is for ${quote(wanted)}; nothing was kept`;
    throw signInError(serverName, what, {
      fix: 'Choose that account in the browser, or change "account" in its entry.',
    });
  }
  await options.saveGrant({
    tokens: { ...tokens, issuer },
    client: withoutSecret(identity.client, client),
    discovery,
    ...(scope !== undefined && { requestedScope: scope }),
    ...(names !== undefined && { account: names.shown }),
  });
  return `Tooltray is signed in to ${serverName}${names === undefined ? '' : ` as ${names.shown}`}.`;
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
