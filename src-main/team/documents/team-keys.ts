/**
 * The team's keys, given to every replica from outside the database, so that database rows and backups reveal no
 * encrypted data.
 */
import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AuditKeys, parseKey } from '../../core/edition.ts';
import { AppError } from '../../core/base/errors.ts';

/**
 * Variables for a file with one key per line, and for the keys themselves, separated by spaces; 32 bytes in base64url
 * each.
 */
export const keysFileVariable = 'TOOLTRAY_TEAM_KEYS_FILE';
export const keysVariable = 'TOOLTRAY_TEAM_KEYS';

export class TeamKeys {
  /** The first one encrypts and signs, all decrypt and verify. */
  readonly #keys: readonly Buffer[];

  /** Throws AppError `bad_request` if empty. */
  constructor(keys: readonly Buffer[]) {
    if (keys.length === 0) throw invalidKeysError('are not set');
    this.#keys = keys;
  }

  /** Throws AppError `bad_request` if there are none, or one is invalid. */
  static fromEnv(env: Readonly<Record<string, string | undefined>>): TeamKeys {
    const words = (env[keysVariable] ?? readFile(env[keysFileVariable])).split(/\s+/).filter((word) => word !== '');
    return new TeamKeys(
      words.map((word) => {
        const key = parseKey(word);
        if (key === undefined) throw invalidKeysError('contain an invalid key');
        return key;
      }),
    );
  }

  /** Keys derived for one purpose. */
  encryptionKeys(purpose: string): readonly Buffer[] {
    return this.#keys.map((key) => derived(key, purpose));
  }

  /** Signs the audit log. */
  audit(): AuditKeys {
    const [key] = this.#keys;
    if (key === undefined) throw invalidKeysError('are not set');
    return new AuditKeys(derived(key, 'audit'));
  }

  /** Public keys that may still sign the audit log, while replicas are restarted with a new first key. */
  otherAuditKeys(): readonly string[] {
    return this.#keys.slice(1).map((key) => new AuditKeys(derived(key, 'audit')).publicKey);
  }
}

function derived(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `tooltray team ${purpose}`, 32));
}

function readFile(path: string | undefined): string {
  if (path === undefined) return '';
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new AppError('bad_request', `Cannot read the team key file ${path}.`, { cause: error });
  }
}

function invalidKeysError(how: string): AppError {
  return new AppError('bad_request', `The team keys ${how}.`, {
    fix: `Create one with: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='. Set it on every replica with ${keysFileVariable} or ${keysVariable}. List new keys first.`,
  });
}
