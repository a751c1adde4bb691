/** The locations of the vault's key, and how it is read from each: the keychain, a file, a passphrase. */
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { AppError, errorText } from '../base/errors.ts';
import type { Keychain } from './keychain.ts';
import { keyId, generateKdfParams, parseKey, seal, deriveKey, unseal } from './sealing.ts';
import type { KeyPlace } from './vault-file.ts';

interface KeyStoreOptions {
  /** The folder of the vault. */
  readonly folder: string;
  readonly keychain: Keychain;
  /** Returns the passphrase from the environment at start; undefined if none. Rejects if its file cannot be read. */
  readonly givenPassphrase: () => Promise<string | undefined>;
  /** How long to wait for the keychain before continuing without it, in ms (default: 3 s). */
  readonly graceMs?: number;
  /** Called when a key arrives late. */
  readonly onLate: () => void;
}

const defaultKeychainTimeoutMs = 3000;

export class KeyStore {
  readonly #options: KeyStoreOptions;
  readonly #keys = new Map<string, Buffer>();
  /** Pending keychain requests by key. */
  readonly #pending = new Map<string, { readonly answer: Promise<Buffer>; isLate: boolean }>();

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** Rejects with AppError `secret_locked` and the reason. */
  async find(id: string, place: KeyPlace): Promise<Buffer> {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const key = await this.#findIn(id, place);
    this.#keys.set(id, key);
    return key;
  }

  /**
   * Opens a key that is encrypted with a passphrase. Rejects with AppError `not_allowed` if the passphrase is wrong.
   */
  async unlock(id: string, place: KeyPlace & { readonly place: 'passphrase' }, passphrase: string): Promise<void> {
    const opened = unseal(await deriveKey(passphrase, place.stretching), place.sealed, aboutKey(id));
    const key = opened === undefined ? undefined : parseKey(opened);
    if (key === undefined) throw new AppError('not_allowed', 'Wrong passphrase for the vault.');
    this.#keys.set(id, key);
  }

  /**
   * The reason why the keychain cannot store a key; undefined if it can. Reads a non-existent item, because a write
   * might open a dialog.
   */
  async keychainProblem(): Promise<string | undefined> {
    try {
      await within(this.#options.keychain.read('a name that nobody has'), this.#graceMs);
      return undefined;
    } catch (error) {
      return errorText(error);
    }
  }

  /**
   * Stores a key for later; not in use until the vault refers to it. Rejects with AppError or the keychain's reason.
   */
  async store(key: Buffer, place: KeyPlace['place'], passphrase?: string): Promise<KeyPlace> {
    const id = keyId(key);
    const text = key.toString('base64url');
    if (place === 'keychain') {
      const { keychain } = this.#options;
      await keychain.write(id, text);
      // A key that cannot be read back was not stored.
      if ((await within(keychain.read(id), this.#graceMs)) !== text) throw new Error('it did not store the value');
    } else if (place === 'file') {
      await writeFileAtomic(this.#file(id), `${text}\n`, { mode: 0o600 });
      if ((await this.#readFile(id)).compare(key) !== 0) throw new Error('it did not store the value');
    }
    this.#keys.set(id, key);
    if (place !== 'passphrase') return { place };
    if (passphrase === undefined) throw new AppError('bad_request', 'A passphrase is needed.');
    const stretching = generateKdfParams();
    return { place, stretching, sealed: seal(await deriveKey(passphrase, stretching), text, aboutKey(id)) };
  }

  /** Removes a key from a place that is no longer used. Never rejects: a leftover copy is harmless. */
  async remove(id: string, { place }: KeyPlace): Promise<void> {
    if (place === 'keychain') await this.#options.keychain.remove(id).catch(() => undefined);
    else if (place === 'file') await rm(this.#file(id), { force: true }).catch(() => undefined);
  }

  /** Returns the path of a key file, for display. */
  keyFilePath(id: string): string {
    return this.#file(id);
  }

  get #graceMs(): number {
    return this.#options.graceMs ?? defaultKeychainTimeoutMs;
  }

  #findIn(id: string, place: KeyPlace): Promise<Buffer> {
    switch (place.place) {
      case 'keychain':
        return this.#fromKeychain(id);
      case 'file':
        return this.#readFile(id);
      case 'passphrase':
        return this.#withGiven(id, place);
    }
  }

  async #fromKeychain(id: string): Promise<Buffer> {
    const open = this.#pending.get(id);
    // A request while an earlier dialog is overdue fails at once.
    if (open?.isLate === true) throw noAnswer();
    const request = open ?? { answer: this.#askKeychain(id), isLate: false };
    this.#pending.set(id, request);
    try {
      return await within(request.answer, this.#graceMs);
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
      request.isLate = true;
      throw noAnswer();
    }
  }

  async #askKeychain(id: string): Promise<Buffer> {
    try {
      const text = await this.#options.keychain.read(id);
      const key = text === undefined ? undefined : parseKey(text);
      // Some keychains report locked and missing alike, so neither justifies creating another key.
      if (key === undefined || keyId(key) !== id) {
        throw locked('the keychain does not have its key or is locked');
      }
      this.#keys.set(id, key);
      if (this.#pending.get(id)?.isLate === true) this.#options.onLate();
      return key;
    } catch (error) {
      throw error instanceof AppError ? error : locked(`the keychain is not available (${errorText(error)})`, error);
    } finally {
      this.#pending.delete(id);
    }
  }

  async #readFile(id: string): Promise<Buffer> {
    const file = this.#file(id);
    const text = await readPrivate(file).catch((error: unknown) => {
      throw locked(`its key file, ${file}, cannot be read (${errorText(error)})`, error);
    });
    const key = parseKey(text);
    if (key === undefined || keyId(key) !== id) throw locked(`${file} does not contain its key`);
    return key;
  }

  async #withGiven(id: string, place: KeyPlace & { readonly place: 'passphrase' }): Promise<Buffer> {
    const given = await this.#options.givenPassphrase().catch((error: unknown) => {
      throw locked(`its passphrase file cannot be read (${errorText(error)})`, error);
    });
    if (given === undefined) throw locked('its passphrase is not set', undefined, 'Unlock it: tooltray secret unlock.');
    await this.unlock(id, place, given).catch((error: unknown) => {
      throw locked('the passphrase in the environment is wrong', error);
    });
    const key = this.#keys.get(id);
    if (key === undefined) throw locked('its passphrase is not set');
    return key;
  }

  #file(id: string): string {
    return join(this.#options.folder, `key-${id}`);
  }
}

function aboutKey(id: string): string {
  return `tooltray vault key ${id}`;
}

/** Throws if the file is a link or belongs to another user, because that user could choose its content. */
async function readPrivate(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = await handle.stat();
    if (process.platform !== 'win32' && stats.uid !== process.getuid?.()) throw new Error('it belongs to another user');
    if (process.platform !== 'win32' && (stats.mode & 0o777) !== 0o600) await handle.chmod(0o600);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function locked(why: string, cause?: unknown, fix?: string): AppError {
  return new AppError('secret_locked', `The vault is locked: ${why}.`, {
    fix: fix ?? 'Its content is unchanged. See: tooltray secret key',
    cause,
  });
}

function noAnswer(): AppError {
  return locked('the keychain has not responded yet', undefined, 'It may show a prompt. Confirm it to continue.');
}

class TooLate extends Error {
  constructor() {
    super('it did not respond in time');
  }
}

/** Rejects on timeout; a later result is left for the next caller. */
async function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate()), ms);
  });
  answer.catch(() => undefined);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
