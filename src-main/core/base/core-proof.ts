/**
 * Proves to a client that a core belongs to the user before the client sends the token, because on Windows any user
 * can listen on any pipe name. The proof is bound to the requested pipe, so that another process cannot obtain it from
 * the real core.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export function newChallenge(): string {
  return randomBytes(24).toString('base64url');
}

/** HMAC-SHA-256 with the token as key, in base64url. */
export function coreProof(token: string, pipe: string, challenge: string): string {
  return createHmac('sha256', token).update(`tooltray core\n${pipe}\n${challenge}`).digest('base64url');
}

/** Compares in constant time. */
export function isSameToken(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
