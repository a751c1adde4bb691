/**
 * Stores the parts of the config that the user has approved. The file carries an HMAC under a key of the vault, so a
 * program that can write the file but not read the vault cannot approve for the user.
 */
import { createHmac } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSameToken } from '../base/core-proof.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { isObject, type JsonObject, tryParsePlainJson } from '../base/json.ts';

/** A parsed server entry with normalized keys, and whether it is enabled. */
export interface WrittenServer {
  readonly entry: JsonObject;
  readonly enabled: boolean;
}

export interface ApprovedConfig {
  readonly servers: Readonly<Record<string, WrittenServer>>;
  /** Security-relevant settings, as parsed. */
  readonly settings: JsonObject;
  /** The other settings as last applied; used at startup if the config file is unreadable. */
  readonly plain?: JsonObject | undefined;
  /** Blocked launches or addresses by server name. A different launch under the same name needs a new approval. */
  readonly blocked?: Readonly<Record<string, JsonObject>>;
  /**
   * Why an earlier record is unusable. Until the user approves again, a missing entry may have been approved before.
   */
  readonly unusable?: UnusableReason;
}

/**
 * Why a record is unusable: it is unreadable, it is missing although the vault has its key, its HMAC does not match the
 * vault's key, or the vault is locked, so the HMAC cannot be verified now.
 */
export type UnusableReason = 'damaged' | 'missing' | 'unproven' | 'locked';

/** The HMAC key, which only the vault stores. */
export interface RecordKey {
  /** Returns whether the key exists, without opening the vault. Rejects if the vault cannot be read. */
  exists(): Promise<boolean>;
  /** Returns undefined if there is no key. Rejects if the vault is locked. */
  read(): Promise<string | undefined>;
  /** Creates the key if there is none. Rejects if the vault is locked. */
  ensure(): Promise<string>;
}

export class AcceptedRecord {
  readonly file: string;
  readonly #key: RecordKey;

  constructor(file: string, key: RecordKey) {
    this.file = file;
    this.#key = key;
  }

  /**
   * Returns the approved config, undefined if nothing was approved yet, or why the record is unusable. Never rejects.
   */
  async read(): Promise<ApprovedConfig | UnusableReason | undefined> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return 'damaged';
      return (await this.#key.exists().catch(() => true)) ? 'missing' : undefined;
    }
    const written = parse(text);
    if (written === undefined) return 'damaged';
    try {
      const key = await this.#key.read();
      return key !== undefined && isSameToken(hmac(key, written.agreed), written.hmac) ? written.agreed : 'unproven';
    } catch {
      return 'locked';
    }
  }

  /**
   * Signs and writes the record; first copies an unusable one to `.corrupt`. Rejects if the vault is locked or the file
   * cannot be written.
   */
  async write(agreed: ApprovedConfig): Promise<void> {
    const key = await this.#key.ensure();
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    if (typeof (await this.read()) === 'string')
      await copyFile(this.file, `${this.file}.corrupt`).catch(() => undefined);
    const text = JSON.stringify({ hmac: hmac(key, agreed), agreed }, null, 2);
    await writeFileAtomic(this.file, text, { mode: 0o600 });
  }
}

function parse(text: string): { readonly agreed: ApprovedConfig; readonly hmac: string } | undefined {
  const value = tryParsePlainJson(text);
  if (!isObject(value)) return undefined;
  const { agreed, hmac: proof = '' } = value;
  if (!isObject(agreed) || !isObject(agreed['servers']) || !isObject(agreed['settings'])) return undefined;
  return typeof proof === 'string' ? { agreed: agreed as unknown as ApprovedConfig, hmac: proof } : undefined;
}

/** Source: RFC 2104. The text is stable, because JSON.parse preserves the order of members. */
function hmac(key: string, agreed: ApprovedConfig): string {
  return createHmac('sha256', key).update(JSON.stringify(agreed)).digest('base64url');
}
