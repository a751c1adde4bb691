/** One sign-in from the address for the browser to the tokens: listener, discovery, registration, PKCE, exchange. */
import { randomBytes } from 'node:crypto';
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { AppError } from '../../base/errors.ts';
import type { FetchLike } from '../transports/http-fetch.ts';
import { CallbackListener } from './callback-listener.ts';
import { isSafeUrl } from './safe-url.ts';
import { describeSignInFailure, signInError } from './sign-in-errors.ts';
import { SignInProvider, type SignInProviderOptions } from './sign-in-provider.ts';

export interface SignInAttempt {
  /** Where the person signs in, for a browser: https, or http on this machine. */
  readonly url: string;
  /** Resolves when the tokens are stored. Rejects with AppError: denied, refused, too late, cancelled. */
  readonly done: Promise<void>;
  readonly cancel: () => void;
}

/** What a 401 or 403 said about how to sign in. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

export interface SignInAttemptOptions extends Omit<SignInProviderOptions, 'redirectUrl' | 'state'> {
  readonly serverName: string;
  readonly serverUrl: string;
  readonly challenge: Challenge;
  readonly fetch: FetchLike;
  /** How long the person may take, in ms. */
  readonly waitMs: number;
}

/** `header` is WWW-Authenticate, `granted` the scope the person has granted before. */
export function readChallenge(header: string | undefined, granted: string | undefined): Challenge {
  if (header === undefined) return {};
  const refusal = new Response(null, { headers: { 'www-authenticate': header } });
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refusal);
  // Asking for one more right must not cost those granted before.
  return { resourceMetadataUrl, scope: scope && computeScopeUnion(granted, scope) };
}

/** Resolves when the person can be sent off. Rejects with AppError server_unauthorized or server_unreachable. */
export async function beginSignIn(options: SignInAttemptOptions): Promise<SignInAttempt> {
  const { serverName, waitMs, registration, client } = options;
  const state = randomBytes(32).toString('base64url');
  const done = Promise.withResolvers<void>();
  const listener = await CallbackListener.open({
    serverName,
    state,
    wishedPort: registration && Number(new URL(registration.redirectUrl).port),
    registered: client?.redirectUri === undefined ? undefined : new URL(client.redirectUri),
    onCallback: async (params) => {
      await exchange(params, provider, options).then(done.resolve, done.reject);
      await done.promise;
    },
  });
  const provider = new SignInProvider({ ...options, state, redirectUrl: listener.redirectUrl });
  const late = (): void => done.reject(signInError(serverName, `was not signed in to within ${minutes(waitMs)}`));
  const timer = setTimeout(late, waitMs);
  const end = (): void => {
    clearTimeout(timer);
    listener.close();
  };
  done.promise.then(end, end);
  try {
    const url = await findWay(provider, options);
    return {
      url,
      done: done.promise,
      cancel: () => done.reject(new AppError('cancelled', 'The sign-in was given up.')),
    };
  } catch (error) {
    done.reject(error);
    throw error;
  }
}

/** Discovers who signs people in for this server, registers us there if need be, and makes the address. */
async function findWay(provider: SignInProvider, options: SignInAttemptOptions): Promise<string> {
  const { serverName, serverUrl, challenge, fetch, client } = options;
  const { resourceMetadataUrl } = challenge;
  const scope = client !== undefined && client.scopes.length > 0 ? client.scopes.join(' ') : challenge.scope;
  try {
    await auth(provider, {
      serverUrl,
      fetchFn: fetch,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
  } catch (error) {
    throw describeSignInFailure(serverName, error);
  }
  const url = provider.authorizationUrl;
  if (url === undefined) throw signInError(serverName, 'could not be signed in to: it named no page for that');
  if (!isSafeUrl(url, new URL(serverUrl))) {
    throw signInError(serverName, `wants the browser to go to ${url.origin}, which is not safe`);
  }
  return url.href;
}

/** Turns what the browser brought back into stored tokens; the SDK checks the issuer first (RFC 9207). */
async function exchange(
  params: URLSearchParams,
  provider: SignInProvider,
  options: SignInAttemptOptions,
): Promise<void> {
  const { serverName, serverUrl, fetch } = options;
  try {
    await new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider, fetch }).finishAuth(params);
  } catch (error) {
    throw describeSignInFailure(serverName, error);
  }
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
