/** Signing in to a team's dashboard and out of it: what the browser holds afterwards, no program of this page can read. */
import { AskError, failureOf, unreachable } from './api.ts';

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
    throw new AskError(unreachable);
  });
  if (!response.ok) throw new AskError(await failureOf(response));
}
