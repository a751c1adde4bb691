/**
 * Stores secrets that must not be in plain files: servers' secrets, sign-ins, the audit key. Each is encrypted
 * separately in one file. The key is in the system's keychain, under a passphrase, or in a file. A locked value is
 * kept and reported as locked, not missing.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, toAppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import { KeyStore } from './key-store.ts';
import { type Keychain, SystemKeychain } from './keychain.ts';
import { keyId, generateKey, seal, unseal } from './sealing.ts';
import { type KeyPlaceName, serverSecretPrefix, type SecretStore, type VaultStatus } from './secret-store.ts';
import { type KeyPlace, type VaultData, VaultFile } from './vault-file.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface VaultOptions {
  /** A separate private folder. */
  readonly folder: string;
  readonly env: Env;
  readonly keychain?: Keychain;
  /** How long to wait for the keychain, in ms. */
  readonly graceMs?: number;
}

/** Maximum size of a value, in bytes. */
const maxValueBytes = 512 * 1024;

export class Vault implements SecretStore {
  /** Emits the names of secrets that this process wrote or removed. */
  readonly changed = new Emitter<readonly string[]>();
  /** Emits when a key arrived after others stopped waiting for it. */
  readonly onOpened = new Emitter();
  /** A new secret of servers is known: maskers must be notified first. */
  readonly setWith = 'tooltray secret set';
  readonly learned = new Emitter();
  readonly #file: VaultFile;
  readonly #keys: KeyStore;
  readonly #env: Env;
  /** Includes replaced and removed values, because a running server may use them. */
  readonly #values = new Set<string>();

