/**
 * Encrypts values: AES-256-GCM (NIST SP 800-38D) with the purpose of a value as associated data, and keys with a
 * passphrase.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';

/** In bytes. */
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;

export function generateKey(): Buffer {
  return randomBytes(keyLength);
}

/** Identifies a key without revealing it. */
export function keyId(key: Buffer): string {
  return createHash('sha256').update('tooltray vault key\n').update(key).digest('base64url').slice(0, 16);
}

/** A stored key; undefined if invalid. */
export function parseKey(text: string): Buffer | undefined {
  const key = Buffer.from(text.trim(), 'base64url');
  return key.length === keyLength ? key : undefined;
}

/** `about`: its purpose; decryption requires the same. In base64url. */
export function seal(key: Buffer, text: string, about: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Undefined if it was encrypted with another key or for another purpose, or if it was changed. */
export function unseal(key: Buffer, sealed: string, about: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < nonceLength + tagLength) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength), { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
  try {
    const text = decipher.update(bytes.subarray(nonceLength + tagLength));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Key derivation parameters for a passphrase (RFC 7914); 32 MB and about half a second. */
export interface KdfParams {
  readonly salt: string;
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

export function generateKdfParams(): KdfParams {
  return { salt: randomBytes(16).toString('base64url'), N: 2 ** 15, r: 8, p: 3 };
}

/** Runs in the thread pool. Rejects if the parameters require more than 256 MB. */
export function deriveKey(passphrase: string, { salt, N, r, p }: KdfParams): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const words = passphrase.normalize('NFKC');
    const limits = { N, r, p, maxmem: 256 * 1024 * 1024 };
    scrypt(words, Buffer.from(salt, 'base64url'), keyLength, limits, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
