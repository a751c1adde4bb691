/** Sends requests to a server under the sign-in there is; one that is refused is sent once more after a silent renewal. */
import type { FetchLike } from '../transports/http-fetch.ts';
import type { ServerSignIn } from './server-sign-in.ts';

/** Answers what the server answers, a last 401 included. Rejects as `fetch` does, or with AppError when renewing failed. */
export function createAuthorizedFetch(fetch: FetchLike, signIn: ServerSignIn): FetchLike {
  const { origin } = new URL(signIn.serverUrl);
  return async (url, init = {}) => {
    // The token is for this server alone.
    if (new URL(url).origin !== origin) return fetch(url, init);
    const token = await signIn.accessToken();
    const response = await fetch(url, withToken(init, token));
    if (response.status !== 401 && response.status !== 403) return response;
    signIn.sawRefusal(response);
    const renewed = response.status === 401 ? await signIn.renew(token) : undefined;
    if (renewed === undefined || renewed === token) return response;
    await response.body?.cancel();
    const second = await fetch(url, withToken(init, renewed));
    if (second.status === 401 || second.status === 403) signIn.sawRefusal(second);
    return second;
  };
}

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}
