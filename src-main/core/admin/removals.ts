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
  /** How long a removal by hand has to stand, in ms (an hour by default). */
  readonly standMs?: number;
}

/** In memory alone: entries hold what the person wanted gone. */
const most = 20;
/** How long a person waits to be told what became of a sign-in, in ms; it goes on after that. */
const patienceMs = 5000;

export class Removals {
  readonly #parts: RemovalsParts;
  readonly #removed = new Map<string, WrittenEdit>();
  /** Servers that somebody took out of the file, not through us. */
  readonly #missing = new Map<string, NodeJS.Timeout>();

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

  /**
   * Does something that a person agreed to and that may take servers out: what signed in to those is taken back. Resolves with what came of
   * it and whom that was about; rejects as the work does.
   */
  async after<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly signedOut: readonly string[] }> {
    const { config } = this.#parts;
    const before = config.current.servers;
    const result = await work();
    const names = new Set(config.current.servers.map(({ name }) => name));
    const gone = before.filter(({ name }) => !names.has(name));
    const left = await Promise.all(gone.map((server) => this.#leave(server)));
    return { result, signedOut: gone.flatMap(({ name }, at) => (left[at] === true ? name : [])) };
  }

  /**
   * Takes sign-ins back of servers that somebody takes out of the file by hand, when they have been gone for a while: an editor saves in
   * steps, and a file that is switched for another comes back. Answers how that ends.
   */
  follow(): () => void {
    const { config, standMs = 60 * 60_000 } = this.#parts;
    let known = config.current.servers;
    const stop = config.changed.on(({ servers }) => {
      const names = new Set(servers.map(({ name }) => name));
      for (const server of known) {
        if (names.has(server.name) || this.#missing.has(server.name)) continue;
        const timer = setTimeout(() => {
          this.#missing.delete(server.name);
          void this.#leave(server);
        }, standMs);
        this.#missing.set(server.name, timer.unref());
      }
      for (const name of names) this.#forget(name);
      known = servers;
    });
    return () => {
      stop();
      for (const name of this.#missing.keys()) this.#forget(name);
    };
  }

  #forget(name: string): void {
    clearTimeout(this.#missing.get(name));
    this.#missing.delete(name);
  }

  /** Whether somebody was signed in. One whose entry is still there, and of no use as it stands, is not gone. Never rejects. */
  async #leave(server: ServerConfig): Promise<boolean> {
    const { edits, signIns, onSignedOut } = this.#parts;
    const isWritten = await edits.writtenEntries([server.name]).then(
      (written) => written.get(server.name) !== undefined,
      () => true,
    );
    const how = isWritten ? undefined : await leaveServer(server, signIns).catch(() => undefined);
    if (how === undefined || how === 'nothing') return false;
    onSignedOut(server.name, removedText(server.name, how, []));
    return true;
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
export type Left = SignedOut['how'] | 'later';

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
