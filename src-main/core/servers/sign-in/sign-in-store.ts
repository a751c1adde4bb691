/**
 * What signing in has brought, in the vault. Files of the version before stay in use where they lie until the person has seen that they go
 * into the vault; whoever signs in anew, or was first seen by this version, has nothing in a file.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ensurePrivateDir } from '../../base/app-paths.ts';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { AppError } from '../../base/errors.ts';
import { withFileLock } from '../../base/file-lock.ts';
import { isObject } from '../../base/json.ts';
import { JsonFile, type KeptDocument } from '../../base/kept-document.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';

/** Who we are at an authorization server; it knows us with this redirect address only. */
export interface Registration {
  readonly client: StoredOAuthClientInformation;
  readonly redirectUrl: string;
  /** How we are struck off there, where the authorization server said so. Source: RFC 7592 section 3. */
  readonly management?: { readonly uri: string; readonly token: string } | undefined;
}

/** What the person has granted. A refresh needs the client and the authorization server it was granted to. */
export interface Grant {
  readonly tokens: StoredOAuthTokens;
  readonly client: StoredOAuthClientInformation;
  readonly discovery: OAuthDiscoveryState;
  /** The rights that were asked for; an answer may name fewer, or none. */
  readonly requestedScope?: string;
  /** As whom, where that was told. */
  readonly account?: string;
  /** The address it is for, with the secrets in its path and without its query; absent in those of versions before. */
  readonly address?: string;
  /** The server it is for, as its entry is called. */
  readonly server?: string;
  /** When the person was through with it, in ms since 1970; renewing changes nothing of it. */
  readonly grantedAt?: number;
}

/** What the person does not want to give. */
export interface RefusedRights {
  readonly scopes: readonly string[];
  /** ms since 1970. */
  readonly at: number;
  /** Where they said so: `dashboard`, `command line`. */
  readonly by: string;
}

export interface StoredSignIn {
  readonly registration?: Registration | undefined;
  /** Earlier ones, which what is granted may still hang on: struck off when there is a newer grant. */
  readonly replaced?: readonly Registration[] | undefined;
  readonly grant?: Grant | undefined;
  readonly refused?: RefusedRights | undefined;
}

/** One that a version without a vault has left. */
export interface PlainSignIn {
  readonly key: string;
  /** Absolute. */
  readonly file: string;
  /** As its entry was called, and as whom; undefined where that was not noted. */
  readonly server: string | undefined;
  readonly account: string | undefined;
  /** The person wants it there. */
  readonly isLeft: boolean;
}

/** Such files, for the person to decide about. */
export type SignInFiles = Pick<SignInStore, 'inFiles' | 'sealFile' | 'unsealFile' | 'leave'>;

/** Where what signing in brought is kept. */
export interface SignInShelf {
  /** What makes no sense counts as nothing. Rejects with AppError secret_locked: what cannot be read now is not nothing. */
  read(key: string): Promise<StoredSignIn>;
  /**
   * Writes what `change` makes of what is stored, and answers it. No other process changes it meanwhile: a refresh token
   * used twice may cost the whole grant. Rejects with AppError, or what `change` or the store threw.
   */
  update(key: string, change: (stored: StoredSignIn) => Promise<StoredSignIn>): Promise<StoredSignIn>;
  /** Nothing of it is kept any more. What it was; undefined where that cannot be opened now. */
  take(key: string): Promise<StoredSignIn | undefined>;
}

const formatVersion = 1;
/** Longer than any refresh takes; a holder that died is noticed at once. */
const lockTimes = { staleMs: 90_000, waitMs: 60_000 };

export class SignInStore implements SignInShelf {
  readonly #folder: string;
  readonly #vault: SecretStore;
  /** Keys of files that the person wants to stay. */
  readonly #left: KeptDocument;

  /** `folder`: where locks lie, and the files of before. */
  constructor(folder: string, vault: SecretStore) {
    this.#folder = folder;
    this.#vault = vault;
    this.#left = new JsonFile(join(folder, 'left-in-files.json'));
  }

