/** What becomes of the sign-in and the secrets of a server that goes, and how a person is told. */
import { markHidden } from '../base/shown-text.ts';
import type { AppConfig, ServerConfig } from '../config/app-config.ts';
import { secretsOfServer } from '../secrets/fill-secrets.ts';
import type { SignedOut } from '../servers/sign-in/sign-out.ts';
import type { SignIns } from '../servers/sign-in/sign-ins.ts';
import { listed } from '../trust/inbox/entry-meanings.ts';

/** How long a person waits to be told what became of a sign-in, in ms; it goes on after that. */
const patienceMs = 5000;

/** `later`: it is gone here, and what became of it there is not known yet. */
export type Left = SignedOut['how'] | 'later';

/** Takes the sign-in of a server that is gone away, here at once. undefined: nobody could sign in to it. Rejects with the file system's error. */
export async function leaveServer(server: ServerConfig, signIns: SignIns): Promise<Left | undefined> {
  const left = await signIns.find(server)?.leave();
  return left && whatBecame(left);
}

/** Waits a moment for what became of it there. */
export async function whatBecame({ takenBack }: { readonly takenBack: Promise<SignedOut> }): Promise<Left> {
  let timer: NodeJS.Timeout | undefined;
  const later = new Promise<Left>((resolve) => {
    timer = setTimeout(() => resolve('later'), patienceMs);
  });
  const how = await Promise.race([takenBack.then((one) => one.how), later]);
  clearTimeout(timer);
  return how;
}

/** Secrets that only this server got. */
export function unusedSecrets(server: ServerConfig | undefined, { servers }: AppConfig): readonly string[] {
  if (server === undefined) return [];
  const others = new Set(
    servers.filter(({ name }) => name !== server.name).flatMap((one) => [...secretsOfServer(one)]),
  );
  return secretsOfServer(server).filter((name) => !others.has(name));
}

export function removedText(server: string, how: Left | undefined, unused: readonly string[]): string {
  const signedOut = how === undefined ? '' : leftWords[how];
  const secrets =
    unused.length === 0
      ? ''
      : ` Nobody gets ${listed(unused.map(markHidden))} any more: tooltray secret rm ${markHidden(unused[0] ?? '')}`;
  return `${markHidden(server)} was removed.${signedOut}${secrets}`;
}

/** Of a server whose entry leads to another address, or is another client's, by now. */
export function movedText(server: string, how: Left): string {
  return `The entry of ${markHidden(server)} leads elsewhere than where you had signed in.${leftWords[how]}`;
}

const leftWords: Readonly<Record<Left, string>> = {
  nothing: '',
  revoked: ' You are signed out of it: what it was granted was taken back.',
  unable: ' You are signed out of it here; what it was granted cannot be taken back, and ends by itself.',
  failed: ' You are signed out of it here; what it was granted could not be taken back, and ends by itself.',
  later: ' You are signed out of it here; what it was granted is being taken back.',
};
