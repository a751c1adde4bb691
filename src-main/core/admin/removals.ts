/** Servers that a person takes out of the config: their sign-in goes with them, and the entry can be put back for a while. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { markHidden, shortName } from '../base/shown-text.ts';
import type { AppConfig, ServerConfig } from '../config/app-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { secretsOfServer } from '../secrets/fill-secrets.ts';
import type { SignedOut } from '../servers/sign-in/sign-out.ts';
import type { SignIns } from '../servers/sign-in/sign-ins.ts';
import { listed } from '../trust/inbox/entry-meanings.ts';
import type { PersonEdits } from './person-edits.ts';
import type { WrittenEdit } from './take-back.ts';

export interface Removed {
  /** What was done, in sentences. */
  readonly sentence: string;
  /** For `undo`. */
  readonly undo: string;
}

interface RemovalsParts {
  readonly config: ConfigStore;
  readonly edits: PersonEdits;
  readonly signIns: SignIns;
  /** A sign-in was taken back, for the audit. */
  readonly onSignedOut: (server: string, sentence: string) => void;
}

/** In memory alone: entries hold what the person wanted gone. */
const most = 20;
/** How long a person waits to be told what became of a sign-in, in ms; it goes on after that. */
const patienceMs = 5000;

export class Removals {
  readonly #parts: RemovalsParts;
  readonly #removed = new Map<string, WrittenEdit>();

  constructor(parts: RemovalsParts) {
    this.#parts = parts;
  }

  /** Usable or not. Rejects with AppError server_not_found, or as the config's edit does. */
  async remove(server: string): Promise<Removed> {
    const { config, edits, signIns, onSignedOut } = this.#parts;
    const known = config.current.servers.find(({ name }) => name === server);
    const before = (await edits.writtenEntries([server])).get(server);
    if ((await edits.removeThere([server])).length === 0) {
      throw new AppError('server_not_found', `There is no server called ${JSON.stringify(server)}.`);
    }
    const how = known && (await leaveServer(known, signIns));
    const sentence = removedText(server, how, unusedSecrets(known, config.current));
    if (how !== undefined && how !== 'nothing') onSignedOut(server, sentence);
    const undo = randomBytes(4).toString('hex');
    this.#removed.set(undo, { kind: 'entry', server, entry: undefined, before });
    for (const oldest of [...this.#removed.keys()].slice(0, -most)) this.#removed.delete(oldest);
    return { sentence, undo };
  }

  /** The entry is as it was; nobody is signed in to it. Rejects with AppError not_found, config_conflict. */
  async undo(id: string): Promise<{ readonly server: string }> {
    const edit = this.#removed.get(id);
    if (edit?.kind !== 'entry') {
      throw new AppError('not_found', `No removal is known under ${shortName(id)}.`, {
        fix: 'The config file as it was lies beside it (.bak).',
      });
    }
    await this.#parts.edits.takeBack([edit]);
    this.#removed.delete(id);
    return { server: edit.server };
  }
}

/** `later`: it is gone here, and what became of it there is not known yet. */
type Left = SignedOut['how'] | 'later';

/** Takes the sign-in of a server that is gone away, here at once. undefined: nobody could sign in to it. Rejects with the file system's error. */
export async function leaveServer(server: ServerConfig, signIns: SignIns): Promise<Left | undefined> {
  const left = await signIns.find(server)?.leave();
  if (left === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const later = new Promise<Left>((resolve) => {
    timer = setTimeout(() => resolve('later'), patienceMs);
  });
  const how = await Promise.race([left.takenBack.then((one) => one.how), later]);
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

const leftWords: Readonly<Record<Left, string>> = {
  nothing: '',
  revoked: ' You are signed out of it: what it was granted was taken back.',
  unable: ' You are signed out of it here; what it was granted cannot be taken back, and ends by itself.',
  failed: ' You are signed out of it here; what it was granted could not be taken back, and ends by itself.',
  later: ' You are signed out of it here; what it was granted is being taken back.',
};
