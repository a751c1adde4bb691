/** Signs in to and out of a team's dashboard. The session cookie is not accessible to scripts. */
import { ApiError, failureOf, unreachableError } from './api.ts';

/** Path that starts a sign-in at the team's issuer. */
export const issuerStart = '/session/start';

/** Host of the issuer; undefined if users can only sign in with a token, or without a response. */
export async function issuerHost(): Promise<string | undefined> {
  const response = await fetch('/session').catch(() => undefined);
  if (response?.ok !== true) return undefined;
  return ((await response.json()) as { issuer: string | null }).issuer ?? undefined;
}

/** Rejects with ApiError. */
export async function signIn(token: string): Promise<void> {
  await post('/session', { token });
  location.reload();
}

/** Rejects with ApiError. */
export async function signOut(): Promise<void> {
  await post('/session/end', {});
  location.reload();
}

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }).catch((): never => {
    throw new ApiError(unreachableError);
  });
  if (!response.ok) throw new ApiError(await failureOf(response));
}
