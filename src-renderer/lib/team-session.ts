/**
 * Signing in to a team's dashboard and out of it: what the browser holds afterwards, no program of this page can read.
 */
import { ApiError, failureOf, unreachableError } from './api.ts';

/** What leads to the team's issuer, and back. */
export const issuerStart = '/session/start';

/** The host of the issuer where users sign in; undefined: by a token alone, or nobody answers. */
export async function issuerHost(): Promise<string | undefined> {
  const response = await fetch('/session').catch(() => undefined);
  if (response?.ok !== true) return undefined;
  return ((await response.json()) as { issuer: string | null }).issuer ?? undefined;
}

/** Rejects with AskError. */
export async function signIn(token: string): Promise<void> {
  await post('/session', { token });
  location.reload();
}

/** Rejects with AskError. */
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
