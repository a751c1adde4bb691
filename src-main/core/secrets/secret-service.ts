/** Lets the user set, list, remove and move secrets. Models have no access. */
import { isDeepStrictEqual } from 'node:util';
import { AppError, errorText } from '../base/errors.ts';
import { formatCount } from '../base/text-format.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { replaceEntry, rawEntry } from '../config/edit-config.ts';
import { parseSecretVaultKey, secretNamesOf, secretVaultKey } from './resolve-secrets.ts';
import {
  findPlaintextSecrets,
  type FoundSecret,
  foundSecrets,
  keyringSecrets,
  secretNames,
  type PlaintextSecret,
  withReferences,
} from './find-plaintext-secrets.ts';
import type { SystemKeychain } from './keychain.ts';
import { filesContaining } from './find-plaintext-copies.ts';
import { type KeyPlaceName, serverSecretPrefix, type SecretStore, type VaultStatus } from './secret-store.ts';
import type { JsonObject } from '../base/json.ts';

/** Never includes the value. */
export interface SecretRow {
  readonly name: string;
  /** ms since 1970; undefined if servers need it and it is not set. */
  readonly changedAt: number | undefined;
  /** Servers that use the secret. */
  readonly servers: readonly string[];
}

/** An entry with references instead of its secrets. */
export interface EntryWithReferences {
  readonly entry: JsonObject;
  readonly moved: readonly FoundSecret[];
  /** The values removed from it; for this process only. */
  readonly values: readonly string[];
  /** Names that are new in the vault. */
  readonly added: readonly string[];
}

export interface MovedSecrets {
  readonly moved: readonly FoundSecret[];
  /** Files that still contain a value in plain text. */
  readonly copies: readonly string[];
}

interface ServiceDeps {
  readonly vault: SecretStore;
  readonly config: ConfigStore;
  /** Folders of Tooltray that may contain copies. */
  readonly folders: readonly string[];
  readonly keychain: Pick<SystemKeychain, 'readMcpproxy'>;
}

const nameShape = /^[A-Za-z0-9_][\w.-]{0,99}$/;

/** Validates a user's secret before it is stored. Throws AppError `bad_request`. */
export function validateSecret(name: string, value: string): void {
  if (!nameShape.test(name)) {
    throw new AppError('bad_request', `${JSON.stringify(name)} is not a valid secret name.`, {
      fix: 'Use letters, digits, "_", "-" and ".".',
    });
  }
  if (value === '') throw new AppError('bad_request', 'The value is empty, so nothing was set.');
}

export class SecretService {
  readonly #vault: SecretStore;
  readonly #config: ConfigStore;
  readonly #folders: readonly string[];
  readonly #keychain: ServiceDeps['keychain'];

  constructor({ vault, config, folders, keychain }: ServiceDeps) {
    this.#keychain = keychain;
    this.#vault = vault;
    this.#config = config;
    this.#folders = folders;
  }

