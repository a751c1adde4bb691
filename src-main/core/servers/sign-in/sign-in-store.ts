/** What signing in has brought, on disk: one file per server that only its owner can read, replaced as a whole. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ensurePrivateDir } from '../../base/app-paths.ts';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { AppError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { withFileLock } from '../../base/file-lock.ts';

/** Who we are at an authorization server; it knows us with this redirect address only. */
export interface Registration {
  readonly client: StoredOAuthClientInformation;
  readonly redirectUrl: string;
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
  readonly grant?: Grant | undefined;
  readonly refused?: RefusedRights | undefined;
}

const formatVersion = 1;
/** Longer than any refresh takes; a holder that died is noticed at once. */
const lockTimes = { staleMs: 90_000, waitMs: 60_000 };

export class SignInStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whatever cannot be read counts as nothing. */
  async read(key: string): Promise<StoredSignIn> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file(key), 'utf8'));
      return isObject(value) && value['version'] === formatVersion ? value : {};
    } catch {
      return {};
    }
  }

  /**
   * Writes what `change` makes of what is stored, and answers it. No other process changes it meanwhile: a refresh token
   * used twice may cost the whole grant. Rejects with AppError, or what `change` or the file system threw.
   */
  async update(key: string, change: (stored: StoredSignIn) => Promise<StoredSignIn>): Promise<StoredSignIn> {
    ensurePrivateDir(this.#folder);
    const update = async (): Promise<StoredSignIn> => {
      const stored = await this.read(key);
      const next = await change(stored);
      if (next !== stored)
        await writeFileAtomic(this.#file(key), JSON.stringify({ version: formatVersion, ...next }), { mode: 0o600 });
      return next;
    };
    return withFileLock(this.#file(key), update, lockTimes).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'config_conflict' ? busy(error) : error;
    });
  }

  #file(key: string): string {
    return join(this.#folder, `${key}.json`);
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
