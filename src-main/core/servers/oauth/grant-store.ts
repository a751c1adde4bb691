/** Stores grants in the vault; one process at a time changes them. */
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

/** Our registration at an authorization server, for one redirect URI. */
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
  /** The requested scopes; a response may name fewer, or none. */
  readonly requestedScope?: string;
  /** The account name, if provided. */
  readonly account?: string;
  /** The server's address, including secrets in its path, without the query; absent in older data. */
  readonly address?: string;
  /** Name of the server's entry. */
  readonly server?: string;
  /** When the user completed the sign-in, in ms since 1970; a refresh does not change it. */
  readonly grantedAt?: number;
}

export interface RefusedRights {
  readonly scopes: readonly string[];
  /** ms since 1970. */
  readonly at: number;
  /** Place where the sign-in was refused: `dashboard`, `command line`. */
  readonly by: string;
}

export interface StoredAuthorization {
  readonly registration?: Registration | undefined;
  /** Earlier registrations that a grant may still depend on; deleted when there is a newer grant. */
  readonly replaced?: readonly Registration[] | undefined;
  readonly grant?: Grant | undefined;
  readonly refused?: RefusedRights | undefined;
}

export interface GrantStore {
  /** Invalid data counts as none. Rejects with AppError `secret_locked` if the vault cannot be read now. */
  read(key: string): Promise<StoredAuthorization>;
  /**
   * Stores the result of `change`, and returns it. Excludes other processes meanwhile, because using a refresh token
   * twice may revoke the whole grant. Rejects with AppError, or with the error of `change` or the store.
   */
  update(
    key: string,
    change: (stored: StoredAuthorization) => Promise<StoredAuthorization>,
  ): Promise<StoredAuthorization>;
  /** Deletes the authorization and returns it; undefined if it cannot be decrypted now. */
  take(key: string): Promise<StoredAuthorization | undefined>;
}

const formatVersion = 1;
/** Longer than any refresh; a dead holder is noticed at once. */
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
   * Stores the result of `change`, and returns it. Excludes other processes meanwhile, because using a refresh token
   * twice may revoke the whole grant. Rejects with AppError, or with the error of `change` or the file system.
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
   * Deletes the authorization and returns it; undefined if it cannot be decrypted now. Rejects with the file system's
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

/** Opens the store of a home with the data folder `dataDir`. */
export function openGrantStore(dataDir: string, vault: SecretStore): VaultGrantStore {
  return new VaultGrantStore(join(dataDir, 'sign-ins'), vault);
}

/** The address of a server that a grant is stored for. */
export function resourceAddress(serverUrl: string): string {
  const [address = ''] = serverUrl.split(/[?#]/, 1);
  return address;
}

/** The vault key of a grant. */
export function grantVaultKey(key: string): string {
  return `sign-in/${key}`;
}

/** Returns the stored form; undefined if there is nothing to store. */
export function serializeAuthorization(stored: StoredAuthorization): string | undefined {
  if (Object.values(stored).every((part) => part === undefined)) return undefined;
  return JSON.stringify({ version: formatVersion, ...stored });
}

/** Undefined for invalid data. */
export function parseAuthorization(text: string | undefined): StoredAuthorization | undefined {
  const value = tryParsePlainJson(text ?? '');
  if (!isObject(value) || value['version'] !== formatVersion) return undefined;
  const { version: _, ...stored } = value;
  return stored;
}

/**
 * Key of a grant: the server's name, its address, and the client. Other settings of the entry may change without a new
 * sign-in.
 */
export function grantKey(serverName: string, url: string, clientId?: string): string {
  return createHash('sha256')
    .update(JSON.stringify(clientId === undefined ? [serverName, url] : [serverName, url, clientId]))
    .digest('hex');
}

function busy(cause: AppError): AppError {
  return new AppError('server_unreachable', 'Another process is still refreshing the token.', {
    cause,
  });
}
