/** Decides what happens to the sign-in and secrets of a removed server, and builds the message for the user. */
import { settleWithin } from '../base/settle-within.ts';
import { markInvisible } from '../base/visible-text.ts';
import type { AppConfig } from '../config/app-config.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { secretNamesOf } from '../secrets/resolve-secrets.ts';
import type { RevocationResult } from '../servers/oauth/revoke-grant.ts';
import type { OAuthManager } from '../servers/oauth/oauth-manager.ts';
import { joinNames } from '../trust/inbox/entry-consequences.ts';

/** How long the user waits for the outcome of a sign-out, in ms; the sign-out continues after that. */
const signOutTimeoutMs = 5000;

/** `later`: deleted here, and the result of the revocation is not known yet. */
export type SignOutState = RevocationResult['how'] | 'later';

/**
 * Revokes the sign-in of a removed server; it is deleted here at once. Undefined: the server has no sign-in. Rejects
 * with the file system's error.
 */
export async function signOutRemovedServer(
  server: ServerConfig,
  signIns: OAuthManager,
): Promise<SignOutState | undefined> {
  const left = await signIns.find(server)?.signOutRemoved();
  return left && awaitSignOut(left);
}

/** Waits briefly for the result of the revocation. */
export async function awaitSignOut({
  takenBack,
}: {
  readonly takenBack: Promise<RevocationResult>;
}): Promise<SignOutState> {
  return (await settleWithin(takenBack, signOutTimeoutMs))?.how ?? 'later';
}

/** Secrets that only this server receives. */
export function secretsOnlyUsedBy(server: ServerConfig | undefined, { servers }: AppConfig): readonly string[] {
  if (server === undefined) return [];
  const others = new Set(servers.filter(({ name }) => name !== server.name).flatMap((one) => [...secretNamesOf(one)]));
  return secretNamesOf(server).filter((name) => !others.has(name));
}

export function removalMessage(server: string, how: SignOutState | undefined, unused: readonly string[]): string {
  const signedOut = how === undefined ? '' : leftWords[how];
  const secrets =
    unused.length === 0
      ? ''
      : ` No server uses ${joinNames(unused.map(markInvisible))} any more. Remove it: tooltray secret rm ${markInvisible(unused[0] ?? '')}`;
  return `${markInvisible(server)} was removed.${signedOut}${secrets}`;
}

/** Returns the message for a server whose entry now has a different address or client. */
export function movedMessage(server: string, how: SignOutState): string {
  return `The entry of ${markInvisible(server)} now points to a different address than the one you signed in to.${leftWords[how]}`;
}

const leftWords: Readonly<Record<SignOutState, string>> = {
  nothing: '',
  revoked: ' You are signed out of it, and its tokens were revoked.',
  unable: ' You are signed out of it. Its tokens cannot be revoked; they expire.',
  failed: ' You are signed out of it. Its tokens could not be revoked; they expire.',
  later: ' You are signed out of it. Its tokens are being revoked.',
};