  /** Neither accesses the disk nor queries the keychain. */
  constructor({ folder, env, keychain = new SystemKeychain(env), graceMs }: VaultOptions) {
    this.#env = env;
    this.#file = new VaultFile(join(folder, 'vault.json'));
    this.#keys = new KeyStore({
      folder,
      keychain,
      givenPassphrase: () => givenPassphrase(env),
      ...(graceMs !== undefined && { graceMs }),
      onLate: () => this.onOpened.emit(),
    });
  }

  /** All decrypted secrets of servers, for maskers. */
  get values(): readonly string[] {
    return [...this.#values];
  }

  /** Undefined if there is none of that name. Rejects with AppError `secret_locked`. */
  async read(name: string): Promise<string | undefined> {
    const data = await this.#file.read();
    const entry = data?.entries[name];
    if (data === undefined || entry === undefined) return undefined;
    const key = await this.#keyOf(data, entry.key);
    const value = unseal(key, entry.sealed, about(name));
    if (value === undefined) {
      throw new AppError('secret_locked', `The secret ${shown(name)} was changed by another process.`, {
        fix: 'Set it again.',
      });
    }
    this.#learn(data, entry.key, key);
    return value;
  }

  /** The names with this prefix, and when each was set, in ms since 1970. Needs no key. */
  async names(start: string): Promise<readonly { readonly name: string; readonly changedAt: number }[]> {
    const { entries = {} } = (await this.#file.read()) ?? {};
    return Object.entries(entries)
      .filter(([name]) => name.startsWith(start))
      .map(([name, { changedAt }]) => ({ name, changedAt }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** On disk and read back when it resolves. Rejects with AppError `secret_locked`, not_allowed if it is too long. */
  async write(name: string, value: string): Promise<void> {
    await this.#put(name, () => value);
    if ((await this.read(name)) !== value) throw notStoredError(name);
    this.changed.emit([name]);
  }

  /** Returns the stored value, or stores the one from `make` for all processes. Rejects as `write` does. */
  async ensure(name: string, make: () => string): Promise<string> {
    const there = await this.read(name);
    if (there !== undefined) return there;
    // Another process may be first; its value wins.
    await this.#put(name, (isThere) => (isThere ? undefined : make()));
    const stored = await this.read(name);
    if (stored === undefined) throw notStoredError(name);
    return stored;
  }

  async #put(name: string, give: (isThere: boolean) => string | undefined): Promise<void> {
    await this.#file.update(async (before) => {
      const data = before ?? (await this.#begin());
      const value = give(data.entries[name] !== undefined);
      if (value === undefined) return [undefined, undefined];
      if (Buffer.byteLength(value) > maxValueBytes) {
        throw new AppError('not_allowed', `The value of ${shown(name)} is too long.`);
      }
      const key = await this.#keyOf(data, data.current);
      const entry = { key: data.current, sealed: seal(key, value, about(name)), changedAt: Date.now() };
      return [{ ...data, entries: { ...data.entries, [name]: entry } }, undefined];
    });
  }

  /** Returns whether there was one. Needs no key. */
  async remove(name: string): Promise<boolean> {
    const removed = await this.#file.update((data) => {
      if (data?.entries[name] === undefined) return Promise.resolve([undefined, false] as const);
      const { [name]: _, ...entries } = data.entries;
      return Promise.resolve([{ ...data, entries }, true] as const);
    });
    if (removed) this.changed.emit([name]);
    return removed;
  }

  /** Requests the keys; never rejects. */
  async status(): Promise<VaultStatus> {
    try {
      const data = await this.#file.read();
      if (data === undefined) return await this.#statusOfNone();
      return await this.#statusOf(data);
    } catch (error) {
      return { state: 'locked', place: undefined, sentence: toAppError(error).text, sealed: 0 };
    }
  }

  /** Rejects with AppError `not_allowed` if the passphrase is wrong, or if none is needed. */
  async unlock(passphrase: string): Promise<void> {
    const { keys = {} } = (await this.#file.read()) ?? {};
    const under = Object.entries(keys).flatMap(([id, place]) => (place.place === 'passphrase' ? [{ id, place }] : []));
    if (under.length === 0) throw new AppError('not_allowed', 'The vault does not use a passphrase.');
    const opened = await Promise.allSettled(under.map(({ id, place }) => this.#keys.unlock(id, place, passphrase)));
    const [failed] = opened.filter(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected' && !opened.some(({ status }) => status === 'fulfilled')) throw failed.reason;
    this.onOpened.emit();
  }

  /**
   * Moves the key to another place without encrypting values again. `begin`: if the key cannot be read, new values get
   * a new key, and values of the old key stay locked until it is back. Rejects with AppError `secret_locked`, or
   * unsupported if that place is not available.
   */
  async placeKey(place: KeyPlaceName, passphrase?: string, begin = false): Promise<void> {
    const left = await this.#file.update(async (data) => {
      if (data === undefined) return [await this.#begin(place, passphrase), undefined] as const;
      const id = data.current;
      const old = data.keys[id];
      const key = await this.#keyOf(data, id).catch((error: unknown) => {
        if (begin) return undefined;
        throw error;
      });
      if (key === undefined) {
        const fresh = await this.#begin(place, passphrase);
        return [{ ...data, current: fresh.current, keys: { ...data.keys, ...fresh.keys } }, undefined] as const;
      }
      if (old?.place === place && place !== 'passphrase') return [undefined, undefined] as const;
      const stored = await this.#keep(key, place, passphrase);
      return [
        { ...data, keys: { ...data.keys, [id]: stored } },
        { id, old },
      ] as const;
    });
    // Deleted last, because the key is needed at its old place until the vault on disk names the new one.
    if (left?.old !== undefined && left.old.place !== place) await this.#keys.remove(left.id, left.old);
    this.onOpened.emit();
  }

  /**
   * Removes everything: the keys from their places, and the encrypted values. Rejects with AppError
   * `secret_locked` if it is unreadable.
   */
  async discard(): Promise<void> {
    const { keys = {} } = (await this.#file.read()) ?? {};
    for (const [id, place] of Object.entries(keys)) await this.#keys.remove(id, place);
    await rm(this.#file.path, { force: true });
  }

  /** Creates the first key in the safest place: under the given passphrase, in the keychain, otherwise in a file. */
  async #begin(place?: KeyPlaceName, passphrase?: string): Promise<VaultData> {
    const key = generateKey();
    const id = keyId(key);
    const stored = place === undefined ? await this.#keepAnywhere(key) : await this.#keep(key, place, passphrase);
    return { version: 1, current: id, keys: { [id]: stored }, entries: {} };
  }

  async #keepAnywhere(key: Buffer): Promise<KeyPlace> {
    const given = await givenPassphrase(this.#env).catch((cause: unknown) => {
      throw new AppError(
        'secret_locked',
        `The passphrase of the vault cannot be read from ${passphraseFileVariable}.`,
        {
          cause,
        },
      );
    });
    if (given !== undefined) return this.#keys.store(key, 'passphrase', given);
    if ((await this.#keys.keychainProblem()) === undefined) {
      const stored = await this.#keys.store(key, 'keychain').catch(() => undefined);
      if (stored !== undefined) return stored;
    }
    return this.#keys.store(key, 'file');
  }

  async #keep(key: Buffer, place: KeyPlaceName, passphrase: string | undefined): Promise<KeyPlace> {
    try {
      return await this.#keys.store(key, place, passphrase);
    } catch (error) {
      const { message } = toAppError(error);
      if (place !== 'keychain') throw error;
      throw new AppError('unsupported', `The key cannot be stored in the keychain: ${message}.`, {
        fix: 'It was not moved. Alternatives: tooltray secret key passphrase, tooltray secret key file.',
        cause: error,
      });
    }
  }

  #keyOf({ keys }: VaultData, id: string): Promise<Buffer> {
    const place = keys[id];
    if (place !== undefined) return this.#keys.find(id, place);
    return Promise.reject(new AppError('secret_locked', 'The vault does not record where its key is.'));
  }

  #learn({ entries }: VaultData, id: string, key: Buffer): void {
    const before = this.#values.size;
    for (const [name, entry] of Object.entries(entries)) {
      if (!name.startsWith(serverSecretPrefix) || entry.key !== id) continue;
      const value = unseal(key, entry.sealed, about(name));
      if (value !== undefined) this.#values.add(value);
    }
    if (this.#values.size > before) this.learned.emit();
  }

  async #statusOfNone(): Promise<VaultStatus> {
    const given = await givenPassphrase(this.#env).catch(() => undefined);
    const problem = given === undefined ? await this.#keys.keychainProblem() : undefined;
    const where =
      given !== undefined
        ? 'be encrypted with your passphrase'
        : problem === undefined
          ? "be stored in the system's keychain"
          : `be stored in a file that only you can read, because there is no keychain (${problem})`;
    const sentence = `No secrets are stored yet. Their key will ${where}.`;
    return { state: 'empty', place: undefined, sentence, sealed: 0 };
  }

  async #statusOf(data: VaultData): Promise<VaultStatus> {
    const failures = new Map<string, AppError>();
    for (const id of Object.keys(data.keys)) {
      await this.#keyOf(data, id).catch((error: unknown) => failures.set(id, toAppError(error)));
    }
    const sealed = Object.values(data.entries).filter(({ key }) => failures.has(key)).length;
    const place = data.keys[data.current]?.place;
    const failure = failures.get(data.current);
    if (failure !== undefined) return { state: 'locked', place, sentence: failure.text, sealed };
    const rest = sealed === 0 ? '' : ` ${sealed} of the secrets need an older key that is not available.`;
    return { state: 'open', place, sentence: `${this.#placeSentence(data.current, place)}${rest}`, sealed };
  }

  #placeSentence(id: string, place: KeyPlaceName | undefined): string {
    if (place === 'keychain') return "Secrets are encrypted with a key in the system's keychain.";
    if (place === 'passphrase') return 'Secrets are encrypted with a key protected by your passphrase.';
    const file = this.#keys.keyFilePath(id);
    return `Secrets are encrypted, but the key is in a file: anyone who can read ${file} can read them. Safer: tooltray secret key keychain, or tooltray secret key passphrase.`;
  }
}

