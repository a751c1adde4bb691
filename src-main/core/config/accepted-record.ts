/**
 * The file that records what the user agreed to of the config file. It carries an HMAC under a key of the vault, so
 * that a program that can write the file, but not read the vault, cannot agree for the user.
 */
import { createHmac } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSameToken } from '../base/core-proof.ts';
import { writeFileAtomic } from '../base/atomic-file.ts';
import { isObject, type JsonObject } from '../base/json.ts';

/** A server's entry as parsed, under our own names, and whether it is enabled. */
export interface WrittenServer {
  readonly entry: JsonObject;
  readonly on: boolean;
}

export interface Agreed {
  readonly servers: Readonly<Record<string, WrittenServer>>;
  /** Guarded settings as the core understands them. */
  readonly settings: JsonObject;
  /** The other settings as they were last in use, for a start with a file that cannot be read. */
  readonly plain?: JsonObject | undefined;
  /** Blocked launches or addresses by server name. A different launch under that name is a new question. */
  readonly blocked?: Readonly<Record<string, JsonObject>>;
  /**
   * An earlier record could not be used, and the user has not accepted again: an entry that is missing here may have
   * been accepted.
   */
  readonly lost?: LostReason;
}

/**
 * Why a record cannot be used: it is unreadable, it is gone though the vault has its key, its HMAC is not that of the
 * vault's key, or the vault is locked, so that the HMAC cannot be checked now.
 */
export type LostReason = 'damaged' | 'missing' | 'unproven' | 'locked';

/** The key of the HMAC; only the vault has it. */
export interface RecordKey {
  /** Whether there is a key, without opening the vault. Rejects if the vault cannot be read. */
  exists(): Promise<boolean>;
  /** Undefined if there is none. Rejects if the vault is locked. */
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

  /** Undefined if nothing was ever agreed to. Never rejects. */
  async read(): Promise<Agreed | LostReason | undefined> {
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

  /** Keeps a copy of a record that cannot be used. Rejects if the vault is locked or the file cannot be written. */
  async write(agreed: Agreed): Promise<void> {
    const key = await this.#key.ensure();
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    if (typeof (await this.read()) === 'string')
      await copyFile(this.file, `${this.file}.corrupt`).catch(() => undefined);
    const text = JSON.stringify({ hmac: hmac(key, agreed), agreed }, null, 2);
    await writeFileAtomic(this.file, text, { mode: 0o600 });
  }
}

function parse(text: string): { readonly agreed: Agreed; readonly hmac: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { agreed, hmac: proof = '' } = value;
    if (!isObject(agreed) || !isObject(agreed['servers']) || !isObject(agreed['settings'])) return undefined;
    return typeof proof === 'string' ? { agreed: agreed as unknown as Agreed, hmac: proof } : undefined;
  } catch {
    return undefined;
  }
}

/** Source: RFC 2104. JSON.parse keeps the order of members, so the text is the same when it is read. */
function hmac(key: string, agreed: Agreed): string {
  return createHmac('sha256', key).update(JSON.stringify(agreed)).digest('base64url');
}