  async list(): Promise<{ readonly secrets: readonly SecretRow[]; readonly vault: VaultStatus }> {
    const stored = await this.#vault.names(serverSecretPrefix).catch(() => []);
    const dates = new Map(
      stored.flatMap(({ name, changedAt }) => parseSecretVaultKey(name).map((one) => [one, changedAt])),
    );
    const needed = this.#config.current.servers.flatMap((server) => [...secretNamesOf(server)]);
    const names = [...new Set([...dates.keys(), ...needed])].sort();
    const secrets = names.map((name) => ({ name, changedAt: dates.get(name), servers: this.#serversWith(name) }));
    return { secrets, vault: await this.#vault.status() };
  }

  /** Rejects with AppError `bad_request`, `secret_locked`. */
  async set(name: string, value: string): Promise<{ readonly name: string; readonly servers: readonly string[] }> {
    validateSecret(name, value);
    await this.#vault.write(secretVaultKey(name), value);
    return { name, servers: this.#serversWith(name) };
  }

  /** Servers that use it do not start any more. */
  async remove(name: string): Promise<{ readonly removed: boolean; readonly servers: readonly string[] }> {
    return { removed: await this.#vault.remove(secretVaultKey(name)), servers: this.#serversWith(name) };
  }

  /** Returns the likely secrets in the config, with suggested names. */
  async findPlain(server?: string): Promise<readonly FoundSecret[]> {
    const entries = await this.#entries(server);
    return entries.flatMap(([name, entry]) => this.findInEntry(name, entry));
  }

  /** The same for an entry that is not in the config. */
  findInEntry(server: string, entry: JsonObject): readonly FoundSecret[] {
    return foundSecrets(server, entry);
  }

  /**
   * Takes secrets out of an entry that is not in the config yet: each is stored in the vault, and read back, before
   * its reference is returned. `plainArgument`: index of an argument that is never a secret. Rejects with AppError
   * `secret_locked`.
   */
  async sealEntry(server: string, entry: JsonObject, plainArgument?: number): Promise<EntryWithReferences> {
    const chosen = new Map<PlaintextSecret['value'], string>();
    const moved: FoundSecret[] = [];
    const added: string[] = [];
    for (const found of findPlaintextSecrets(server, entry, plainArgument)) {
      const known = chosen.get(found.value);
      const { name, isNew } = known === undefined ? await this.#keepOne(found) : { name: known, isNew: false };
      if (isNew) added.push(name);
      chosen.set(found.value, name);
      moved.push({ server, where: found.where, name });
    }
    return {
      entry: withReferences(server, entry, ({ value }) => chosen.get(value), plainArgument),
      moved,
      values: [...chosen.keys()],
      added,
    };
  }

  /** Values of secrets, for the user who reveals them; those that cannot be read are omitted. */
  async valuesOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const read = await Promise.all(
      names.map(async (name) => [name, await this.#vault.read(secretVaultKey(name)).catch(() => undefined)] as const),
    );
    return new Map(read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
  }

  /** Removes secrets that no server uses. */
  async removeUnused(names: readonly string[]): Promise<void> {
    for (const name of names) if (this.#serversWith(name).length === 0) await this.remove(name);
  }

  /**
   * Stores a value that is known to be a secret, for a server to be added; it is read back before its name is
   * returned. `isNew`: the vault did not have it. Rejects with AppError `secret_locked`.
   */
  sealValue(server: string, label: string, value: string): Promise<{ readonly name: string; readonly isNew: boolean }> {
    return this.#keepOne({ value, names: secretNames(server, label) });
  }

  /**
   * Imports secrets that an entry names and MCPProxy stores in the keychain; existing ones in the vault stay
   * unchanged.
   * `problems`: why one was not imported, one sentence each. Rejects with AppError `secret_locked`.
   */
  async importKeyring(
    server: string,
    entry: JsonObject,
  ): Promise<{ readonly moved: readonly FoundSecret[]; readonly problems: readonly string[] }> {
    const moved: FoundSecret[] = [];
    const problems: string[] = [];
    for (const found of keyringSecrets(server, entry)) {
      const { name } = found;
      if ((await this.#vault.read(secretVaultKey(name))) !== undefined) continue;
      const [value, why = `it has no secret with that name`] = await this.#keychain.readMcpproxy(name).then(
        (read) => [read] as const,
        (error: unknown) => [undefined, errorText(error)] as const,
      );
      if (value === undefined || value === '') {
        problems.push(`${name} could not be imported from MCPProxy's keychain (${why}): tooltray secret set ${name}`);
        continue;
      }
      await this.#vault.write(secretVaultKey(name), value);
      moved.push(found);
    }
    return { moved, problems };
  }

  /**
   * Moves probable secrets out of the config: stored in the vault, read back, then replaced by references in the file.
   * After a crash in between, both have them. Rejects with AppError `server_not_found`, `secret_locked`, or as the
   * config's edit does.
   */
  async sealConfig(server?: string): Promise<MovedSecrets> {
    const moves: { name: string; before: JsonObject; after: JsonObject; moved: readonly FoundSecret[] }[] = [];
    const values: string[] = [];
    for (const [name, before] of await this.#entries(server)) {
      const { entry: after, moved, values: sealedValues } = await this.sealEntry(name, before);
      if (moved.length === 0) continue;
      values.push(...sealedValues);
      moves.push({ name, before, after, moved });
    }
    if (moves.length === 0) return { moved: [], copies: [] };
    await this.#config.update((text) =>
      moves.reduce((edited, { name, before, after }) => {
        if (!isDeepStrictEqual(rawEntry(edited, name), before)) {
          throw new AppError('config_conflict', `The entry of ${name} was changed.`, { fix: 'Try again.' });
        }
        return replaceEntry(edited, name, after);
      }, text),
    );
    return { moved: moves.flatMap(({ moved }) => moved), copies: await this.copies(values) };
  }

  /** Files of Tooltray, and the given ones, that contain one of these values in plain text. */
  copies(values: readonly string[], files: readonly string[] = []): Promise<readonly string[]> {
    return filesContaining(values, this.#config.path, this.#folders, files);
  }

  async unlock(passphrase: string): Promise<VaultStatus> {
    await this.#vault.unlock(passphrase);
    return this.#vault.status();
  }

  async moveKey(place: KeyPlaceName, passphrase: string | undefined, begin: boolean): Promise<VaultStatus> {
    if (place === 'passphrase' && (passphrase ?? '').length < minPassphraseLength) {
      throw new AppError(
        'bad_request',
        `The passphrase is too short: it needs at least ${formatCount(minPassphraseLength, 'character')}.`,
      );
    }
    await this.#vault.placeKey(place, passphrase, begin);
    return this.#vault.status();
  }

  /** Uses the first of its names that is free, or already has the same value. */
  async #keepOne({
    value,
    names,
  }: Pick<PlaintextSecret, 'value' | 'names'>): Promise<{ name: string; isNew: boolean }> {
    const last = names.at(-1) ?? '';
    const numbered = Array.from({ length: 50 }, (_, at) => `${last}_${at + 2}`);
    for (const name of [...names, ...numbered]) {
      const there = await this.#vault.read(secretVaultKey(name));
      // A name that a server waits for belongs to that server; the value found here may be for something else.
      const isNew = there === undefined && this.#serversWith(name).length === 0;
      if (isNew) await this.#vault.write(secretVaultKey(name), value);
      else if (there !== value) continue;
      return { name, isNew };
    }
    throw new AppError('config_conflict', `There are too many secrets named ${last}.`, { fix: 'Remove some.' });
  }

  #serversWith(secret: string): readonly string[] {
    return this.#config.current.servers
      .filter((server) => secretNamesOf(server).includes(secret))
      .map(({ name }) => name);
  }

  /** Returns the entries as written, usable or not. */
  async #entries(server: string | undefined): Promise<readonly (readonly [string, JsonObject])[]> {
    const text = await this.#config.text();
    const broken = this.#config.problems.flatMap((problem) => problem.server ?? []);
    const all = [...new Set([...this.#config.current.servers.map(({ name }) => name), ...broken])];
    const names = server === undefined ? all : [server];
    return names.map((name) => [name, rawEntry(text, name)] as const);
  }
}

const minPassphraseLength = 8;
