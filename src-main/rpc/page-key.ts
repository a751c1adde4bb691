/**
 * The key that authenticates the user's browser, and the signatures by which page and core prove to each other that
 * they have it. The key itself is never sent: a program that takes over the port of an ended core would learn it. Each
 * request is signed separately, and each response proves its origin.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isSameToken } from '../core/base/core-proof.ts';

/**
 * Stays the same as long as the core's token does, so that an open page survives a restart of the core. It does not
 * authenticate to MCP endpoints.
 */
export function loadPageKey(token: string): string {
  return createHmac('sha256', token).update('dashboard').digest('base64url');
}

/** Path of the running core's key file. */
export function pageKeyFile(runDir: string): string {
  return join(runDir, 'dashboard.key');
}

export function newPageKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Response header that contains the proof. */
export const proofHeader = 'tooltray-proof';

/** Maximum difference between signature time and now, in ms; both use the same clock. */
const maxSkewMs = 60_000;

export interface SignedRequest {
  /** Required value of the response header. */
  readonly proof: string;
  /** Whether this is the signed body. */
  readonly isBody: (text: string) => boolean;
}

/** Signatures of one key, each valid once. */
export class PageSignatures {
  readonly #key: string;
  readonly #used = new Map<string, number>();

  constructor(key: string) {
    this.#key = key;
  }

  /**
   * Verifies the `authorization` header of a request; undefined if it is not signed with the key, too old, or
   * replayed.
   */
  read(authorization: string, method: string, path: string, now = Date.now()): SignedRequest | undefined {
    const [, time = '', nonce = '', bodyHash = '', signature = ''] =
      /^Tooltray (\d{1,15})\.([\w-]{16,64})\.([\w-]{43})\.([\w-]{43})$/.exec(authorization) ?? [];
    if (signature === '' || Math.abs(now - Number(time)) > maxSkewMs || this.#used.has(nonce)) return undefined;
    if (!isSameToken(signature, this.#hmac(['ask', method, path, time, nonce, bodyHash]))) return undefined;
    for (const [one, at] of this.#used) if (now - at > 2 * maxSkewMs) this.#used.delete(one);
    this.#used.set(nonce, now);
    const isBody = (text: string): boolean => createHash('sha256').update(text).digest('base64url') === bodyHash;
    return { proof: this.#hmac(['answer', nonce]), isBody };
  }

  #hmac(parts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(parts.join('\n')).digest('base64url');
  }
}
