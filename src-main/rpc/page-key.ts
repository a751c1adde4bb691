/**
 * The key that lets a user's browser in, and how page and core show each other that they have it. It is never sent: a
 * program that takes the port of a core that has ended would have it, and with it the next core. Each question is
 * signed for itself, and each answer proves that it comes from who made the link.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isSameToken } from '../core/base/core-proof.ts';

/**
 * The same as long as the core's token is: a page that is open outlives a restart of the core. It opens no MCP
 * endpoint.
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

/** In an answer's header of this name stands the proof. */
export const proofHeader = 'tooltray-proof';

/** How far apart the clocks of page and core may be, in ms; they are one clock. */
const maxSkewMs = 60_000;

export interface SignedRequest {
  /** Required value of the response header. */
  readonly proof: string;
  /** Whether this is the body that was signed. */
  readonly isBody: (text: string) => boolean;
}

/** Signatures of one key, each good once. */
export class PageSignatures {
  readonly #key: string;
  readonly #used = new Map<string, number>();

  constructor(key: string) {
    this.#key = key;
  }

  /** Verifies the page's `authorization` of a request; undefined if it is not signed with the key, late or replayed. */
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
