/** Servers that a user removes from the config: their sign-in is revoked, and the entry can be restored for a while. */
import { randomBytes } from 'node:crypto';
import { AppError } from '../base/errors.ts';
import { truncateName } from '../base/visible-text.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { signOutRemovedServer, removalMessage, secretsOnlyUsedBy } from './server-cleanup.ts';
import { OrphanedSignIns, type OrphanedSignInsDeps } from './orphaned-sign-ins.ts';
import type { UserEdits } from './user-edits.ts';
import type { AppliedEdit } from './revert-edit.ts';

export interface RemovalResult {
  /** The outcome, in sentences. */
  readonly sentence: string;
  /** For `undo`. */
  readonly undo: string;
}

interface RemovalsParts extends OrphanedSignInsDeps {
  readonly config: ConfigStore;
  readonly edits: UserEdits;
  /** Deletes the files of a sandboxed server. Never rejects. */
  readonly removeHomes: (server: string) => Promise<void>;
}

/** Maximum number of removed entries; in memory only, because the user wanted them gone. */
const maxUndoEntries = 20;

export class ServerRemoval {
  readonly #parts: RemovalsParts;
  readonly #removed = new Map<string, AppliedEdit>();

  constructor(parts: RemovalsParts) {
    this.#parts = parts;
  }

  /** Removes an entry, valid or not. Rejects with AppError `server_not_found`, or as the config's edit does. */
  async remove(server: string): Promise<RemovalResult> {
    const { config, edits, signIns, onSignedOut } = this.#parts;
    const known = config.current.servers.find(({ name }) => name === server);
    const before = (await edits.rawEntries([server])).get(server);
    if ((await edits.removeExisting([server])).length === 0) {
      throw new AppError('server_not_found', `No server named ${JSON.stringify(server)}.`);
    }
    await this.#parts.removeHomes(server);
    const how = known && (await signOutRemovedServer(known, signIns));
    const sentence = removalMessage(server, how, secretsOnlyUsedBy(known, config.current));
    if (how !== undefined && how !== 'nothing') onSignedOut(server, sentence);
    const undo = randomBytes(4).toString('hex');
    this.#removed.set(undo, { kind: 'entry', server, entry: undefined, before });
    for (const oldest of [...this.#removed.keys()].slice(0, -maxUndoEntries)) this.#removed.delete(oldest);
    return { sentence, undo };
  }

  /**
   * Runs an approved change that may remove servers, and revokes their sign-ins. Resolves with its result and the
   * revoked sign-ins; rejects as the work does.
   */
  async runThenSignOut<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly signedOut: readonly string[] }> {
    const { config } = this.#parts;
    const before = config.current.servers;
    const result = await work();
    const names = new Set(config.current.servers.map(({ name }) => name));
    const gone = before.filter(({ name }) => !names.has(name));
    const left = await Promise.all(gone.map((server) => this.#leave(server)));
    return { result, signedOut: gone.flatMap(({ name }, at) => (left[at] === true ? name : [])) };
  }

  /** Revokes sign-ins of entries that were removed by hand, after a delay. Returns a function that stops this. */
  watch(): () => void {
    return new OrphanedSignIns(this.#parts).watch();
  }

  /**
   * Returns whether a user was signed in. An invalid entry that is still present does not count as removed. Never
   * rejects.
   */
  async #leave(server: ServerConfig): Promise<boolean> {
    const { edits, signIns, onSignedOut, removeHomes } = this.#parts;
    const isWritten = await edits.rawEntries([server.name]).then(
      (written) => written.get(server.name) !== undefined,
      () => true,
    );
    if (!isWritten) await removeHomes(server.name);
    const how = isWritten ? undefined : await signOutRemovedServer(server, signIns).catch(() => undefined);
    if (how === undefined || how === 'nothing') return false;
    onSignedOut(server.name, removalMessage(server.name, how, []));
    return true;
  }

  /** Restores the entry; its sign-in stays revoked. Rejects with AppError `not_found`, `config_conflict`. */
  async undo(id: string): Promise<{ readonly server: string }> {
    const edit = this.#removed.get(id);
    if (edit?.kind !== 'entry') {
      throw new AppError('not_found', `No removal with the ID ${truncateName(id)}.`, {
        fix: 'The previous config file is next to it (.bak).',
      });
    }
    await this.#parts.edits.revert([edit]);
    this.#removed.delete(id);
    return { server: edit.server };
  }
}
