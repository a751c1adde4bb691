/** The home's audit key: signs heads (Ed25519, RFC 8032) and keys the digests of texts that are not stored. */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify as verifySignature,
} from 'node:crypto';
import { Emitter } from '../../base/emitter.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import type { Digest } from './audit-entries.ts';

/** PKCS #8 (RFC 8410) around the 32 bytes of a private key, SPKI around those of a public one. */
const privateFrame = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicFrame = Buffer.from('302a300506032b6570032100', 'hex');
/** States the purpose of a signature in the signed text. */
const purpose = 'tooltray audit head\n';
/** Maximum number of bytes that a digest covers, because hashing a large result would block the core. */
const maxDigestedBytes = 256 * 1024;

export class AuditKeys {
  /** 32 bytes in base64url. */
  readonly publicKey: string;
  readonly #privateKey: KeyObject;
  readonly #digestKey: KeyObject;

  constructor(seed: Buffer) {
    const der = Buffer.concat([privateFrame, seed]);
    this.#privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#privateKey).export({ format: 'der', type: 'spki' });
    this.publicKey = spki.subarray(publicFrame.length).toString('base64url');
    // A key object, because creating one per digest takes twice as long as the digest.
    this.#digestKey = createSecretKey(Buffer.from(hkdfSync('sha256', seed, '', 'tooltray audit digests', 32)));
  }

  /** Undefined if the vault has none. Rejects with AppError `secret_locked`. */
  static async inVault(vault: SecretStore): Promise<AuditKeys | undefined> {
    const seed = await vault.read(vaultName);
    return seed === undefined ? undefined : new AuditKeys(Buffer.from(seed, 'base64url'));
  }

  sign(text: string): string {
    return sign(null, Buffer.from(purpose + text), this.#privateKey).toString('base64url');
  }

  /** Returns the digest of a text, or of the bytes that arrived; `bytes` is their total number, if known. */
  digest(said: string | readonly Buffer[], bytes?: number): Digest {
    const chunks = typeof said === 'string' ? [Buffer.from(said)] : said;
    const all = bytes ?? chunks.reduce((sum, { length }) => sum + length, 0);
    const hmac = createHmac('sha256', this.#digestKey);
    let left = maxDigestedBytes;
    for (const chunk of chunks) {
      if (left > 0) hmac.update(chunk.subarray(0, left));
      left -= chunk.length;
    }
    return { bytes: all, hmac: hmac.digest('base64url'), ...(all > maxDigestedBytes && { of: maxDigestedBytes }) };
  }
}

/** Whether the holder of `publicKey` (base64url) signed `text`. */
export function isSigned(text: string, signature: string, publicKey: string): boolean {
  try {
    const der = Buffer.concat([publicFrame, Buffer.from(publicKey, 'base64url')]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verifySignature(null, Buffer.from(purpose + text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

/** The source of a log's key. */
export interface KeySource {
  /** `asked`: requested, and may become available; undefined: unavailable now. The first call requests the key. */
  get(): AuditKeys | 'asked' | undefined;
  /** Emits when the key is available, or is known to be unavailable. */
  readonly decided: Emitter;
}

const vaultName = 'audit/key';

/** In the vault. */
export class VaultKey implements KeySource {
  readonly decided = new Emitter();
  readonly #vault: SecretStore;
  #known: AuditKeys | 'asked' | undefined;
  #asking: Promise<void> | undefined;

  constructor(vault: SecretStore) {
    this.#vault = vault;
    vault.onOpened.on(() => {
      if (this.#asking !== undefined) this.#asking = this.#asking.then(() => this.#ask());
    });
  }

  get(): AuditKeys | 'asked' | undefined {
    if (this.#asking === undefined) {
      this.#known = 'asked';
      this.#asking = this.#ask();
    }
    return this.#known;
  }

  async #ask(): Promise<void> {
    try {
      const seed = await this.#vault.ensure(vaultName, () => randomBytes(32).toString('base64url'));
      this.#known = new AuditKeys(Buffer.from(seed, 'base64url'));
    } catch {
      // The vault is locked and says so elsewhere. Records are unsigned meanwhile, and signed once it opens.
      if (this.#known === 'asked') this.#known = undefined;
    } finally {
      this.decided.emit();
    }
  }
}