  /** What makes no sense counts as nothing. Rejects with AppError secret_locked: what cannot be read now is not nothing. */
  async read(key: string): Promise<StoredSignIn> {
    return readSignIn(await this.#readPlain(key)) ?? this.#readSealed(key);
  }

  /**
   * Writes what `change` makes of what is stored, and answers it. No other process changes it meanwhile: a refresh token
   * used twice may cost the whole grant. Rejects with AppError, or what `change` or the file system threw.
   */
  async update(key: string, change: (stored: StoredSignIn) => Promise<StoredSignIn>): Promise<StoredSignIn> {
    return this.#locked(key, async () => {
      const stored = await this.read(key);
      const next = await change(stored);
      if (next !== stored) await this.#write(key, stored, next);
      return next;
    });
  }

  /** Nothing of it is kept any more. What it was; undefined where that cannot be opened now. Rejects with the file system's error. */
  async take(key: string): Promise<StoredSignIn | undefined> {
    return this.#locked(key, async () => {
      const stored = readSignIn(await this.#readPlain(key)) ?? (await this.#readSealed(key).catch(() => undefined));
      await rm(this.#file(key), { force: true });
      await this.#vault.remove(vaultName(key));
      return stored;
    });
  }

  /** Those that lie in files of the version before, also of servers that are not in the config any more. Never rejects. */
  async inFiles(): Promise<readonly PlainSignIn[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const keys = names.flatMap((name) => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? []).toSorted();
    // Mostly there are none.
    if (keys.length === 0) return [];
    const left = keysIn(await this.#left.read());
    return Promise.all(
      keys.map(async (key) => {
        const { server, account } = readSignIn(await this.#readPlain(key))?.grant ?? {};
        return { key, file: this.#file(key), server, account, isLeft: left.includes(key) };
      }),
    );
  }

  /** Whether the person wants these to stay in their files. Rejects with the file system's error. */
  async leave(keys: readonly string[], isLeft: boolean): Promise<void> {
    await this.#left.change((value) => {
      const others = keysIn(value).filter((key) => !keys.includes(key));
      return [isLeft ? [...others, ...keys] : others, undefined];
    });
  }

  /** Into the vault, the file goes then. Whether there was one that made sense. Rejects with AppError secret_locked: then it stays. */
  async sealFile(key: string): Promise<boolean> {
    return this.#locked(key, async () => {
      const plain = await this.#readPlain(key);
      if (plain === undefined) return false;
      const stored = readSignIn(plain);
      // A file of before is newer than the vault: whoever writes to the vault takes the file away.
      if (stored !== undefined) await this.#keep(key, stored);
      await rm(this.#file(key), { force: true });
      // It is moved, told or not.
      if (stored?.grant !== undefined) await this.#vault.noteMoved('sign-in', this.#folder).catch(() => undefined);
      return stored !== undefined;
    });
  }

  /** The way back: as it is now, into the file it came from. Whether there was something. Rejects with AppError secret_locked: then it stays. */
  async unsealFile(key: string): Promise<boolean> {
    return this.#locked(key, async () => {
      const text = signInText(await this.#readSealed(key));
      if (text === undefined) return false;
      await writeFileAtomic(this.#file(key), text, { mode: 0o600 });
      await this.#vault.remove(vaultName(key));
      await this.#vault.noteMoved('sign-in', this.#folder, true).catch(() => undefined);
      return true;
    });
  }

  async #readSealed(key: string): Promise<StoredSignIn> {
    return readSignIn(await this.#vault.read(vaultName(key))) ?? {};
  }

  /** Under the lock. Where it lay; a new sign-in of the person goes into the vault. */
  async #write(key: string, before: StoredSignIn, next: StoredSignIn): Promise<void> {
    const isInFile = (await this.#readPlain(key)) !== undefined;
    const text = signInText(next);
    const isSameGrant = next.grant?.grantedAt === before.grant?.grantedAt;
    if (isInFile && isSameGrant && text !== undefined) {
      await writeFileAtomic(this.#file(key), text, { mode: 0o600 });
      return;
    }
    await this.#keep(key, next);
    await rm(this.#file(key), { force: true });
  }

  async #keep(key: string, stored: StoredSignIn): Promise<void> {
    const text = signInText(stored);
    if (text === undefined) await this.#vault.remove(vaultName(key));
    else await this.#vault.write(vaultName(key), text);
  }

  async #readPlain(key: string): Promise<string | undefined> {
    return readFile(this.#file(key), 'utf8').catch(() => undefined);
  }

  async #locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    ensurePrivateDir(this.#folder);
    return withFileLock(this.#file(key), work, lockTimes).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'config_conflict' ? busy(error) : error;
    });
  }

  #file(key: string): string {
    return join(this.#folder, `${key}.json`);
  }
}

/** Of a home whose data lies in `dataDir`. */
export function signInStoreOf(dataDir: string, vault: SecretStore): SignInStore {
  return new SignInStore(join(dataDir, 'sign-ins'), vault);
}

function keysIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as unknown[]).filter((one) => typeof one === 'string') : [];
}

/** The address of a server as a sign-in is for it. */
export function addressOf(serverUrl: string): string {
  const [address = ''] = serverUrl.split(/[?#]/, 1);
  return address;
}

/** What a sign-in is called in a vault. */
export function vaultName(key: string): string {
  return `sign-in/${key}`;
}

/** As it is kept; undefined where there is nothing to keep. */
export function signInText(stored: StoredSignIn): string | undefined {
  if (Object.values(stored).every((part) => part === undefined)) return undefined;
  return JSON.stringify({ version: formatVersion, ...stored });
}

/** undefined for what makes no sense. */
export function readSignIn(text: string | undefined): StoredSignIn | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isObject(value) || value['version'] !== formatVersion) return undefined;
    const { version: _, ...stored } = value;
    return stored;
  } catch {
    return undefined;
  }
}

/** A sign-in belongs to a name, an address, and the client it was given to: other settings of the entry may change without a new one. */
export function signInKey(serverName: string, url: string, clientId?: string): string {
  return createHash('sha256')
    .update(JSON.stringify(clientId === undefined ? [serverName, url] : [serverName, url, clientId]))
    .digest('hex');
}

function busy(cause: AppError): AppError {
  return new AppError('server_unreachable', 'Another process renews the sign-in and does not come to an end.', {
    cause,
  });
}