/** Values are encrypted for their name only. */
function about(name: string): string {
  return `tooltray vault 1\n${name}`;
}

function notStoredError(name: string): AppError {
  return new AppError('secret_locked', `The vault could not store ${shown(name)}.`, { fix: 'Try again.' });
}

/** Returns the display name. */
function shown(name: string): string {
  return name.startsWith(serverSecretPrefix)
    ? `the secret ${name.slice(serverSecretPrefix.length)}`
    : 'a sign-in or key';
}

const passphraseVariable = 'TOOLTRAY_VAULT_PASSPHRASE';
const passphraseFileVariable = 'TOOLTRAY_VAULT_PASSPHRASE_FILE';

/**
 * Reads the passphrase from the environment, for unattended cores; from a file, its first line. Rejects if it cannot be
 * read.
 */
async function givenPassphrase(env: Env): Promise<string | undefined> {
  const said = env[passphraseVariable] ?? '';
  if (said !== '') return said;
  const file = env[passphraseFileVariable] ?? '';
  if (file === '') return undefined;
  const [line = ''] = (await readFile(file, 'utf8')).split(/\r?\n/, 1);
  if (line === '') throw new Error(`${file} is empty`);
  return line;
}

export function openVault(dataDir: string, env: Env): Vault {
  return new Vault({ folder: join(dataDir, 'secrets'), env });
}
