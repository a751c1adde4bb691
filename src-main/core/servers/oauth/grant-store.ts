/** Stores sign-ins in the vault; one process at a time changes them. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ensurePrivateDir } from '../../base/app-paths.ts';
import { AppError } from '../../base/errors.ts';
import { withSqliteLock } from '../../base/file-lock.ts';
import { isObject, tryParsePlainJson } from '../../base/json.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';

/** Who we are at an authorization server; it knows us with this redirect address only. */
export interface Registration {
  readonly client: StoredOAuthClientInformation;
  readonly redirectUrl: string;
  /** How to delete the client registration, if the authorization server supports it. Source: RFC 7592 section 3. */
  readonly management?: { readonly uri: string; readonly token: string } | undefined;
}

/** The user's grant. A refresh needs the client and the authorization server it was granted to. */
export interface Grant {
  readonly tokens: StoredOAuthTokens;
  readonly client: StoredOAuthClientInformation;
  readonly discovery: OAuthDiscoveryState;
  /** The rights that were asked for; an answer may name fewer, or none. */
  readonly requestedScope?: string;
  /** The account name, if provided. */
  readonly account?: string;
  /** The address it is for, with the secrets in its path and without its query; absent in those of versions before. */
  readonly address?: string;
  /** The server it is for, as its entry is called. */
  readonly server?: string;
  /** When the user was through with it, in ms since 1970; renewing changes nothing of it. */
  readonly grantedAt?: number;
}

export interface RefusedRights {
  readonly scopes: readonly string[];
  /** ms since 1970. */
  readonly at: number;
  /** The interface used to refuse: `dashboard`, `command line`. */
  readonly by: string;
}

export interface StoredAuthorization {
  readonly registration?: Registration | undefined;
  /** Earlier ones, which what is granted may still hang on: struck off when there is a newer grant. */
  readonly replaced?: readonly Registration[] | undefined;
  readonly grant?: Grant | undefined;
  readonly refused?: RefusedRights | undefined;
}

export interface GrantStore {
  /** Invalid data counts as none. Rejects with AppError `secret_locked` if the vault cannot be read now. */
  read(key: string): Promise<StoredAuthorization>;
  /**
   * Writes what `change` makes of what is stored, and answers it. No other process changes it meanwhile: a refresh
   * token used twice may cost the whole grant. Rejects with AppError, or what `change` or the store threw.
   */
  update(
    key: string,
    change: (stored: StoredAuthorization) => Promise<StoredAuthorization>,
  ): Promise<StoredAuthorization>;
  /** Deletes the authorization and returns it; undefined if it cannot be decrypted now. */
  take(key: string): Promise<StoredAuthorization | undefined>;
}

const formatVersion = 1;
/** Longer than any refresh takes; a holder that died is noticed at once. */
const lockTimes = { staleMs: 90_000, waitMs: 60_000 };

export class VaultGrantStore implements GrantStore {
  readonly #folder: string;
  readonly #vault: SecretStore;

  /** `folder` holds the lock files. */
  constructor(folder: string, vault: SecretStore) {
    this.#folder = folder;
    this.#vault = vault;
  }

  /** Invalid data counts as none. Rejects with AppError `secret_locked` if the vault cannot be read now. */
  async read(key: string): Promise<StoredAuthorization> {
    return parseAuthorization(await this.#vault.read(grantVaultKey(key))) ?? {};
  }

  /**
   * Writes what `change` makes of what is stored, and answers it. No other process changes it meanwhile: a refresh
   * token used twice may cost the whole grant. Rejects with AppError, or what `change` or the file system threw.
   */
  async update(
    key: string,
    change: (stored: StoredAuthorization) => Promise<StoredAuthorization>,
  ): Promise<StoredAuthorization> {
    return this.#locked(key, async () => {
      const stored = await this.read(key);
      const next = await change(stored);
      if (next !== stored) await this.#keep(key, next);
      return next;
    });
  }

  /**
   * Nothing of it is kept any more. What it was; undefined if that cannot be opened now. Rejects with the file system's
   * error.
   */
  async take(key: string): Promise<StoredAuthorization | undefined> {
    return this.#locked(key, async () => {
      const stored = await this.read(key).catch(() => undefined);
      await this.#vault.remove(grantVaultKey(key));
      return stored;
    });
  }

  async #keep(key: string, stored: StoredAuthorization): Promise<void> {
    const text = serializeAuthorization(stored);
    if (text === undefined) await this.#vault.remove(grantVaultKey(key));
    else await this.#vault.write(grantVaultKey(key), text);
  }

  async #locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    ensurePrivateDir(this.#folder);
    return withSqliteLock(join(this.#folder, `${key}.json`), work, lockTimes).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'config_conflict' ? busy(error) : error;
    });
  }
}

/** Opens the store of a home whose data is in `dataDir`. */
export function openGrantStore(dataDir: string, vault: SecretStore): VaultGrantStore {
  return new VaultGrantStore(join(dataDir, 'sign-ins'), vault);
}

/** The address of a server as a sign-in is for it. */
export function resourceAddress(serverUrl: string): string {
  const [address = ''] = serverUrl.split(/[?#]/, 1);
  return address;
}

/** The name of a sign-in in a vault. */
export function grantVaultKey(key: string): string {
  return `sign-in/${key}`;
}

/** Returns the stored form; undefined if there is nothing to store. */
export function serializeAuthorization(stored: StoredAuthorization): string | undefined {
  if (Object.values(stored).every((part) => part === undefined)) return undefined;
  return JSON.stringify({ version: formatVersion, ...stored });
}

/** undefined for what makes no sense. */
export function parseAuthorization(text: string | undefined): StoredAuthorization | undefined {
  const value = tryParsePlainJson(text ?? '');
  if (!isObject(value) || value['version'] !== formatVersion) return undefined;
  const { version: _, ...stored } = value;
  return stored;
}

/**
 * A sign-in belongs to a name, an address, and the client that it was granted to: other settings of the entry may
 * change without a new one.
 */
export function grantKey(serverName: string, url: string, clientId?: string): string {
  return createHash('sha256')
    .update(JSON.stringify(clientId === undefined ? [serverName, url] : [serverName, url, clientId]))
    .digest('hex');
}

function busy(cause: AppError): AppError {
  return new AppError('server_unreachable', 'Another process renews the sign-in and does not come to an end.', {
    cause,
  });
}
