/** Seals of the team: what one replica sealed, any other one holds for true. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TeamKeys } from '../records/team-keys.ts';

/** For one use: what is sealed for one is nothing for another. Tenants are told apart by what is sealed. */
export function sealsFor(keys: TeamKeys, use: string): Seals {
  return new Seals(keys.sealing('', use));
}

/** Says that a replica of the team has written something. */
export class Seals {
  readonly #keys: readonly Buffer[];
  readonly #first: Buffer;

  /** The first seals. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys;
    this.#first = keys[0] as Buffer;
  }

  /** `bytes` of an HMAC-SHA256, as base64url. */
  make(parts: readonly string[], bytes = 32): string {
    return sealOf(this.#first, parts, bytes).toString('base64url');
  }

  holds(parts: readonly string[], seal: string, bytes = 32): boolean {
    const given = Buffer.from(seal, 'base64url');
    // Another spelling of the same bytes would be another id.
    if (given.length !== bytes || given.toString('base64url') !== seal) return false;
    return this.#keys.some((key) => timingSafeEqual(sealOf(key, parts, bytes), given));
  }
}

/** As a list in JSON no part can take anything from the next one. */
function sealOf(key: Buffer, parts: readonly string[], bytes: number): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest().subarray(0, bytes);
}
